export { drawsRoutes } from './draws.routes.ts'
export { type DrawEmailShop, posterKeys, sendDrawEmails, writeDrawEmail } from './draw-emails.ts'
export { verifiersRoutes } from './verifiers.routes.ts'

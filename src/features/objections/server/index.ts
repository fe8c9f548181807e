export { objectionsPersonalData } from './personal-data.ts'
export { objectionsRoutes } from './objections.routes.ts'
export { voidApproval } from './void-entries.ts'

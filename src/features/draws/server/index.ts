export { drawsRoutes } from './draws.routes.ts'
export { verifiersRoutes } from './verifiers.routes.ts'

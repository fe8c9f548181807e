export { drawsRoutes } from './draws.routes.ts'

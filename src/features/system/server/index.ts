export { lastCheckRoutes } from './last-check.routes.ts'
export { systemRoutes } from './system.routes.ts'

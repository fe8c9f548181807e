export { type SystemOptions, systemRoutes } from './system.routes.ts'

export { drawsRoutes } from './draws.routes.ts'
export { publicDrawsRepository } from './public-draws.repository.ts'
export { publicDrawsRoutes } from './public-draws.routes.ts'

export { ownDataRoutes } from './own-data.routes.ts'
export { staffCustomersRoutes } from './staff-customers.routes.ts'

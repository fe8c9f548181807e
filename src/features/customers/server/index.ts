export { staffActionsPersonalData } from './staff-actions-personal-data.ts'
export { ownDataRoutes } from './own-data.routes.ts'
export { staffCustomersRoutes } from './staff-customers.routes.ts'

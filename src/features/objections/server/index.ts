export { eraseOldObjections } from './objections.repository.ts'
export { objectionsRoutes } from './objections.routes.ts'
export { voidApproval } from './void-entries.ts'

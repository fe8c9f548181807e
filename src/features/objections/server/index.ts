export { eraseOldObjections } from './objections.repository.ts'
export { objectionsRoutes } from './objections.routes.ts'
export { type VoidsDeps, voidApproval } from './void-entries.ts'

export { eraseOldEntries, linkEntries } from './postal.repository.ts'
export { postalRoutes } from './postal.routes.ts'
export { type PostalDeps, registerCard, tellCancellations } from './postal.service.ts'
export { postalEmails } from './poster-emails.ts'

export { eraseOldEntries, linkEntries } from './postal.repository.ts'
export { postalPersonalData } from './personal-data.ts'
export { postCountRoutes } from './post-count.routes.ts'
export { watchPostCounts } from './post-count.ts'
export { postalRoutes } from './postal.routes.ts'
export {
  type PostalDeps,
  entrySearch,
  howPosterIsTold,
  keyOf as personKey,
  tellCancellations,
  tellVoided,
} from './postal.service.ts'
export { postalEmails } from './poster-emails.ts'

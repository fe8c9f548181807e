import purchaseMessages from 'virtual:messages/purchase'
import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { ParticipationsPage, ParticipationsSkeleton } from '#features/tickets/screens/participations-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(purchaseMessages)

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(ParticipationsSkeleton)
export const meta = metaOf('participations', { path: paths.participations(), noindex: true })

export default ParticipationsPage

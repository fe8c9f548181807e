import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { SessionsPage, SessionsSkeleton } from '#features/accounts/screens/sessions-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages('account', 'sessions')

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(SessionsSkeleton)
export const meta = metaOf('sessions', { path: paths.sessions(), noindex: true })

export default SessionsPage

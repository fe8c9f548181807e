import accountMessages from 'virtual:messages/account'
import sessionsMessages from 'virtual:messages/sessions'
import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { SessionsPage, SessionsSkeleton } from '#features/accounts/screens/sessions-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(accountMessages, sessionsMessages)

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(SessionsSkeleton)
export const meta = metaOf('sessions', { path: paths.sessions(), noindex: true })

export default SessionsPage

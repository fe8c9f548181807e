import accountMessages from 'virtual:messages/account'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { LogoutPage } from '#features/accounts/screens/logout-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(accountMessages)

export const meta = metaOf('logout', { path: paths.logout(), noindex: true })

export default needingScripts(LogoutPage)

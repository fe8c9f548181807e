import accountMessages from 'virtual:messages/account'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { LoginPage } from '#features/accounts/screens/login-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(accountMessages)

export const meta = metaOf('login', { path: paths.login(), noindex: true })

export default needingScripts(LoginPage)

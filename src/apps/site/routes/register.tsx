import accountMessages from 'virtual:messages/account'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { RegisterPage } from '#features/accounts/screens/register-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(accountMessages)

export const meta = metaOf('register', { path: paths.register(), noindex: true })

export default needingScripts(RegisterPage)

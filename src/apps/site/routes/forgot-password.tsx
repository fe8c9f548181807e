import accountMessages from 'virtual:messages/account'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { ForgotPasswordPage } from '#features/accounts/screens/forgot-password-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(accountMessages)

export const meta = metaOf('forgotPassword', { path: paths.forgotPassword(), noindex: true })

export default needingScripts(ForgotPasswordPage)

import accountMessages from 'virtual:messages/account'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { ResetPasswordPage } from '#features/accounts/screens/reset-password-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(accountMessages)

export const meta = metaOf('resetPassword', { path: paths.resetPassword(), noindex: true })

export default needingScripts(ResetPasswordPage)

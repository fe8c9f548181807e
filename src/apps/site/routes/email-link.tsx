import linkMessages from 'virtual:messages/link'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { EmailLinkPage } from '#features/accounts/screens/email-link-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(linkMessages)

export const meta = metaOf('emailLink', { path: paths.emailLink(), noindex: true })

export default needingScripts(EmailLinkPage)

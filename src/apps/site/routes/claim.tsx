import accountMessages from 'virtual:messages/account'
import claimMessages from 'virtual:messages/claim'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { ClaimPage } from '#features/draws/screens/claim-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(accountMessages, claimMessages)

export const meta = metaOf('claim', { path: paths.claim(), noindex: true })

export default needingScripts(ClaimPage)

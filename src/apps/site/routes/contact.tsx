import accountMessages from 'virtual:messages/account'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { ContactPage } from '#features/contact/screens/contact-page.tsx'
import { metaOf } from '../head.ts'

await needMessages(accountMessages)

export const meta = metaOf('contact', { path: paths.contact() })

export default ContactPage

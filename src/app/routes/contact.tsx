import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { ContactPage } from '#features/contact/screens/contact-page.tsx'
import { pageHead, shellOf } from '../head.ts'

await needMessages('account')

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'contact', { path: paths.contact() })

export default function ContactRoute(): ReactNode {
  return <ContactPage />
}

import demoMessages from 'virtual:messages/demo'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { browserCall, needMessages } from '#client/browser.ts'
import { mailboxApi } from '#features/emails/mailbox.api.ts'
import { paths } from '#client/paths.ts'
import { MailboxPage } from '#features/emails/screens/mailbox-page.tsx'
import { serverCall } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { loadFromMailbox } from '../load-mailbox.ts'
import { NotFoundPage } from '../not-found-page.tsx'

await needMessages(demoMessages)

export const loader = ({ context }: LoaderFunctionArgs) =>
  loadFromMailbox(mailboxApi(serverCall(context)).mailbox())
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  loadFromMailbox(mailboxApi(browserCall()).mailbox(request.signal))

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData }) =>
  pageHead(shellOf(matches), loaderData ? 'mailbox' : 'notFound', { path: paths.mailbox(), noindex: true })

export default function MailboxRoute(): ReactNode {
  const emails = useLoaderData<typeof loader>()
  return emails ? <MailboxPage emails={emails} /> : <NotFoundPage />
}

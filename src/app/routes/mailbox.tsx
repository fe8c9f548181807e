import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { browserApi, needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { MailboxPage } from '#features/emails/screens/mailbox-page.tsx'
import { serverApi } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { loadFromMailbox } from '../load-mailbox.ts'
import { NotFoundPage } from '../not-found-page.tsx'

await needMessages('demo')

export const loader = ({ context }: LoaderFunctionArgs) => loadFromMailbox(serverApi(context).mailbox())
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  loadFromMailbox(browserApi().mailbox(request.signal))

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData }) =>
  pageHead(shellOf(matches), loaderData ? 'mailbox' : 'notFound', { path: paths.mailbox(), noindex: true })

export default function MailboxRoute(): ReactNode {
  const emails = useLoaderData<typeof loader>()
  return emails ? <MailboxPage emails={emails} /> : <NotFoundPage />
}

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
import { EmailPage } from '#features/emails/screens/email-page.tsx'
import { serverCall } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { loadFromMailbox } from '../load-mailbox.ts'
import { NotFoundPage } from '../not-found-page.tsx'

await needMessages(demoMessages)

export const loader = ({ context, params }: LoaderFunctionArgs) =>
  loadFromMailbox(mailboxApi(serverCall(context)).mailboxEmail(params['id'] ?? ''))
export const clientLoader = ({ request, params }: ClientLoaderFunctionArgs) =>
  loadFromMailbox(mailboxApi(browserCall()).mailboxEmail(params['id'] ?? '', request.signal))

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData, params }) =>
  pageHead(shellOf(matches), loaderData ? 'mailbox' : 'notFound', {
    path: paths.mailbox(params['id']),
    noindex: true,
    ...(loaderData && { title: loaderData.subject }),
  })

export default function EmailRoute(): ReactNode {
  const email = useLoaderData<typeof loader>()
  return email ? <EmailPage email={email} /> : <NotFoundPage />
}

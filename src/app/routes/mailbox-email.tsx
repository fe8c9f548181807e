import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { browserApi, needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { EmailPage } from '#features/emails/screens/email-page.tsx'
import { serverApi } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { loadFromMailbox } from '../load-mailbox.ts'
import { NotFoundPage } from '../not-found-page.tsx'

await needMessages('demo')

export const loader = ({ context, params }: LoaderFunctionArgs) =>
  loadFromMailbox(serverApi(context).mailboxEmail(params['id'] ?? ''))
export const clientLoader = ({ request, params }: ClientLoaderFunctionArgs) =>
  loadFromMailbox(browserApi().mailboxEmail(params['id'] ?? '', request.signal))

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

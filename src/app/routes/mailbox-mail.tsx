import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { browserApi, needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { MailPage } from '#features/mails/screens/mail-page.tsx'
import { serverApi } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { loadFromMailbox } from '../load-mailbox.ts'
import { NotFoundPage } from '../not-found-page.tsx'

await needMessages('demo')

export const loader = ({ context, params }: LoaderFunctionArgs) =>
  loadFromMailbox(serverApi(context).mailboxMail(params['id'] ?? ''))
export const clientLoader = ({ request, params }: ClientLoaderFunctionArgs) =>
  loadFromMailbox(browserApi().mailboxMail(params['id'] ?? '', request.signal))

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData, params }) =>
  pageHead(shellOf(matches), loaderData ? 'mailbox' : 'notFound', {
    path: paths.mailbox(params['id']),
    noindex: true,
    ...(loaderData && { title: loaderData.subject }),
  })

export default function MailRoute(): ReactNode {
  const mail = useLoaderData<typeof loader>()
  return mail ? <MailPage mail={mail} /> : <NotFoundPage />
}

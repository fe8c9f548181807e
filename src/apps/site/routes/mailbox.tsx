import demoMessages from 'virtual:messages/demo'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import type { ApiCall } from '#client/api-call.ts'
import { browserCall, needMessages } from '#client/browser.ts'
import type { MailboxFilters } from '#features/emails/emails.contract.ts'
import { mailboxApi } from '#features/emails/mailbox.api.ts'
import { paths } from '#client/paths.ts'
import { MailboxPage } from '#features/emails/screens/mailbox-page.tsx'
import { serverCall } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { loadFromMailbox } from '../load-mailbox.ts'
import { NotFoundPage } from '../not-found-page.tsx'

await needMessages(demoMessages)

/** Its filters are in the address, so that they work without scripts. */
function filtersOf({ url }: Request): MailboxFilters {
  const { searchParams } = new URL(url)
  return { topic: searchParams.get('topic') ?? '', q: searchParams.get('q') ?? '' }
}

const load = (call: ApiCall, request: Request) => {
  const filters = filtersOf(request)
  return loadFromMailbox(
    mailboxApi(call)
      .mailbox(filters, request.signal)
      .then((emails) => ({ emails, filters })),
  )
}

export const loader = ({ context, request }: LoaderFunctionArgs) => load(serverCall(context), request)
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) => load(browserCall(), request)

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData }) =>
  pageHead(shellOf(matches), loaderData ? 'mailbox' : 'notFound', { path: paths.mailbox(), noindex: true })

export default function MailboxRoute(): ReactNode {
  const loaded = useLoaderData<typeof loader>()
  return loaded ? <MailboxPage {...loaded} /> : <NotFoundPage />
}

import unsubscribeMessages from 'virtual:messages/unsubscribe'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  data,
  useLoaderData,
} from 'react-router'
import type { ApiCall } from '#client/api-call.ts'
import { ApiError } from '#client/api-error.ts'
import { browserCall, needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import type { Unsubscribing } from '#features/favourites/favourites.contract.ts'
import { UnsubscribeInvalid, UnsubscribePage } from '#features/favourites/screens/unsubscribe-page.tsx'
import { unsubscribeApi } from '#features/favourites/unsubscribe.api.ts'
import { translatorOf } from '#i18n/active-messages.ts'
import { serverCall } from '../context.ts'
import { pageMeta, shellOf } from '../head.ts'

await needMessages(unsubscribeMessages)

/** What the link of an address is for; null with status 404 for one that the shop did not make. */
async function load(call: ApiCall, address: string, signal?: AbortSignal) {
  const token = new URL(address).searchParams.get('token') ?? ''
  try {
    const link = await unsubscribeApi(call).read(token, signal)
    return data<{ link: Unsubscribing; token: string } | null>({ link, token })
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500)
      return data<{ link: Unsubscribing; token: string } | null>(null, { status: 404 })
    throw error
  }
}

export const loader = ({ context, request }: LoaderFunctionArgs) => load(serverCall(context), request.url)
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  load(browserCall(), request.url, request.signal)

export const meta: MetaFunction = ({ matches }) => {
  const shell = shellOf(matches)
  const t = translatorOf(shell.language)
  return pageMeta(shell, {
    title: t('unsubscribe.page'),
    description: t('unsubscribe.description'),
    path: paths.unsubscribe(),
    noindex: true,
  })
}

export default function UnsubscribeRoute(): ReactNode {
  const found = useLoaderData<typeof loader>()
  return found ? <UnsubscribePage key={found.token} {...found} /> : <UnsubscribeInvalid />
}

import drawsMessages from 'virtual:messages/draws'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { ApiError } from '#client/api-error.ts'
import type { ApiCall } from '#client/api-call.ts'
import { browserCall, needMessages } from '#client/browser.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import { paths } from '#client/paths.ts'
import { DrawsPage, type LoadedDraws } from '#features/draws/screens/draws-page.tsx'
import { translatorOf } from '#i18n/active-messages.ts'
import { serverCall } from '../context.ts'
import { pageMeta, shellOf } from '../head.ts'

await needMessages(drawsMessages)

/** A failure becomes a message instead of an error page. */
async function load(call: ApiCall, { url, signal }: Request): Promise<LoadedDraws> {
  const after = new URL(url).searchParams.get('after')
  const query = after === null ? '' : `?after=${encodeURIComponent(after)}`
  try {
    return { page: await drawsApi(call).draws(query, signal), query }
  } catch (error) {
    if (error instanceof ApiError) return { page: { items: [], next: null }, query, error: error.message }
    throw error
  }
}

export const loader = ({ context, request }: LoaderFunctionArgs) => load(serverCall(context), request)
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) => load(browserCall(), request)

export const meta: MetaFunction<typeof loader> = ({ matches }) => {
  const shell = shellOf(matches)
  const t = translatorOf(shell.language)
  return pageMeta(shell, {
    title: t('draws.title'),
    description: t('draws.description'),
    path: paths.draws(),
  })
}

export default function DrawsRoute(): ReactNode {
  const loaded = useLoaderData<typeof loader>()
  return <DrawsPage key={loaded.query} {...loaded} />
}

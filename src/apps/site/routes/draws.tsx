import drawsMessages from 'virtual:messages/draws'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { browserCall, needMessages } from '#client/browser.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import { paths } from '#client/paths.ts'
import { DrawsPage } from '#features/draws/screens/draws-page.tsx'
import { translatorOf } from '#i18n/active-messages.ts'
import { serverCall } from '../context.ts'
import { pageMeta, shellOf } from '../head.ts'
import { loadList } from '../load-list.ts'

await needMessages(drawsMessages)

export const loader = ({ context, request }: LoaderFunctionArgs) =>
  loadList(drawsApi(serverCall(context)).draws, request)
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  loadList(drawsApi(browserCall()).draws, request)

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

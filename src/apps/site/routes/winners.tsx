import winnersMessages from 'virtual:messages/winners'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import type { ItemList } from 'schema-dts'
import { browserCall, needMessages } from '#client/browser.ts'
import { absolute, canonicalPath, paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import { WinnersPage } from '#features/draws/screens/winners-page.tsx'
import type { WinnerPage } from '#features/draws/winners.contract.ts'
import { translatorOf } from '#i18n/active-messages.ts'
import { localized } from '#shared/localized-text.ts'
import { serverCall } from '../context.ts'
import { pageMeta, shellOf } from '../head.ts'
import { loadList } from '../load-list.ts'

await needMessages(winnersMessages)

export const loader = ({ context, request }: LoaderFunctionArgs) =>
  loadList(drawsApi(serverCall(context)).winners, request)
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  loadList(drawsApi(browserCall()).winners, request)

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData }) => {
  const shell = shellOf(matches)
  const t = translatorOf(shell.language)
  return pageMeta(shell, {
    title: t('winners.title'),
    description: t('winners.description'),
    path: paths.winners(),
    ...(import.meta.env.SSR && loaderData && { jsonLd: () => [drawnData(shell, loaderData.page)] }),
  })
}

/** The public pages of the draws, in the order of the page. */
const drawnData = ({ settings, language }: Shell, { items }: WinnerPage): ItemList => ({
  '@type': 'ItemList',
  itemListElement: items.map(({ contest }, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name: localized(contest, 'title', language).text,
    url: absolute(settings.publicUrl, canonicalPath(paths.draw(contest.slug), language)),
  })),
})

export default function WinnersRoute(): ReactNode {
  return <WinnersPage {...useLoaderData<typeof loader>()} />
}

import drawsMessages from 'virtual:messages/draws'
import type { ReactNode } from 'react'
import { type MetaFunction, useLoaderData } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { DrawNotFound } from '#features/draws/screens/draw-not-found.tsx'
import { LivePage } from '#features/draws/screens/live-page.tsx'
import { translatorOf } from '#i18n/active-messages.ts'
import { localized } from '#shared/localized-text.ts'
import { pageMeta, shellOf } from '../head.ts'
import { loadDraw, loadDrawInBrowser } from '../load-draw.ts'

await needMessages(drawsMessages)

export const loader = loadDraw
export const clientLoader = loadDrawInBrowser

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData, params }) => {
  const shell = shellOf(matches)
  const t = translatorOf(shell.language)
  const title = loaderData ? localized(loaderData.contest, 'title', shell.language).text : t('draws.notFound')
  const isRehearsal = Boolean(loaderData?.rehearsal)
  return pageMeta(shell, {
    title: t(isRehearsal ? 'draws.rehearsal.title' : 'draws.liveTitle', { title }),
    description: t('draws.liveDescription', { title }),
    path: paths.liveDraw(params['slug'] ?? ''),
    noindex: true,
    isBare: isRehearsal,
  })
}

export default function DrawLiveRoute(): ReactNode {
  const draw = useLoaderData<typeof loader>()
  return draw ? <LivePage key={draw.contest.id} draw={draw} /> : <DrawNotFound />
}

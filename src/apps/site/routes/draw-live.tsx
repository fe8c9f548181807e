import drawsMessages from 'virtual:messages/draws'
import liveDrawMessages from 'virtual:messages/liveDraw'
import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type MetaFunction, useLoaderData, useLocation } from 'react-router'
import { needMessages, pageLanguage } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { liveOptions } from '#features/draws/live.rules.ts'
import { DrawNotFound } from '#features/draws/screens/draw-not-found.tsx'
import { LivePage } from '#features/draws/screens/live-page.tsx'
import { loadMessages, translatorOf } from '#i18n/active-messages.ts'
import { useLanguage } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { pageMeta, shellOf } from '../head.ts'
import { loadDraw, loadDrawInBrowser } from '../load-draw.ts'

await needMessages(drawsMessages, liveDrawMessages)

/** Both languages of the page, before anything of it is rendered; the server has all. */
async function needSecond(search: string): Promise<void> {
  const { second } = liveOptions(search, pageLanguage())
  if (second)
    await Promise.all([drawsMessages, liveDrawMessages].map((catalogue) => loadMessages(second, catalogue)))
}

// The document's own; another address of the page comes by the loader.
if (typeof window !== 'undefined') await needSecond(window.location.search)

export const loader = loadDraw
export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const [loaded] = await Promise.all([loadDrawInBrowser(args), needSecond(new URL(args.request.url).search)])
  return loaded
}

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
  const options = liveOptions(useLocation().search, useLanguage())
  return draw ? <LivePage key={draw.contest.id} draw={draw} options={options} /> : <DrawNotFound />
}

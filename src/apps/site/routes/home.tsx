import homeMessages from 'virtual:messages/home'
import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, useLoaderData } from 'react-router'
import type { ApiCall } from '#client/api-call.ts'
import { browserCall, needMessages } from '#client/browser.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import { paths } from '#client/paths.ts'
import { firstOpen } from '#features/home/screens/open-contests.tsx'
import { HomePage } from '#features/home/screens/home-page.tsx'
import { serverCall, shellContext } from '../context.ts'
import { metaOf } from '../head.ts'
import { type LoadedOffers, asRendered, loadOffers } from '../load-offers.ts'

await needMessages(homeMessages)

interface HomeData extends LoadedOffers {
  /** Slug of the contest that is drawn next, or was drawn last. */
  draw: string | undefined
}

/** A failure hides a link, no more. */
const nearestDraw = (call: ApiCall, signal?: AbortSignal): Promise<string | undefined> =>
  drawsApi(call)
    .draws('?limit=1', signal)
    .then(
      ({ items: [draw] }) => (draw?.state === 'cancelled' ? undefined : draw?.contest.slug),
      () => undefined,
    )

export const loader = async ({ context }: LoaderFunctionArgs): Promise<HomeData> => {
  const [loaded, draw] = await Promise.all([
    loadOffers(serverCall(context)),
    nearestDraw(serverCall(context)),
  ])
  const { offers, ...rest } = asRendered(context.get(shellContext), loaded)
  return { ...rest, offers: firstOpen(offers), draw }
}

export const clientLoader = async ({ request: { signal } }: { request: Request }): Promise<HomeData> => {
  const [loaded, draw] = await Promise.all([
    loadOffers(browserCall(), signal),
    nearestDraw(browserCall(), signal),
  ])
  return { ...loaded, draw }
}

export const meta = metaOf('home', { path: paths.home(), isHome: true })

export default function Home(): ReactNode {
  return <HomePage {...useLoaderData<typeof loader>()} />
}

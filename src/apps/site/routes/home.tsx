import homeMessages from 'virtual:messages/home'
import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, useLoaderData } from 'react-router'
import type { ApiCall } from '#client/api-call.ts'
import { browserCall, needMessages } from '#client/browser.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import { paths } from '#client/paths.ts'
import type { Winner } from '#features/draws/winners.contract.ts'
import { firstOpen } from '#features/home/featured.rules.ts'
import { belowIsHere } from '#features/home/screens/late-below.tsx'
import { HomePage } from '#features/home/screens/home-page.tsx'
import { lastCheckApi } from '#features/system/last-check.api.ts'
import type { LastCheck } from '#features/system/last-check.contract.ts'
import { serverCall, shellContext } from '../context.ts'
import { metaOf } from '../head.ts'
import { type LoadedOffers, asRendered, loadOffers } from '../load-offers.ts'

await needMessages(homeMessages)

interface HomeData extends LoadedOffers {
  /** Slug of the contest that is drawn next, or was drawn last. */
  draw: string | undefined
  winners: readonly Winner[]
  check: LastCheck['last']
}

const WINNERS = 3

/** What is known beside the offers. A failure hides what would tell of it, no more. */
async function beside(call: ApiCall, signal?: AbortSignal): Promise<Omit<HomeData, keyof LoadedOffers>> {
  const draws = drawsApi(call)
  const [next, won, checked] = await Promise.allSettled([
    draws.draws('?limit=1', signal),
    draws.winners(`?limit=${WINNERS}`, signal),
    lastCheckApi(call).lastCheck(signal),
  ])
  const draw = next.status === 'fulfilled' ? next.value.items[0] : undefined
  return {
    draw: draw?.state === 'cancelled' ? undefined : draw?.contest.slug,
    winners: won.status === 'fulfilled' ? won.value.items : [],
    check: checked.status === 'fulfilled' ? checked.value.last : null,
  }
}

export const loader = async ({ context }: LoaderFunctionArgs): Promise<HomeData> => {
  const call = serverCall(context)
  const [loaded, others] = await Promise.all([loadOffers(call), beside(call)])
  const { offers, ...rest } = asRendered(context.get(shellContext), loaded)
  return { ...rest, ...others, offers: firstOpen(offers) }
}

export const clientLoader = async ({ request: { signal } }: { request: Request }): Promise<HomeData> => {
  const [loaded, others] = await Promise.all([
    loadOffers(browserCall(), signal),
    beside(browserCall(), signal),
    belowIsHere(),
  ])
  return { ...loaded, ...others }
}

export const meta = metaOf('home', { path: paths.home(), isHome: true })

export default function Home(): ReactNode {
  return <HomePage {...useLoaderData<typeof loader>()} />
}

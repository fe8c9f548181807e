import contestMessages from 'virtual:messages/contest'
import drawsMessages from 'virtual:messages/draws'
import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type MetaFunction, useLoaderData } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { DrawNotFound } from '#features/draws/screens/draw-not-found.tsx'
import { DrawPage } from '#features/draws/screens/draw-page.tsx'
import type { PublicDraw } from '#features/draws/public-draws.contract.ts'
import { comingOr, isComing } from '#features/offers/screens/first-look.ts'
import { ComingPage } from '#features/offers/screens/offer-skeleton.tsx'
import { shellOf } from '../head.ts'
import { loadDraw, loadDrawInBrowser } from '../load-draw.ts'
import { comingHead, drawHead } from '../offer-head.ts'

await needMessages(drawsMessages, contestMessages)

export const loader = loadDraw
export const clientLoader = async (args: ClientLoaderFunctionArgs) =>
  await comingOr(
    args.params['slug'],
    loadDrawInBrowser(args).then(({ data }) => data),
  )

export const meta: MetaFunction<typeof clientLoader> = ({ matches, loaderData = null, params }) =>
  isComing(loaderData)
    ? comingHead(shellOf(matches), loaderData.look)
    : drawHead(shellOf(matches), loaderData, params['slug'] ?? '')

export default function DrawRoute(): ReactNode {
  const loaded = useLoaderData<typeof clientLoader>()
  return isComing(loaded) ? <ComingPage coming={loaded}>{pageOf}</ComingPage> : pageOf(loaded)
}

const pageOf = (draw: PublicDraw | null): ReactNode =>
  draw ? <DrawPage key={draw.contest.id} draw={draw} /> : <DrawNotFound />

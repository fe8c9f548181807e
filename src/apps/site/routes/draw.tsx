import contestMessages from 'virtual:messages/contest'
import drawsMessages from 'virtual:messages/draws'
import type { ReactNode } from 'react'
import { type MetaFunction, useLoaderData } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { DrawNotFound } from '#features/draws/screens/draw-not-found.tsx'
import { DrawPage } from '#features/draws/screens/draw-page.tsx'
import { shellOf } from '../head.ts'
import { loadDraw, loadDrawInBrowser } from '../load-draw.ts'
import { drawHead } from '../offer-head.ts'

await needMessages(drawsMessages, contestMessages)

export const loader = loadDraw
export const clientLoader = loadDrawInBrowser

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData, params }) =>
  drawHead(shellOf(matches), loaderData ?? null, params['slug'] ?? '')

export default function DrawRoute(): ReactNode {
  const draw = useLoaderData<typeof loader>()
  return draw ? <DrawPage key={draw.contest.id} draw={draw} /> : <DrawNotFound />
}

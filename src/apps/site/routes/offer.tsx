import { drawsApi } from '#features/draws/draws.api.ts'
import { drawInstant, lastAttempt, winnerOf } from '#features/draws/public-draws.rules.ts'
import { offersApi } from '#features/offers/offers.api.ts'
import contestMessages from 'virtual:messages/contest'
import shopMessages from 'virtual:messages/shop'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
  useRouteLoaderData,
} from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { browserCall, browserSession, needMessages, pageLanguage } from '#client/browser.ts'
import { requireSession } from '#client/guard.ts'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { loadMessages } from '#i18n/active-messages.ts'
import {
  OfferChanges,
  type OfferDrawFacts,
  OfferError,
  OfferNotFound,
  OfferPage,
} from '#features/offers/screens/offer-page.tsx'
import { type Coming, comingOr, isComing } from '#features/offers/screens/first-look.ts'
import { ComingPage, OfferSkeleton } from '#features/offers/screens/offer-skeleton.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'
import { comingHead, offerHead } from '../offer-head.ts'

await needMessages(contestMessages)

/** Requested while React hydrates, because on a phone both take equally long. */
let ahead = import.meta.env.SSR ? undefined : requestAhead(window.location.pathname).catch(() => undefined)

async function requestAhead(
  pathname: string,
): Promise<{ slug: string; response: Promise<OfferDetail> } | undefined> {
  const [, slug] = /^\/offers\/([^/]+)$/.exec(pathname) ?? []
  if (slug === undefined) return undefined
  await loadMessages(pageLanguage(), shopMessages)
  if (!(await browserSession().ensure())) return undefined
  const response = offersApi(browserCall()).offer(decodeURIComponent(slug))
  // `takeAhead` handles the failure, if it is called.
  response.catch(() => undefined)
  return { slug: decodeURIComponent(slug), response }
}

async function takeAhead(slug: string): Promise<OfferDetail | undefined> {
  const asked = await ahead
  ahead = undefined
  return asked?.slug === slug ? await asked.response : undefined
}

/** What the public page has of its draw. Without it the contest can be bought just as well. */
async function drawOf(slug: string, signal: AbortSignal): Promise<OfferDrawFacts | undefined> {
  try {
    const draw = await drawsApi(browserCall()).draw(slug, '', signal)
    const number = winnerOf(draw)
    const winner = lastAttempt(draw)?.drawn?.winner ?? null
    return { at: drawInstant(draw), outcome: number === undefined ? undefined : { number, winner } }
  } catch {
    return undefined
  }
}

type Loaded = { offer: OfferDetail; draw: OfferDrawFacts | undefined } | { missing: true } | { error: string }

/** The contest as a signed-in visitor sees it (spec section 2, "Offer detail"). */
export async function clientLoader({
  request,
  params,
}: ClientLoaderFunctionArgs): Promise<Loaded | Coming<Loaded>> {
  await requireSession(request)
  const { slug = '' } = params
  return await comingOr(slug, load(slug, request.signal))
}
clientLoader.hydrate = true as const

async function load(slug: string, signal: AbortSignal): Promise<Loaded> {
  const draw = drawOf(slug, signal)
  try {
    const offer = (await takeAhead(slug)) ?? (await offersApi(browserCall()).offer(slug, signal))
    return { offer, draw: await draw }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.status === 404 ? { missing: true } : { error: error.message }
  }
}

export function HydrateFallback(): ReactNode {
  const known = useRouteLoaderData<OfferDetail | null>('routes/offer-head')
  return (
    <>
      <NeedsScripts>
        <OfferSkeleton picture={known ? shownPictures(known)[0] : undefined} />
      </NeedsScripts>
      {known && (
        <div className="page-width pb-6">
          <OfferChanges offer={known} />
        </div>
      )}
    </>
  )
}

export const meta: MetaFunction<typeof clientLoader> = ({ matches, loaderData, params }) => {
  if (isComing(loaderData)) return comingHead(shellOf(matches), loaderData.look)
  const own = loaderData && 'offer' in loaderData ? loaderData.offer : undefined
  const rendered = matches.find((match) => match?.id === 'routes/offer-head')
    ?.loaderData as OfferDetail | null
  return offerHead(shellOf(matches), own ?? rendered ?? null, params['slug'] ?? '')
}

export default function OfferRoute(): ReactNode {
  const loaded = useLoaderData<typeof clientLoader>()
  return isComing(loaded) ? <ComingPage coming={loaded}>{pageOf}</ComingPage> : pageOf(loaded)
}

function pageOf(loaded: Loaded): ReactNode {
  if ('offer' in loaded) return <OfferPage key={loaded.offer.id} {...loaded} />
  return 'missing' in loaded ? <OfferNotFound /> : <OfferError message={loaded.error} />
}

import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type MetaFunction, useLoaderData } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { browserApi } from '#client/browser.ts'
import { requireSession } from '#client/guard.ts'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { OfferError, OfferNotFound, OfferPage, OfferSkeleton } from '#features/offers/screens/offer-page.tsx'
import { shellOf } from '../head.ts'
import { offerHead } from '../offer-head.ts'

type Loaded = { offer: OfferDetail } | { missing: true } | { error: string }

/** The contest as a signed-in visitor sees it (spec section 2, "Offer detail"). */
export async function clientLoader({ request, params }: ClientLoaderFunctionArgs): Promise<Loaded> {
  await requireSession(request)
  try {
    return { offer: await browserApi().offer(params['slug'] ?? '', request.signal) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.status === 404 ? { missing: true } : { error: error.message }
  }
}
clientLoader.hydrate = true as const

export function HydrateFallback(): ReactNode {
  return <OfferSkeleton />
}

export const meta: MetaFunction<typeof clientLoader> = ({ matches, loaderData, params }) => {
  const own = loaderData && 'offer' in loaderData ? loaderData.offer : undefined
  const rendered = matches.find((match) => match?.id === 'routes/offer-head')
    ?.loaderData as OfferDetail | null
  return offerHead(shellOf(matches), own ?? rendered ?? null, params['slug'] ?? '')
}

export default function OfferRoute(): ReactNode {
  const loaded = useLoaderData<typeof clientLoader>()
  if ('offer' in loaded) return <OfferPage key={loaded.offer.id} offer={loaded.offer} />
  return 'missing' in loaded ? <OfferNotFound /> : <OfferError message={loaded.error} />
}

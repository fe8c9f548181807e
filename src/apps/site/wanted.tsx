import { type ReactNode, Suspense, use, useEffect } from 'react'
import { type ClientLoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import type { ApiCall } from '#client/api-call.ts'
import { browserCall } from '#client/browser.ts'
import { safeNext } from '#client/paths.ts'
import { WantedContest, WantedSkeleton } from '#features/accounts/screens/wanted-contest.tsx'
import { offersApi } from '#features/offers/offers.api.ts'
import type { ListedOffer, OfferDetail } from '#features/offers/offers.contract.ts'

/** Of a page of a contest: the one for customers, the public one and those below it. */
const OF_CONTEST = /^\/(?:offers|draws)\/([^/?#]+)/

/** The contest to which an address of this shop leads; undefined for every other. */
export function wantedSlug(next: string | null): string | undefined {
  const [, slug] = OF_CONTEST.exec(safeNext(next, '')) ?? []
  try {
    return slug === undefined ? undefined : decodeURIComponent(slug)
  } catch {
    return undefined
  }
}

export const slugOf = (address: string): string | undefined =>
  wantedSlug(new URL(address).searchParams.get('next'))

/** A contest that cannot be loaded hides a picture, no more. */
export const loadContest = async (
  call: ApiCall,
  slug: string | undefined,
  signal?: AbortSignal,
): Promise<OfferDetail | null> => {
  if (slug === undefined) return null
  return await offersApi(call)
    .offer(slug, signal)
    .catch(() => null)
}

export interface Wanted {
  wanted: ListedOffer | null | Promise<ListedOffer | null>
}

/** What the former page showed: on the way from one to the other it stays. */
let shown: ListedOffer | undefined

/** The `clientLoader` of login and registration. */
export function loadWantedInBrowser({ request }: ClientLoaderFunctionArgs): Wanted {
  const slug = slugOf(request.url)
  if (shown !== undefined && shown.slug === slug) return { wanted: shown }
  return { wanted: slug === undefined ? null : loadContest(browserCall(), slug, request.signal) }
}

/** @returns what the page shows of the contest that led to it; null without one */
export function useWanted(): ReactNode {
  const { wanted } = useLoaderData() as Wanted
  const isLeading = wantedSlug(useSearchParams()[0].get('next')) !== undefined
  if (!wanted || !isLeading) return null
  return (
    <Suspense fallback={<WantedSkeleton />}>
      <Shown wanted={wanted} />
    </Suspense>
  )
}

function Shown({ wanted }: { wanted: ListedOffer | Promise<ListedOffer | null> }): ReactNode {
  const offer = 'then' in wanted ? use(wanted) : wanted
  useEffect(() => {
    shown = offer ?? undefined
  }, [offer])
  return offer && <WantedContest offer={offer} />
}

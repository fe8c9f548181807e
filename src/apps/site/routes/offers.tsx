import { type ReactNode, Suspense, use, useEffect } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
  useNavigationType,
} from 'react-router'
import { browserCall } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { OffersPage, OffersSkeleton } from '#features/offers/screens/offers-page.tsx'
import { serverCall, shellContext } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { type LoadedOffers, asRendered, loadOffers, wholeOffers } from '../load-offers.ts'
import { offerListData } from '../offer-head.ts'

/** In the browser a promise, so that the page can show that it loads. */
interface OffersData {
  loaded: LoadedOffers | Promise<LoadedOffers>
}

export const loader = async ({ context }: LoaderFunctionArgs): Promise<OffersData> => ({
  loaded: asRendered(context.get(shellContext), await loadOffers(serverCall(context))),
})

export const clientLoader = ({ request }: ClientLoaderFunctionArgs): OffersData => ({
  loaded: loadOffers(browserCall(), request.signal),
})

/** Another order of the same list needs no new one. */
export const shouldRevalidate = ({
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) =>
  defaultShouldRevalidate &&
  (currentUrl.pathname !== nextUrl.pathname || currentUrl.search === nextUrl.search)

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData }) => {
  const shell = shellOf(matches)
  const { loaded } = (loaderData ?? {}) as Partial<OffersData>
  const offers = loaded && 'offers' in loaded ? loaded.offers : []
  return pageHead(shell, 'offers', {
    path: paths.offers(),
    ...(import.meta.env.SSR && { jsonLd: () => [offerListData(shell, wholeOffers(offers))] }),
  })
}

let lastShown: LoadedOffers | undefined

export default function OffersRoute(): ReactNode {
  const { loaded } = useLoaderData() as OffersData
  const isReturn = useNavigationType() === 'POP'
  if ('offers' in loaded) return <Shown {...loaded} />
  // Going back shows the former list until the new one arrives, so that the scroll position stays (U12).
  const meanwhile = isReturn && lastShown ? <OffersPage {...lastShown} /> : <OffersSkeleton />
  return (
    <Suspense fallback={meanwhile}>
      <Awaited loaded={loaded} />
    </Suspense>
  )
}

const Awaited = ({ loaded }: { loaded: Promise<LoadedOffers> }): ReactNode => <Shown {...use(loaded)} />

function Shown(loaded: LoadedOffers): ReactNode {
  useEffect(() => {
    lastShown = loaded
  })
  return <OffersPage {...loaded} />
}

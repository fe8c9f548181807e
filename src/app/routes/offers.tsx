import { type ReactNode, Suspense } from 'react'
import {
  Await,
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { browserApi } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { OffersPage, OffersSkeleton } from '#features/offers/screens/offers-page.tsx'
import { serverApi } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { type LoadedOffers, loadOffers } from '../load-offers.ts'
import { offerListData } from '../structured-data.ts'

/** The list itself in the server's page; in the browser a promise, so that the page shows that it loads. */
interface OffersData {
  loaded: LoadedOffers | Promise<LoadedOffers>
}

export const loader = async ({ context }: LoaderFunctionArgs): Promise<OffersData> => ({
  loaded: await loadOffers(serverApi(context)),
})

export const clientLoader = ({ request }: ClientLoaderFunctionArgs): OffersData => ({
  loaded: loadOffers(browserApi(), request.signal),
})

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData }) => {
  const shell = shellOf(matches)
  const { loaded } = (loaderData ?? {}) as Partial<OffersData>
  const offers = loaded && 'offers' in loaded ? loaded.offers : []
  return pageHead(shell, 'offers', { path: paths.offers(), jsonLd: [offerListData(shell, offers)] })
}

export default function OffersRoute(): ReactNode {
  const { loaded } = useLoaderData() as OffersData
  if ('offers' in loaded) return <OffersPage {...loaded} />
  return (
    <Suspense fallback={<OffersSkeleton />}>
      <Await resolve={loaded}>{(offers) => <OffersPage {...offers} />}</Await>
    </Suspense>
  )
}

import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, type MetaFunction, data, useLoaderData } from 'react-router'
import { browserCall } from '#client/browser.ts'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import { OfferCard } from '#features/offers/screens/offer-card.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { serverCall, shellContext } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { asRendered, loadOffers } from '../load-offers.ts'
import { NotFoundPage } from '../not-found-page.tsx'

const SHOWN = 3

const running = (offers: readonly ListedOffer[]): ListedOffer[] =>
  offers.filter((offer) => whyNotBuyable(offer) === undefined).slice(0, SHOWN)

/** Any other path (spec section 2), with contests that the list has in memory; without a list the page is whole. */
export const loader = async ({ context }: LoaderFunctionArgs) => {
  const { offers } = asRendered(context.get(shellContext), await loadOffers(serverCall(context)))
  return data({ offers: running(offers) }, { status: 404 })
}
export const clientLoader = async ({ request }: { request: Request }) => ({
  offers: running((await loadOffers(browserCall(), request.signal)).offers),
})

export const meta: MetaFunction = ({ matches, location }) =>
  pageHead(shellOf(matches), 'notFound', { path: location.pathname, noindex: true })

export default function NotFound(): ReactNode {
  const { offers } = useLoaderData() as { offers: readonly ListedOffer[] }
  return (
    <NotFoundPage>
      <Contests offers={offers} />
    </NotFoundPage>
  )
}

function Contests({ offers }: { offers: readonly ListedOffer[] }): ReactNode {
  const t = useTranslations('offers')
  if (offers.length === 0) return null
  return (
    <section aria-labelledby="contests" className="@container grid grid-cols-1 gap-5">
      <h2 id="contests" className="text-title">
        {t('title')}
      </h2>
      <ul className="grid grid-cols-1 gap-5 lg:grid-cols-3">
        {offers.map((offer) => (
          <li key={offer.id} className="min-w-0 @md:row-span-4 @md:grid @md:grid-rows-subgrid @md:gap-y-0">
            <OfferCard offer={offer} />
          </li>
        ))}
      </ul>
    </section>
  )
}

import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'

const SHOWN = 4

/** The contests that the home page shows: of those that can be bought, the ones that end next. */
export const firstOpen = (offers: readonly ListedOffer[]): ListedOffer[] =>
  offers.filter((offer) => whyNotBuyable(offer) === undefined).slice(0, SHOWN)

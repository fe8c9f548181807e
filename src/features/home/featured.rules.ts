import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import { type Cents, parseEur } from '#shared/money.ts'

/** Contests on the home page: one in front, and the others in a row. */
const SHOWN = 5

/** The open contests that end next. @param offers by their ends */
export const firstOpen = <Shown extends ListedOffer>(offers: readonly Shown[]): Shown[] =>
  offers.filter((offer) => whyNotBuyable(offer) === undefined).slice(0, SHOWN)

const valueOf = ({ prize }: ListedOffer): Cents => parseEur(prize.value ?? '0.00')

/**
 * The contest in front: of the open ones that end next, that with the most valuable prize, and of equal ones the first.
 * Nobody chooses it, so it is never one that has to be pushed.
 */
export const featuredOf = <Shown extends ListedOffer>(open: readonly Shown[]): Shown | undefined =>
  open.reduce<Shown | undefined>(
    (best, offer) => (best !== undefined && valueOf(best) >= valueOf(offer) ? best : offer),
    undefined,
  )

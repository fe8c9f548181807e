/** How the list of contests is arranged: what the address of the page asks for, kept in it as `?sort=…&price=…`. */
import { type Cents, cents, parseEur } from '#shared/money.ts'
import type { ListedOffer } from './offers.contract.ts'
import { whyNotBuyable } from './offers.rules.ts'

/** The first one needs no parameter. */
export const SORTS = ['ends', 'price', 'value', 'new'] as const
export type Sort = (typeof SORTS)[number]

/** Ticket prices before the choice of a country, each band above the one before and up to its own limit. */
const BANDS = [
  { name: 'low', least: 0, most: 200 },
  { name: 'middle', least: 200, most: 500 },
  { name: 'high', least: 500, most: Infinity },
] as const
type Band = (typeof BANDS)[number]
export type BandName = Band['name']

export interface ListQuery {
  sort: Sort
  /** Undefined: every price. */
  price: BandName | undefined
}

/** What a query string asks for; the defaults in place of what is unknown. */
export function readListQuery(search: string): ListQuery {
  const query = new URLSearchParams(search)
  return {
    sort: SORTS.find((one) => one === query.get('sort')) ?? SORTS[0],
    price: BANDS.find(({ name }) => name === query.get('price'))?.name,
  }
}

/** The parameters of an arrangement, without those that say what is shown anyway. */
export const writeListQuery = ({ sort, price }: ListQuery): { sort?: Sort; price?: BandName } => ({
  ...(sort !== SORTS[0] && { sort }),
  ...(price !== undefined && { price }),
})

/** A band that open contests are in. */
export interface ShownBand {
  name: BandName
  least: Cents
  /** Undefined: no limit. */
  most: Cents | undefined
  count: number
}

interface Arranged<Listed> {
  /** Those that can be bought, as the query asks. */
  open: Listed[]
  /** Sold out, ended or stopped: in the order of the server, whatever is sorted. */
  over: Listed[]
  /** Open contests at any price. */
  total: number
  /** Empty where every open contest is in the same one: nothing to choose. */
  bands: ShownBand[]
}

const priceOf = ({ ticket_price }: Pick<ListedOffer, 'ticket_price'>): number => parseEur(ticket_price)
const valueOf = ({ prize }: Pick<ListedOffer, 'prize'>): number =>
  prize.value === null ? -1 : parseEur(prize.value)

const publishedAt = ({ published_at: at }: Pick<ListedOffer, 'published_at'>): number =>
  at === null ? 0 : Date.parse(at)

const ORDERS: Record<Sort, (one: ListedOffer, other: ListedOffer) => number> = {
  ends: (one, other) => Date.parse(one.end_date) - Date.parse(other.end_date),
  price: (one, other) => priceOf(one) - priceOf(other),
  value: (one, other) => valueOf(other) - valueOf(one),
  new: (one, other) => publishedAt(other) - publishedAt(one),
}

const isIn = (offer: ListedOffer, { least, most }: Band): boolean => {
  const price = priceOf(offer)
  return (price > least || least === 0) && price <= most
}

/** The list as somebody asked for it. Equal contests stay in the order of the server. */
export function arrange<Listed extends ListedOffer>(
  offers: readonly Listed[],
  { sort, price }: ListQuery,
): Arranged<Listed> {
  const isOpen = (offer: Listed): boolean => whyNotBuyable(offer) === undefined
  const wanted = BANDS.find(({ name }) => name === price)
  const shown = wanted ? offers.filter((offer) => isIn(offer, wanted)) : offers
  const open = offers.filter(isOpen)
  const bands = BANDS.map((band) => ({
    name: band.name,
    least: cents(band.least),
    most: band.most === Infinity ? undefined : cents(band.most),
    count: open.filter((offer) => isIn(offer, band)).length,
  })).filter(({ count }) => count > 0)
  return {
    open: shown.filter(isOpen).toSorted(ORDERS[sort]),
    over: shown.filter((offer) => !isOpen(offer)),
    total: open.length,
    bands: bands.length > 1 ? bands : [],
  }
}

import type { Database, Trx } from '#platform/database.ts'
import type { Ledger, Limit } from '#platform/limits/limiter.ts'
import type { Outcome, RunOptions } from '#platform/batcher.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { type KeyInUse, responsesWithin, keyUnderWay } from '#platform/http/idempotency.ts'
import {
  type OfferRow,
  anyLocked,
  offersRepository,
  overPersonLimit,
  toOffer,
  whyNotAvailable,
} from '#features/offers/server/index.ts'
import { type ActiveAccount, activeAccounts, exclusionRefusal } from '#features/accounts/server/index.ts'
import { Refusal } from '#shared/refusal.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import { isRightAnswer, remainingTickets, questionOf } from '#features/offers/offers.rules.ts'
import { type AddItemBody, CART_ITEMS_MAX, type Cart, QUANTITY_MAX } from '../cart.contract.ts'
import { manyCarts } from './cart.repository.ts'

export const WRONG_ANSWER = 'cart.wrongAnswer'

export const cartNotFound = (): Refusal => new Refusal('cart.notFound', 404, 'errors.cart.notFound')

export const itemNotFound = (): Refusal => new Refusal('cart.itemNotFound', 404, 'errors.cart.itemNotFound')

/**
 * The refusal of a wrong answer (spec section 5, "Question offers"). The specification's client compares its detail
 * 'Mauvaise réponse.', which is the same in every language; `message` is translated.
 */
export function checkAnswer(offer: OfferRow, answer: string | null | undefined): Refusal | undefined {
  if (isRightAnswer(offer, answer)) return undefined
  const body = { offer_id: offer.id }
  return answer
    ? new Refusal(WRONG_ANSWER, 400, 'errors.cart.wrongAnswer', {
        body,
        literalDetail: 'Mauvaise réponse.',
      })
    : new Refusal('cart.answerRequired', 400, 'errors.cart.answerRequired', { body })
}

export interface OwnCart {
  userId: number
  cartId: number
}

export interface AddRequest extends OwnCart {
  /** The response is stored for this `Idempotency-Key` in the transaction of the change. */
  key?: KeyInUse | undefined
  body: AddItemBody
  address: string
}

/** A user's tickets of an offer. */
export interface OwnTickets {
  /** Held by the open order. */
  held(trx: Trx, userId: number, offerId: number): Promise<number>
  /** Issued and valid. */
  valid(trx: Trx, userId: number, offerId: number): Promise<number>
}

interface AddDeps {
  db: Database
  ownTickets: OwnTickets
  answers: Limit
}

interface Batch {
  trx: Trx
  carts: ReadonlyMap<number, OpenCart>
  accounts: ReadonlyMap<number, ActiveAccount>
  offers: ReadonlyMap<number, OfferRow>
  guesses: Ledger
  /** Keys that still belong to their calls. */
  keys: ReadonlySet<KeyInUse>
  ownTickets: OwnTickets
}

const guesser = ({ userId, body }: AddRequest) => ({ account: userId, contest: body.offer_id })

interface Line {
  /** Missing in a new line that is not stored yet. */
  id?: number
  offerId: number
  quantity: number
  answer: string | null
}

interface OpenCart {
  id: number
  userId: number
  version: number
  lines: Line[]
  changed: Set<Line>
}

/**
 * Adds tickets to several carts in one transaction, with an outcome each: the cart or a refusal. A crash of PostgreSQL
 * may undo the last half second (ADR 0028).
 */
export const addItems = (
  { db, ownTickets, answers }: AddDeps,
  requests: readonly AddRequest[],
  options: RunOptions = {},
): Promise<Outcome<Cart>[]> =>
  transact(db, (trx) => addOnce(trx, { ownTickets, answers }, requests), { ...options, durable: false })

/** For each request whether a line that refers to its offer must wait. */
export const areAdditionsLocked = (db: Database, requests: readonly AddRequest[]): Promise<boolean[]> =>
  anyLocked(
    db,
    requests.map(({ body }) => [body.offer_id]),
    'references',
  )

async function addOnce(
  trx: Trx,
  { ownTickets, answers }: Omit<AddDeps, 'db'>,
  requests: readonly AddRequest[],
) {
  const batch = { trx, ownTickets, ...(await read(trx, requests, answers)) }
  const { carts, offers, guesses } = batch
  const refusals: (Refusal | undefined)[] = []
  for (const request of requests) refusals.push(await apply(batch, request))
  const wire = new Map<number, Offer>([...offers].map(([id, row]) => [id, toOffer(row)]))
  const stored = Promise.all([store(trx, carts), guesses.store()]).then(() =>
    requests.map(({ cartId }, index): Outcome<Cart> => {
      const refused = refusals[index]
      return refused ? { refused } : { value: toCart(carts.get(cartId) as OpenCart, wire) }
    }),
  )
  if (batch.keys.size === 0) return withCommit(stored)
  const outcomes = await stored
  const kept = requests.flatMap(({ key }, index) => {
    const outcome = outcomes[index]
    return key && outcome && 'value' in outcome ? [{ key, response: JSON.stringify(outcome.value) }] : []
  })
  await responsesWithin(trx).store(kept)
  return outcomes
}

/** Locks the carts before it reads; the statements are pipelined. */
async function read(trx: Trx, requests: readonly AddRequest[], answers: Limit) {
  const cartIds = [...new Set(requests.map((one) => one.cartId))]
  const { byIds } = offersRepository(trx)
  const [rows, items, accounts, wanted, guesses, keys] = await Promise.all([
    manyCarts(trx).lock(cartIds),
    manyCarts(trx).items(cartIds),
    activeAccounts(trx, [...new Set(requests.map((one) => one.userId))]),
    byIds([...new Set(requests.map((one) => one.body.offer_id))]),
    answers.ledger(trx, requests.filter((one) => one.body.answer).map(guesser)),
    responsesWithin(trx).lock(requests.flatMap((one) => one.key ?? [])),
  ])
  const carts = new Map<number, OpenCart>(
    rows.map((row) => [
      row.id,
      { id: row.id, userId: row.user_id, version: row.version, lines: [], changed: new Set() },
    ]),
  )
  for (const { cart_id, offer_id, ...row } of items) {
    carts.get(cart_id)?.lines.push({ ...row, offerId: offer_id })
  }
  const offers = new Map(wanted.map((offer) => [offer.id, offer]))
  const others = new Set(items.map((item) => item.offer_id).filter((id) => !offers.has(id)))
  for (const offer of await byIds([...others])) offers.set(offer.id, offer)
  return { carts, accounts, offers, guesses, keys }
}

async function apply(
  { trx, carts, accounts, offers, guesses, keys, ownTickets }: Batch,
  request: AddRequest,
): Promise<Refusal | undefined> {
  const { userId, cartId, body, key } = request
  if (key && !keys.has(key)) return keyUnderWay()
  const cart = carts.get(cartId)
  if (cart?.userId !== userId) return cartNotFound()
  const exclusion = accounts.get(userId)?.exclusion
  if (exclusion) return exclusionRefusal(exclusion)
  const offer = offers.get(body.offer_id)
  if (!offer) return new Refusal('offer.notFound', 404, 'errors.offer.notFound')
  const wrong = checkGuess(guesses, offer, request)
  if (wrong) return wrong
  const line = cart.lines.find((one) => one.offerId === offer.id)
  const quantity = (line?.quantity ?? 0) + body.quantity
  if (quantity > QUANTITY_MAX) return new Refusal('cart.quantityMax', 400, 'errors.field.quantityMax')
  const unavailable = await whyNot(trx, offer, quantity, ownTickets, userId)
  if (unavailable) return unavailable
  const answer = questionOf(offer) === null ? null : (body.answer ?? null)
  if (!line && cart.lines.length >= CART_ITEMS_MAX) {
    return new Refusal('cart.tooManyItems', 409, 'errors.cart.tooManyItems', {
      values: { max: CART_ITEMS_MAX },
    })
  }
  const changed = line ?? { offerId: offer.id, quantity, answer }
  if (line) Object.assign(line, { quantity, answer })
  else cart.lines.push(changed)
  cart.changed.add(changed)
  return undefined
}

/** After too many wrong answers a right one is refused, too (failure mode 34). */
function checkGuess(guesses: Ledger, offer: OfferRow, request: AddRequest): Refusal | undefined {
  if (questionOf(offer) === null) return undefined
  const tooMany = guesses.check(guesser(request))
  if (tooMany) return tooMany
  const wrong = checkAnswer(offer, request.body.answer)
  if (wrong && request.body.answer) guesses.count(guesser(request))
  return wrong
}

/** Reads the buyer's own tickets only when they could matter. */
export async function whyNot(
  trx: Trx,
  offer: OfferRow,
  quantity: number,
  own: OwnTickets,
  userId: number,
): Promise<Refusal | undefined> {
  if (offer.max_per_person !== null) {
    const limited = overPersonLimit(offer, quantity, await own.valid(trx, userId, offer.id))
    if (limited) return limited
  }
  const refusal = whyNotAvailable(offer, quantity)
  if (!refusal || quantity > remainingTickets(offer)) return refusal
  return whyNotAvailable(offer, quantity, await own.held(trx, userId, offer.id))
}

async function store(trx: Trx, carts: ReadonlyMap<number, OpenCart>): Promise<void> {
  const changed = [...carts.values()].flatMap((cart) => [...cart.changed].map((line) => ({ cart, line })))
  if (changed.length === 0) return
  const stored = await manyCarts(trx).store(
    changed.map(({ cart, line }) => ({
      cart_id: cart.id,
      offer_id: line.offerId,
      quantity: line.quantity,
      answer: line.answer,
    })),
  )
  const idOf = new Map(stored.map((row) => [`${row.cart_id}:${row.offer_id}`, row.id]))
  for (const { cart, line } of changed) {
    const id = idOf.get(`${cart.id}:${line.offerId}`)
    if (id !== undefined) line.id = id
  }
  for (const cart of new Set(changed.map((one) => one.cart))) cart.version += 1
}

export const toCart = (
  cart: Pick<OpenCart, 'id' | 'version' | 'lines'>,
  offers: ReadonlyMap<number, Offer>,
): Cart => {
  const items = cart.lines.flatMap(({ id, quantity, offerId }) => {
    const offer = offers.get(offerId)
    return offer && id !== undefined ? [{ id, quantity, offer }] : []
  })
  return { id: cart.id, items, is_empty: items.length === 0, version: cart.version }
}

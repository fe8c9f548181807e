import type { Database, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import { type OfferRow, offersRepository, toOffer, whyNotAvailable } from '#features/offers/server/index.ts'
import { isRightAnswer } from '#features/offers/offers.rules.ts'
import {
  type AddItemBody,
  CART_ITEMS_MAX,
  type Cart,
  QUANTITY_MAX,
  type UpdateItemBody,
} from '../cart.contract.ts'
import { cartRepository, cartWrites } from './cart.repository.ts'

const cartNotFound = (): Refusal => new Refusal('cart.notFound', 404, 'errors.cart.notFound')
const itemNotFound = (): Refusal => new Refusal('cart.itemNotFound', 404, 'errors.cart.itemNotFound')

/**
 * Refuses an answer that is missing or wrong (spec section 5, "Question offers"). The detail of a wrong one is the
 * specification's 'Mauvaise réponse.' in every language, because its client compares that text; `message` is translated.
 */
export function checkAnswer(offer: OfferRow, answer: string | null | undefined): void {
  if (isRightAnswer(offer, answer)) return
  if (answer === undefined || answer === null || answer === '') {
    throw new Refusal('cart.answerRequired', 400, 'errors.cart.answerRequired', {
      body: { offer_id: offer.id },
    })
  }
  throw new WrongAnswer(offer.id)
}

/** The refusal whose `detail` stays French. */
class WrongAnswer extends Refusal {
  constructor(offerId: number) {
    super('cart.wrongAnswer', 400, 'errors.cart.wrongAnswer', {
      body: { offer_id: offerId },
      literalDetail: 'Mauvaise réponse.',
    })
  }
}

/** Tickets of an offer that the user's own open order holds; answered by the checkout, which owns the holds. */
export type HeldByUser = (trx: Trx, userId: number, offerId: number) => Promise<number>

/** What may be done with a cart; every call answers the whole cart (decisions, "Cart mutations"). */
export function cartService(db: Database, heldByUser: HeldByUser) {
  async function read(userId: number): Promise<Cart> {
    const cart = await cartRepository(db).ofUser(userId)
    const rows = await cartRepository(db).items(cart.id)
    const offers = new Map(
      (await offersRepository(db).byIds(rows.map((row) => row.offer_id))).map((offer) => [
        offer.id,
        toOffer(offer),
      ]),
    )
    const items = rows.flatMap(({ id, quantity, offer_id }) => {
      const offer = offers.get(offer_id)
      return offer ? [{ id, quantity, offer }] : []
    })
    return { id: cart.id, items, is_empty: items.length === 0, version: cart.version }
  }

  /** Runs a change on the caller's own cart and answers the cart as it is after it. */
  async function change(userId: number, cartId: number, work: (trx: Trx) => Promise<void>): Promise<Cart> {
    await transact(db, async (trx) => {
      const cart = await cartWrites(trx).lock(cartId, userId)
      if (!cart) throw cartNotFound()
      await work(trx)
    })
    return read(userId)
  }

  async function checkAvailable(trx: Trx, userId: number, offer: OfferRow, quantity: number): Promise<void> {
    const refusal = whyNotAvailable(offer, quantity, await heldByUser(trx, userId, offer.id))
    if (refusal) throw refusal
  }

  return {
    read,

    /** Adds tickets of an offer; an offer that is there already has its line raised. */
    add: (userId: number, cartId: number, body: AddItemBody): Promise<Cart> =>
      change(userId, cartId, async (trx) => {
        const [offer] = await offersRepository(trx).byIds([body.offer_id])
        if (!offer) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
        checkAnswer(offer, body.answer)
        const line = await cartWrites(trx).item(cartId, { offerId: offer.id })
        const quantity = (line?.quantity ?? 0) + body.quantity
        if (quantity > QUANTITY_MAX) throw new Refusal('cart.quantityMax', 400, 'errors.field.quantityMax')
        await checkAvailable(trx, userId, offer, quantity)
        const answer = offer.question === null ? null : (body.answer ?? null)
        if (line) return void (await cartWrites(trx).updateItem(line.id, { quantity, answer }))
        const lines = await cartRepository(trx).items(cartId)
        if (lines.length >= CART_ITEMS_MAX) {
          throw new Refusal('cart.tooManyItems', 409, 'errors.cart.tooManyItems', {
            values: { max: CART_ITEMS_MAX },
          })
        }
        await cartWrites(trx).insertItem(cartId, { offerId: offer.id, quantity, answer })
      }),

    /** Sets the quantity of a line. */
    update: (userId: number, cartId: number, body: UpdateItemBody): Promise<Cart> =>
      change(userId, cartId, async (trx) => {
        const line = await cartWrites(trx).item(cartId, { id: body.item_id })
        if (!line) throw itemNotFound()
        const [offer] = await offersRepository(trx).byIds([line.offer_id])
        if (!offer) throw itemNotFound()
        // Fewer tickets are always allowed: a full contest must not keep a buyer from asking for less.
        if (body.quantity > line.quantity) await checkAvailable(trx, userId, offer, body.quantity)
        await cartWrites(trx).updateItem(line.id, { quantity: body.quantity })
      }),

    remove: (userId: number, cartId: number, itemId: number): Promise<Cart> =>
      change(userId, cartId, async (trx) => {
        const line = await cartWrites(trx).item(cartId, { id: itemId })
        if (!line) throw itemNotFound()
        await cartWrites(trx).deleteItem(line.id)
      }),

    clear: (userId: number, cartId: number): Promise<Cart> =>
      change(userId, cartId, async (trx) => {
        await cartWrites(trx).deleteItems(cartId)
      }),
  }
}

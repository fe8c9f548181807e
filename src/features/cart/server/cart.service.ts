import type { Database, Sql, Trx } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { type BatchOptions, batchCalls } from '#platform/batcher.ts'
import { transact } from '#platform/transaction.ts'
import { offersRepository, toOffer } from '#features/offers/server/index.ts'
import { Refusal } from '#shared/refusal.ts'
import type { Cart, UpdateItemBody } from '../cart.contract.ts'
import {
  type AddRequest,
  type HeldByUser,
  type OwnCart,
  WRONG_ANSWER,
  addItems,
  cartNotFound,
  itemNotFound,
  toCart,
  whyNot,
} from './add-items.ts'
import { cartRepository, cartWrites } from './cart.repository.ts'

/** What may be done with a cart; every call answers the whole cart (decisions, "Cart mutations"). */
export function cartService(db: Database, heldByUser: HeldByUser, answers: Limit, batching: BatchOptions) {
  const addBatched = batchCalls<AddRequest, Cart>(
    (requests, options) => addItems({ db, heldByUser, answers }, requests, options),
    batching,
  )

  async function read(userId: number, on: Sql = db): Promise<Cart> {
    const cart = await cartRepository(on).ofUser(userId)
    const rows = await cartRepository(on).items(cart.id)
    const offers = await offersRepository(on).byIds(rows.map((row) => row.offer_id))
    const lines = rows.map(({ offer_id, ...row }) => ({ ...row, offerId: offer_id }))
    return toCart({ ...cart, lines }, new Map(offers.map((offer) => [offer.id, toOffer(offer)])))
  }

  /** Changes the caller's own cart. @returns the cart afterwards */
  const change = ({ userId, cartId }: OwnCart, work: (trx: Trx) => Promise<void>): Promise<Cart> =>
    transact(db, async (trx) => {
      const cart = await cartWrites(trx).lock(cartId, userId)
      if (!cart) throw cartNotFound()
      await work(trx)
      return read(userId, trx)
    })

  return {
    read: (userId: number): Promise<Cart> => read(userId),

    /** Adds tickets of an offer, to its line if there is one. */
    async add(request: AddRequest): Promise<Cart> {
      const { address } = request
      if (request.body.answer) answers.check({ address })
      try {
        return await addBatched(request)
      } catch (error) {
        if (error instanceof Refusal && error.code === WRONG_ANSWER) answers.hit({ address })
        throw error
      }
    },

    /** Sets the quantity of a line. */
    update: (cart: OwnCart, body: UpdateItemBody): Promise<Cart> =>
      change(cart, async (trx) => {
        const line = await cartWrites(trx).item(cart.cartId, body.item_id)
        if (!line) throw itemNotFound()
        const [offer] = await offersRepository(trx).byIds([line.offer_id])
        if (!offer) throw itemNotFound()
        // A smaller quantity is always allowed.
        const refusal =
          body.quantity > line.quantity
            ? await whyNot(trx, offer, body.quantity, heldByUser, cart.userId)
            : undefined
        if (refusal) throw refusal
        await cartWrites(trx).setQuantity(line.id, body.quantity)
      }),

    remove: (cart: OwnCart, itemId: number): Promise<Cart> =>
      change(cart, async (trx) => {
        const line = await cartWrites(trx).item(cart.cartId, itemId)
        if (!line) throw itemNotFound()
        await cartWrites(trx).deleteItem(line.id)
      }),

    clear: (cart: OwnCart): Promise<Cart> =>
      change(cart, async (trx) => void (await cartWrites(trx).deleteItems(cart.cartId))),
  }
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { type BatchBounds, type BatchMeter, batchCalls } from '#platform/batcher.ts'
import { callerOf } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { transact } from '#platform/transaction.ts'
import { offersRepository, toOffer } from '#features/offers/server/index.ts'
import type { WaitingRooms } from '#features/waiting-room/server/index.ts'
import type { Clock } from '#shared/clock.ts'
import { DEFAULT_PAYMENT_COUNTRY } from '#shared/countries.ts'
import { type Cents, parseEur, toDecimal, withinRange } from '#shared/money.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import {
  AddItemBody,
  CalculateTaxBody,
  Cart,
  RemoveItemBody,
  TaxResult,
  UpdateItemBody,
} from '../cart.contract.ts'
import { taxFor } from '../cart.rules.ts'
import {
  type AddRequest,
  type OwnCart,
  type OwnTickets,
  WRONG_ANSWER,
  addItems,
  areAdditionsLocked,
  cartNotFound,
  itemNotFound,
  toCart,
  whyNot,
} from './add-items.ts'
import { cartRepository, cartWrites } from './cart.repository.ts'

interface CartDeps {
  db: Database
  clock: Clock
  pricesIncludeVat: boolean
  ownTickets: OwnTickets
  answers: Limit
  rooms: Pick<WaitingRooms, 'enter'>
  batching: BatchBounds & { meter: BatchMeter }
}

const MAX_ID = 2_147_483_647

/** @throws Refusal 404 for anything but a positive integer */
function cartIdOf(params: { cartId: string }): number {
  const id = /^[1-9]\d{0,9}$/.test(params.cartId) ? Number(params.cartId) : 0
  if (id === 0 || id > MAX_ID) throw cartNotFound()
  return id
}

const ownCart = (request: FastifyRequest & { params: { cartId: string } }): OwnCart => ({
  userId: callerOf(request).userId,
  cartId: cartIdOf(request.params),
})

/** 3 × 4.9 is 14.700000000000001 in a browser. */
const FLOAT_DUST = 1e-6

function readAmount(subtotal: string | number): Cents {
  try {
    if (typeof subtotal === 'string') return parseEur(subtotal)
    const rounded = subtotal.toFixed(2)
    return parseEur(Math.abs(subtotal - Number(rounded)) < FLOAT_DUST ? rounded : String(subtotal))
  } catch {
    throw new InvalidFields({ subtotal: ['errors.field.amount'] })
  }
}

/** Spec section 7. */
export const cartRoutes =
  (deps: CartDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const { clock, pricesIncludeVat } = deps
    const carts = cartService(deps)
    const params = z.object({ cartId: z.string() })
    const response = { 200: Cart }

    app.get('/api/cart/', { schema: { response: { 200: z.array(Cart) } } }, async (request) => [
      await carts.read(callerOf(request).userId),
    ])

    app.post(
      '/api/cart/:cartId/add_item/',
      { config: { acceptsIdempotencyKey: true }, schema: { params, body: AddItemBody, response } },
      (request) => {
        const { body, ip: address, keyInUse: key } = request
        return carts.add({ ...ownCart(request), body, address, key })
      },
    )

    app.post(
      '/api/cart/:cartId/update_item/',
      { schema: { params, body: UpdateItemBody, response } },
      (request) => carts.update(ownCart(request), request.body),
    )

    app.post(
      '/api/cart/:cartId/remove_item/',
      { schema: { params, body: RemoveItemBody, response } },
      (request) => carts.remove(ownCart(request), request.body.item_id),
    )

    app.post('/api/cart/:cartId/clear/', { schema: { params, response } }, (request) =>
      carts.clear(ownCart(request)),
    )

    app.post(
      '/api/cart/calculate_tax/',
      {
        config: { auth: 'optional' },
        schema: { body: CalculateTaxBody, response: { 200: TaxResult } },
      },
      async (request) => {
        const amount = readAmount(request.body.subtotal)
        const country = request.body.country_code ?? DEFAULT_PAYMENT_COUNTRY
        const tax = withinRange(
          () => taxFor(amount, country, clock(), pricesIncludeVat),
          () => new InvalidFields({ subtotal: ['errors.field.tooLarge'] }),
        )
        if (!tax) throw new InvalidFields({ country_code: ['errors.field.country'] })
        return {
          subtotal: toDecimal(tax.subtotal),
          tax_rate: tax.percent,
          tax_amount: toDecimal(tax.tax),
          total: toDecimal(tax.total),
          country: tax.country,
          prices_include_tax: pricesIncludeVat,
        }
      },
    )
  }

/** Every call responds with the whole cart. */
function cartService({ db, ownTickets, answers, rooms, batching }: CartDeps) {
  const addBatched = batchCalls<AddRequest, Cart>(
    (requests, options) => addItems({ db, ownTickets, answers }, requests, options),
    { ...batching, areLocked: (requests) => areAdditionsLocked(db, requests) },
  )

  async function read(userId: number, on: Sql = db): Promise<Cart> {
    const cart = await cartRepository(on).ofUser(userId)
    const rows = await cartRepository(on).items(cart.id)
    const offers = await offersRepository(on).byIds(rows.map((row) => row.offer_id))
    const lines = rows.map(({ offer_id, ...row }) => ({ ...row, offerId: offer_id }))
    return toCart({ ...cart, lines }, new Map(offers.map((offer) => [offer.id, toOffer(offer)])))
  }

  const change = ({ userId, cartId }: OwnCart, work: (trx: Trx) => Promise<void>): Promise<Cart> =>
    transact(db, async (trx) => {
      const cart = await cartWrites(trx).lock(cartId, userId)
      if (!cart) throw cartNotFound()
      await work(trx)
      return read(userId, trx)
    })

  return {
    read: (userId: number): Promise<Cart> => read(userId),

    async add(request: AddRequest): Promise<Cart> {
      const { address } = request
      if (request.body.answer) answers.check({ address })
      await rooms.enter({ userId: request.userId, offerId: request.body.offer_id })
      try {
        return await addBatched(request)
      } catch (error) {
        if (error instanceof Refusal && error.code === WRONG_ANSWER) answers.hit({ address })
        throw error
      }
    },

    update: (cart: OwnCart, body: UpdateItemBody): Promise<Cart> =>
      change(cart, async (trx) => {
        const line = await cartWrites(trx).item(cart.cartId, body.item_id)
        if (!line) throw itemNotFound()
        const [offer] = await offersRepository(trx).byIds([line.offer_id])
        if (!offer) throw itemNotFound()
        // A smaller quantity is always allowed.
        const refusal =
          body.quantity > line.quantity
            ? await whyNot(trx, offer, body.quantity, ownTickets, cart.userId)
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

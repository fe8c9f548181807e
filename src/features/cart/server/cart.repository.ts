import { type RawBuilder, sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { Sql, Trx } from '#platform/database.ts'

export interface CartRow {
  id: number
  version: number
}

export interface CartItemRow {
  id: number
  offer_id: number
  quantity: number
  answer: string | null
}

/** The only SQL on carts and their items. */
export const cartRepository = (db: Sql) => ({
  /** The user's cart, created on first use. */
  async ofUser(userId: number): Promise<CartRow> {
    const found = await db
      .selectFrom('carts')
      .select(['id', 'version'])
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (found) return found
    await db
      .insertInto('carts')
      .values({ user_id: userId })
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .execute()
    return db
      .selectFrom('carts')
      .select(['id', 'version'])
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
  },

  /** Items in the order in which they were added. */
  items: (cartId: number): Promise<CartItemRow[]> =>
    db
      .selectFrom('cart_items')
      .select(['id', 'offer_id', 'quantity', 'answer'])
      .where('cart_id', '=', cartId)
      .orderBy('id')
      .execute(),
})

/** A line of a cart as it shall be. */
export interface LineToStore {
  cart_id: number
  offer_id: number
  quantity: number
  answer: string | null
}

const cartsBy = (column: 'id' | 'user_id') =>
  byIds((db, ids: readonly number[]) =>
    db
      .selectFrom('carts')
      .select(['id', 'user_id', 'version'])
      .where(column, '=', anyOf(ids, 'bigint'))
      .orderBy('id')
      .forUpdate(),
  )
const lockedCarts = cartsBy('id')
const lockedCartsOf = cartsBy('user_id')

const itemsOfCarts = byIds((db, ids: readonly number[]) =>
  db
    .selectFrom('cart_items')
    .select(['id', 'cart_id', 'offer_id', 'quantity', 'answer'])
    .where('cart_id', '=', anyOf(ids, 'bigint'))
    .orderBy('id'),
)

/** Reads and writes of many carts at once, for buyers that are served in one transaction. */
export const manyCarts = (trx: Trx) => ({
  /** Locks carts by id, in the order of their ids so that two batches cannot deadlock. */
  lock: (ids: readonly number[]): Promise<(CartRow & { user_id: number })[]> => lockedCarts(trx, ids),

  /** The same by their users; a user who never looked at a cart has none. */
  lockOf: (userIds: readonly number[]): Promise<(CartRow & { user_id: number })[]> =>
    lockedCartsOf(trx, userIds),

  /** The items of the carts, each cart's in the order in which they were added. */
  items: (ids: readonly number[]): Promise<(CartItemRow & { cart_id: number })[]> => itemsOfCarts(trx, ids),

  /** The same of users, with the user of each. */
  itemsOf: async (userIds: readonly number[]): Promise<(CartItemRow & { user_id: number })[]> =>
    (
      await sql<CartItemRow & { user_id: number }>`
        SELECT c.user_id, i.id, i.offer_id, i.quantity, i.answer
        FROM carts c JOIN cart_items i ON i.cart_id = c.id
        WHERE c.user_id = ANY(${[...userIds]}::bigint[])
        ORDER BY i.id`.execute(trx)
    ).rows,

  /** Stores lines, new ones and changed ones, and raises the version of their carts. @returns the lines with their ids */
  async store(lines: readonly LineToStore[]): Promise<(LineToStore & { id: number })[]> {
    const { rows } = await sql<LineToStore & { id: number }>`
      WITH raised AS (
        UPDATE carts SET version = version + 1 WHERE id = ANY(${[...new Set(lines.map((line) => line.cart_id))]}::bigint[])
      )
      INSERT INTO cart_items (cart_id, offer_id, quantity, answer)
      SELECT * FROM unnest(
        ${lines.map((line) => line.cart_id)}::bigint[],
        ${lines.map((line) => line.offer_id)}::int[],
        ${lines.map((line) => line.quantity)}::int[],
        ${lines.map((line) => line.answer)}::text[]
      )
      ON CONFLICT (cart_id, offer_id) DO UPDATE SET quantity = excluded.quantity, answer = excluded.answer
      RETURNING id, cart_id, offer_id, quantity, answer`.execute(trx)
    return rows
  },
})

/** Ids of the offers in the carts of users, as a part of a statement. */
export const offersInCartsOf = (userIds: readonly number[]): RawBuilder<{ offer_id: number }> => sql`
  SELECT i.offer_id FROM carts c JOIN cart_items i ON i.cart_id = c.id
  WHERE c.user_id = ANY(${[...userIds]}::bigint[])`

/** Writes to one cart; every one of them runs after `lock`, in the same transaction. */
export const cartWrites = (trx: Trx) => ({
  /**
   * Locks the caller's cart and raises its version, so that writers of one cart follow each other and an order knows
   * whether the cart is still the one it was made from.
   */
  lock: (cartId: number, userId: number): Promise<CartRow | undefined> =>
    trx
      .updateTable('carts')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('id', '=', cartId)
      .where('user_id', '=', userId)
      .returning(['id', 'version'])
      .executeTakeFirst(),

  /** Locks the user's cart without changing it. */
  lockUnchanged: (userId: number): Promise<CartRow | undefined> =>
    trx
      .selectFrom('carts')
      .select(['id', 'version'])
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirst(),

  item: (cartId: number, key: { id: number } | { offerId: number }): Promise<CartItemRow | undefined> =>
    trx
      .selectFrom('cart_items')
      .select(['id', 'offer_id', 'quantity', 'answer'])
      .where('cart_id', '=', cartId)
      .where((eb) => ('id' in key ? eb('id', '=', key.id) : eb('offer_id', '=', key.offerId)))
      .executeTakeFirst(),

  updateItem: (itemId: number, change: { quantity: number }) =>
    trx.updateTable('cart_items').set(change).where('id', '=', itemId).execute(),

  deleteItem: (itemId: number) => trx.deleteFrom('cart_items').where('id', '=', itemId).execute(),

  deleteItems: (cartId: number) => trx.deleteFrom('cart_items').where('cart_id', '=', cartId).execute(),
})

/** A quantity of an offer that a user has bought. */
export interface Bought {
  userId: number
  offerId: number
  quantity: number
}

/** Locks the carts of users, before anything is taken out of them. */
export const lockCartsOf = (trx: Trx, userIds: readonly number[]) =>
  manyCarts(trx).lockOf([...new Set(userIds)])

/**
 * Takes bought quantities out of their users' carts and keeps what was added since (reliability, row 16). The carts'
 * versions rise, so that an order of the old one is not mistaken for an order of the new. The carts must be locked by an
 * earlier statement: one that waits for the lock itself would still see the quantities of before.
 */
export async function subtractBought(trx: Trx, bought: readonly Bought[]): Promise<void> {
  await sql`
    WITH bought AS (
      SELECT c.id AS cart_id, b.offer_id, sum(b.quantity)::int AS quantity
      FROM unnest(
        ${bought.map((one) => one.userId)}::bigint[],
        ${bought.map((one) => one.offerId)}::int[],
        ${bought.map((one) => one.quantity)}::int[]
      ) AS b (user_id, offer_id, quantity)
      JOIN carts c ON c.user_id = b.user_id
      GROUP BY 1, 2
    ),
    raised AS (
      UPDATE carts SET version = version + 1 WHERE id IN (SELECT cart_id FROM bought)
    ),
    emptied AS (
      DELETE FROM cart_items i USING bought b
      WHERE i.cart_id = b.cart_id AND i.offer_id = b.offer_id AND i.quantity <= b.quantity
    )
    UPDATE cart_items i SET quantity = i.quantity - b.quantity
    FROM bought b
    WHERE i.cart_id = b.cart_id AND i.offer_id = b.offer_id AND i.quantity > b.quantity`.execute(trx)
}

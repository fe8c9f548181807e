import { type RawBuilder, sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

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

const cartOf = (db: Sql, userId: number) =>
  db.selectFrom('carts').select(['id', 'version']).where('user_id', '=', userId)

export const cartRepository = (db: Sql) => ({
  /** Creates the cart on first use. */
  async ofUser(userId: number): Promise<CartRow> {
    const found = await cartOf(db, userId).executeTakeFirst()
    if (found) return found
    await db
      .insertInto('carts')
      .values({ user_id: userId })
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .execute()
    return cartOf(db, userId).executeTakeFirstOrThrow()
  },

  items: (cartId: number): Promise<CartItemRow[]> =>
    db
      .selectFrom('cart_items')
      .select(['id', 'offer_id', 'quantity', 'answer'])
      .where('cart_id', '=', cartId)
      .orderBy('id')
      .execute(),
})

export type LineToStore = Omit<CartItemRow, 'id'> & { cart_id: number }

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

/** The lines in the carts of users, in the order in which they were added. */
export const cartItemsOf = async (
  db: Sql,
  userIds: readonly number[],
): Promise<(CartItemRow & { user_id: number })[]> =>
  (
    await sql<CartItemRow & { user_id: number }>`
      SELECT c.user_id, i.id, i.offer_id, i.quantity, i.answer
      FROM carts c JOIN cart_items i ON i.cart_id = c.id
      WHERE c.user_id = ANY(${[...userIds]}::bigint[])
      ORDER BY i.id`.execute(db)
  ).rows

export const manyCarts = (trx: Trx) => ({
  /** Locks in the order of ids, which prevents deadlocks. */
  lock: (ids: readonly number[]): Promise<(CartRow & { user_id: number })[]> => lockedCarts(trx, ids),

  /** Some users may have no cart. */
  lockOf: (userIds: readonly number[]): Promise<(CartRow & { user_id: number })[]> =>
    lockedCartsOf(trx, userIds),

  /** In the order in which they were added. */
  items: (ids: readonly number[]): Promise<(CartItemRow & { cart_id: number })[]> => itemsOfCarts(trx, ids),

  /** Stores lines and raises the versions of their carts. @returns the lines with their ids */
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

export const offersInCartsOf = (userIds: readonly number[]): RawBuilder<{ offer_id: number }> => sql`
  SELECT i.offer_id FROM carts c JOIN cart_items i ON i.cart_id = c.id
  WHERE c.user_id = ANY(${[...userIds]}::bigint[])`

/** For one cart, locked in the same transaction. */
export const cartWrites = (trx: Trx) => ({
  /** Locks the cart and raises its version, by which an order detects a change. */
  lock: (cartId: number, userId: number): Promise<CartRow | undefined> =>
    trx
      .updateTable('carts')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('id', '=', cartId)
      .where('user_id', '=', userId)
      .returning(['id', 'version'])
      .executeTakeFirst(),

  /** Locks the cart without changing it. */
  lockUnchanged: (userId: number): Promise<CartRow | undefined> =>
    cartOf(trx, userId).forUpdate().executeTakeFirst(),

  item: (cartId: number, itemId: number): Promise<CartItemRow | undefined> =>
    trx
      .selectFrom('cart_items')
      .select(['id', 'offer_id', 'quantity', 'answer'])
      .where('cart_id', '=', cartId)
      .where('id', '=', itemId)
      .executeTakeFirst(),

  setQuantity: (itemId: number, quantity: number) =>
    trx.updateTable('cart_items').set({ quantity }).where('id', '=', itemId).execute(),

  deleteItem: (itemId: number) => trx.deleteFrom('cart_items').where('id', '=', itemId).execute(),

  deleteItems: (cartId: number) => trx.deleteFrom('cart_items').where('cart_id', '=', cartId).execute(),
})

export interface Bought {
  userId: number
  offerId: number
  quantity: number
}

/** With all that is in it. */
export const deleteCartOf = (trx: Trx, userId: number) =>
  trx.deleteFrom('carts').where('user_id', '=', userId).execute()

export const lockCartsOf = (trx: Trx, userIds: readonly number[]) =>
  manyCarts(trx).lockOf([...new Set(userIds)])

/**
 * Subtracts bought quantities, keeps later additions (failure mode 16) and raises the versions. An earlier statement
 * must lock the carts: a statement that waits for the lock itself would see the old quantities.
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

/** What is in somebody's cart, for an export. */
export async function keptItemsOf(db: Sql, userId: number) {
  const { rows } = await sql<{
    titles: LocalizedText
    quantity: number
    answer: string | null
    added_at: Date
  }>`
    SELECT o.titles, i.quantity, i.answer, i.added_at
    FROM carts c JOIN cart_items i ON i.cart_id = c.id JOIN offers o ON o.id = i.offer_id
    WHERE c.user_id = ${userId} ORDER BY i.id`.execute(db)
  return rows
}

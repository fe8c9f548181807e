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

  insertItem: (cartId: number, item: { offerId: number; quantity: number; answer: string | null }) =>
    trx
      .insertInto('cart_items')
      .values({ cart_id: cartId, offer_id: item.offerId, quantity: item.quantity, answer: item.answer })
      .execute(),

  updateItem: (itemId: number, change: { quantity: number; answer?: string | null }) =>
    trx.updateTable('cart_items').set(change).where('id', '=', itemId).execute(),

  deleteItem: (itemId: number) => trx.deleteFrom('cart_items').where('id', '=', itemId).execute(),

  deleteItems: (cartId: number) => trx.deleteFrom('cart_items').where('cart_id', '=', cartId).execute(),
})

/**
 * Takes bought quantities out of a user's cart and keeps what was added since (reliability, row 16).
 * @param bought quantity by offer id
 */
export async function subtractBought(
  trx: Trx,
  userId: number,
  bought: ReadonlyMap<number, number>,
): Promise<void> {
  const cart = await cartWrites(trx).lockUnchanged(userId)
  if (!cart) return
  for (const [offerId, quantity] of bought) {
    const item = await cartWrites(trx).item(cart.id, { offerId })
    if (!item) continue
    if (item.quantity > quantity)
      await cartWrites(trx).updateItem(item.id, { quantity: item.quantity - quantity })
    else await cartWrites(trx).deleteItem(item.id)
  }
  await cartWrites(trx).lock(cart.id, userId)
}

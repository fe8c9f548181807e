/** Filters and columns of the list of orders, which a person of staff has given a name. */
import { sql } from 'kysely'
import type { Database, Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import { type OrderView, StaffOrdersFilters } from '../staff-orders.contract.ts'
import { VIEWS_MAX } from '../staff-orders.rules.ts'

export const orderViews = (db: Sql) => ({
  of: (userId: number): Promise<OrderView[]> =>
    db
      .selectFrom('order_views')
      .select(['name', 'query'])
      .where('user_id', '=', userId)
      .orderBy(sql`lower(name)`)
      .orderBy('name')
      .execute(),

  /** Removing what is not there changes nothing. */
  remove: (userId: number, name: string) =>
    db.deleteFrom('order_views').where('user_id', '=', userId).where('name', '=', name).execute(),
})

/** @throws InvalidFields for what the list would not take, Refusal 409 when there are as many as one may have */
export const saveOrderView = (db: Database, userId: number, { name, query }: OrderView): Promise<void> => {
  const { columns, ...filters } = Object.fromEntries(new URLSearchParams(query))
  const isList = columns === undefined || /^[a-z]+(\.[a-z]+)*$/.test(columns)
  if (!isList || !StaffOrdersFilters.strict().safeParse(filters).success)
    throw new InvalidFields({ query: ['errors.field.invalid'] })
  return transact(db, async (trx) => {
    // One after the other, so that none is above the limit.
    await sql`SELECT FROM users WHERE id = ${userId} FOR NO KEY UPDATE`.execute(trx)
    await trx
      .insertInto('order_views')
      .values({ user_id: userId, name, query })
      .onConflict((known) => known.columns(['user_id', 'name']).doUpdateSet({ query }))
      .execute()
    if ((await orderViews(trx).of(userId)).length > VIEWS_MAX)
      throw new Refusal('orders.tooManyViews', 409, 'consoleOrders.refusals.tooManyViews', {
        values: { count: VIEWS_MAX },
      })
  })
}

import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Trx } from '#platform/database.ts'
import { TOOK_MONEY } from '#platform/payment/payment-provider.ts'
import { openShop } from '../../../../../test/support/shop.ts'
import { payingCapture } from '../paying-capture.rules.ts'
import { isSurplus } from './paying-capture.repository.ts'

const shop = await openShop()

interface Capture {
  capture_id: string
  status: string
  amount_cents: number
  currency: string
  refunded_cents: number
  recorded_at: Date
}

class RolledBack extends Error {}

/** Puts captures in the place of those of an order, asks, and takes all of it back. */
async function withCaptures<Result>(
  orderId: string,
  captures: readonly Capture[],
  ask: (trx: Trx) => Promise<Result>,
): Promise<Result> {
  const responses: Result[] = []
  await shop.db
    .transaction()
    .execute(async (trx) => {
      await trx.deleteFrom('captures').where('order_id', '=', orderId).execute()
      await trx
        .insertInto('captures')
        .values(captures.map((one) => ({ ...one, order_id: orderId })))
        .execute()
      responses.push(await ask(trx))
      throw new RolledBack()
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error
    })
  return responses[0]!
}

test('the rule and the query name the same capture, whatever an order was paid with', async () => {
  const { ours } = await shop.paidOrder(2)
  const total = ours.total_cents
  const capture = fc
    .record({
      status: fc.constantFrom('completed', 'partially_refunded', 'refunded', 'declined', 'pending'),
      amount_cents: fc.constantFrom(total, total, total, total - 1, total + 1),
      currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
      part: fc.constantFrom(0, 0, 0.25, 0.5, 1),
      second: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ part, second, ...one }) => ({
      ...one,
      refunded_cents: Math.floor(one.amount_cents * part),
      recorded_at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
    }))
  let named = 0
  await fc.assert(
    fc.asyncProperty(fc.array(capture, { minLength: 1, maxLength: 4 }), async (given) => {
      const captures = given.map((one, index) => ({ ...one, capture_id: `C${index}` }))
      const taken = captures
        .filter(({ status }) => TOOK_MONEY.has(status))
        .toSorted((a, b) => +a.recorded_at - +b.recorded_at || a.capture_id.localeCompare(b.capture_id, 'en'))
        .map((one) => ({
          id: one.capture_id,
          currency: one.currency,
          captured: one.amount_cents,
          refunded: one.refunded_cents,
        }))
      const pays = payingCapture(ours, taken)
      // Without one the query falls back, so that every order has a payment in reports.
      if (!pays) return
      named += taken.length > 1 ? 1 : 0
      const { rows } = await withCaptures(ours.id, captures, (trx) =>
        sql<{ id: string }>`
          SELECT c.capture_id AS id FROM captures c
          WHERE c.order_id = ${ours.id} AND c.status = ANY(${[...TOOK_MONEY]}::text[]) AND NOT ${isSurplus('c')}`.execute(
          trx,
        ),
      )
      expect(rows).toEqual([{ id: pays.id }])
    }),
    { numRuns: 300 },
  )
  expect(named).toBeGreaterThan(50)
})

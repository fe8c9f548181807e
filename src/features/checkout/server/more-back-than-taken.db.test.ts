import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { compareBooks } from './compare-books.ts'
import { reconcile } from './reconcile.ts'
import { refundsRepository } from './refunds.repository.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

test('more money that goes back than was taken: the tickets are void, the order is over, and it rings', async () => {
  const { customer, captureId, ours } = await providerSide(shop).unnotified(() => shop.paidOrder(2))
  const { paypal } = shop.checkout
  const refund = (id: string, value: string) => ({
    id,
    status: 'COMPLETED',
    amount: { currency_code: 'EUR', value },
    supplementary_data: { related_ids: { capture_id: captureId } },
  })
  // A courtesy of staff, then a chargeback of the whole.
  const getOrder: typeof paypal.getOrder = async (id) => {
    const told = structuredClone(await paypal.getOrder(id))
    told.purchase_units![0]!.payments!.refunds = [refund('R-PART', '2.00'), refund('R-WHOLE', '11.86')]
    return told
  }
  const twice = { ...shop.checkout, paypal: { ...paypal, getOrder } }
  expect((await reconcile(twice, ours.id, { closedToo: true })).state).toBe('refunded')
  const tickets = (await customer.get('/api/tickets/')).body as unknown as { status: string }[]
  expect(tickets.map((one) => one.status)).toEqual(['void', 'void'])
  expect(await refundsRepository(shop.db).returns(ours.id)).toMatchObject([
    { taken: 1186, returned: 1386, claimed: 1186 },
  ])
  expect(await twice.bell.subjects(shop.db, 'booksDiffer')).toEqual([ours.id])
  // Both books say the same of it, which does not end the alarm.
  await sql`UPDATE book_comparison SET after_order = NULL, ended_at = NULL`.execute(shop.db)
  expect(await compareBooks(twice)).toEqual([ours.id])
  expect(await twice.bell.subjects(shop.db, 'booksDiffer')).toEqual([ours.id])
})

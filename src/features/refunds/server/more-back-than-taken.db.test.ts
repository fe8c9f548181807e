import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { reconcileLedger } from '#features/payments/server/ledger-reconciliation.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'
import { ledgerRepository } from './ledger.repository.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

test('more money that goes back than was taken: the tickets are void, the order is over, and it rings', async () => {
  const { customer, captureId, ours } = await providerSide(shop).unnotified(() => shop.paidOrder(2))
  const paypal = shop.client
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
  const twice = { ...shop.checkout, provider: paypalProvider({ ...paypal, getOrder }) }
  expect((await reconcile(twice, ours.id, { closedToo: true })).state).toBe('refunded')
  const tickets = (await customer.get('/api/tickets/')).body as unknown as { status: string }[]
  expect(tickets.map((one) => one.status)).toEqual(['void', 'void'])
  expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([
    { taken: 1186, returned: 1386, claimed: 1186 },
  ])
  expect(await twice.alerts.subjects(shop.db, 'ledgerDiffers')).toEqual([ours.id])
  // Both books say the same of it, which does not end the alert.
  await sql`UPDATE ledger_reconciliation SET after_order = NULL, ended_at = NULL`.execute(shop.db)
  expect(await reconcileLedger(twice)).toEqual([ours.id])
  expect(await twice.alerts.subjects(shop.db, 'ledgerDiffers')).toEqual([ours.id])
})

import path from 'node:path'
import { afterAll, afterEach, expect } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import { type ProviderSide, providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { reconcileLedger } from './ledger-reconciliation.ts'

export interface SilentProvider {
  shop: TestShop
  there: ProviderSide
  /** Compares all orders of the shop with the provider, from the first on; gives the ids of those that differ. */
  compareAll: (deps?: TestShop['checkout']) => Promise<string[]>
  /** A paid order of one ticket of each of these contests, sold to Belgium. */
  paidForAll: (offerIds: readonly number[]) => Promise<{ id: string; orderId: string; captureId: string }>
  /** Subjects of the letters about an order's refunds. */
  emailsOf: (orderId: string) => Promise<string[]>
}

/**
 * A shop whose provider notifies it of nothing: what happens there must be found, and no notification tells the truth in
 * the middle of a test. Whatever a test does, the promises of the shop hold after it, the books among them.
 */
export async function silentProvider(): Promise<SilentProvider> {
  const shop = await testShop()
  afterAll(() => shop.close())
  const there = providerSide(shop)
  shop.paypal.faults.change({ missingWebhooks: 1 })
  afterEach(async () => {
    const invariants = await readInvariants(
      path.resolve(import.meta.dirname, '../../../../db/invariants.sql'),
    )
    const breaches = await checkInvariants(shop.db, invariants, there.book())
    if (breaches.length > 0) throw new Error(`broken: ${JSON.stringify(breaches)}`)
  })

  return {
    shop,
    there,
    async compareAll(deps = shop.checkout) {
      await shop.pool.query('UPDATE ledger_reconciliation SET after_order = NULL, ended_at = NULL')
      return reconcileLedger(deps)
    },
    async paidForAll(offerIds) {
      const customer = await shop.newCustomer()
      for (const offer_id of offerIds)
        await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id, quantity: 1 })
      const created = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
      const orderId = created.body['order_id'] as string
      await shop.paypal.approve(orderId)
      expect((await customer.capture(orderId)).status).toBe(200)
      const { id } = await shop.orderOf(orderId)
      return { id, orderId, captureId: there.captureIdOf(orderId) }
    },
    async emailsOf(orderId) {
      const { rows } = await shop.pool.query(
        `SELECT subject FROM emails WHERE key LIKE 'refund:' || $1 || '%' ORDER BY id`,
        [orderId],
      )
      return rows.map((row) => row.subject)
    },
  }
}

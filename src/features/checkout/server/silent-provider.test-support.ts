import path from 'node:path'
import { afterAll, afterEach } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import { type ProviderSide, providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { compareBooks } from './compare-books.ts'

export interface SilentProvider {
  shop: TestShop
  there: ProviderSide
  /** Compares all orders of the shop with the provider, from the first on; gives the ids of those that differ. */
  compareAll: (deps?: TestShop['checkout']) => Promise<string[]>
  /** Subjects of the letters about an order's refunds. */
  lettersOf: (orderId: string) => Promise<string[]>
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
      await shop.pool.query('UPDATE book_comparison SET after_order = NULL, ended_at = NULL')
      return compareBooks(deps)
    },
    async lettersOf(orderId) {
      const { rows } = await shop.pool.query(
        `SELECT subject FROM mails WHERE key LIKE 'refund:' || $1 || '%' ORDER BY id`,
        [orderId],
      )
      return rows.map((row) => row.subject)
    },
  }
}

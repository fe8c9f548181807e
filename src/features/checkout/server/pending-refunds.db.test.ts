import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import { type ProviderSide, providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { compareBooks } from './compare-books.ts'

let shop: TestShop
let there: ProviderSide

beforeAll(async () => {
  shop = await testShop()
  there = providerSide(shop)
  // Nothing is told of it: the walk through both books must find it.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

/** Whatever a test did, the promises of the shop hold, the books among them. */
afterEach(async () => {
  const invariants = await readInvariants(path.resolve(import.meta.dirname, '../../../../db/invariants.sql'))
  const breaches = await checkInvariants(shop.db, invariants, there.book())
  if (breaches.length > 0) throw new Error(`broken: ${JSON.stringify(breaches)}`)
})

/** Walks through all orders of the shop. */
async function walk(): Promise<void> {
  await shop.pool.query('UPDATE book_comparison SET after_order = NULL, ended_at = NULL')
  await compareBooks(shop.checkout)
}

/** Subjects of the letters about an order's refunds. */
const lettersOf = async (orderId: string): Promise<string[]> =>
  (
    await shop.pool.query(`SELECT subject FROM mails WHERE key LIKE 'refund:' || $1 || '%' ORDER BY id`, [
      orderId,
    ])
  ).rows.map((row) => row.subject)

describe('a refund that is pending there', () => {
  /** Gives back a payment at the provider, which calls the payment refunded at once, and the refund pending. */
  async function pendingThere(value?: string) {
    const { orderId, captureId, ours } = await shop.paidOrder(2)
    await there.giveBack(captureId, 'refund', value)
    const refund = [...shop.paypal.book.refunds.values()].findLast((one) => one.captureId === captureId)!
    refund.status = 'PENDING'
    await walk()
    return { orderId, ours, refund }
  }

  test('is told of once it is done, as what it then is', async () => {
    const whole = await pendingThere()
    const part = await pendingThere('2.00')
    for (const { ours } of [whole, part]) expect(await lettersOf(ours.id)).toEqual([])
    whole.refund.status = 'COMPLETED'
    part.refund.status = 'COMPLETED'
    await walk()
    await walk()
    expect(await lettersOf(whole.ours.id)).toEqual([
      'Your payment of €11.86 was returned: your tickets are void',
    ])
    expect(await lettersOf(part.ours.id)).toEqual(['€2.00 of your payment was returned to you'])
    expect(await shop.orderState(whole.orderId)).toBe('refunded')
    expect(await shop.orderState(part.orderId)).toBe('completed')
  })

  test('and fails leaves the order and its tickets as they were, and nobody is told', async () => {
    const { orderId, ours, refund } = await pendingThere()
    refund.status = 'COMPLETED'
    const answer = await fetch(`${shop.paypal.url}/_emulator/refunds/${refund.id}/fail`, { method: 'POST' })
    expect(answer.status).toBe(200)
    await walk()
    expect(await shop.orderState(orderId)).toBe('completed')
    expect(await lettersOf(ours.id)).toEqual([])
    expect(await shop.checkout.bell.subjects(shop.db, 'booksDiffer')).not.toContain(ours.id)
  })
})

import { describe, expect, test } from 'vitest'
import { silentProvider } from '#features/payments/server/silent-provider.test-support.ts'

const { shop, there, compareAll, emailsOf } = await silentProvider()

describe('a refund that is pending there', () => {
  /** Gives back a payment at the provider, which calls the payment refunded at once, and the refund pending. */
  async function pendingThere(value?: string) {
    const { orderId, captureId, ours } = await shop.paidOrder(2)
    await there.giveBack(captureId, 'refund', value)
    const refund = [...shop.paypal.book.refunds.values()].findLast((one) => one.captureId === captureId)!
    refund.status = 'PENDING'
    await compareAll()
    return { orderId, ours, refund }
  }

  test('is told of once it is done, as what it then is', async () => {
    const whole = await pendingThere()
    const part = await pendingThere('2.00')
    for (const { ours } of [whole, part]) expect(await emailsOf(ours.id)).toEqual([])
    expect(await shop.checkout.alerts.subjects(shop.db, 'ledgerDiffers')).toEqual([])
    whole.refund.status = 'COMPLETED'
    part.refund.status = 'COMPLETED'
    await compareAll()
    await compareAll()
    expect(await emailsOf(whole.ours.id)).toEqual([
      'Your payment of €11.86 was returned: your tickets are void',
    ])
    expect(await emailsOf(part.ours.id)).toEqual(['€2.00 of your payment was returned to you'])
    expect(await shop.orderState(whole.orderId)).toBe('refunded')
    expect(await shop.orderState(part.orderId)).toBe('completed')
  })

  test('and fails leaves the order and its tickets as they were, and nobody is told', async () => {
    const { orderId, ours, refund } = await pendingThere()
    refund.status = 'COMPLETED'
    const answer = await fetch(`${shop.paypal.url}/_emulator/refunds/${refund.id}/fail`, { method: 'POST' })
    expect(answer.status).toBe(200)
    await compareAll()
    expect(await shop.orderState(orderId)).toBe('completed')
    expect(await emailsOf(ours.id)).toEqual([])
    expect(await shop.checkout.alerts.subjects(shop.db, 'ledgerDiffers')).not.toContain(ours.id)
  })
})

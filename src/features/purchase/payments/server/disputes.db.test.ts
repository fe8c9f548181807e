import { beforeEach, describe, expect, test } from 'vitest'
import { readNotification } from '#platform/payment/paypal/paypal-provider.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { handleNotification } from './notifications.ts'
import { watchPayments } from './payment-alerts.repository.ts'
import { openPaymentShop } from './payments.test-support.ts'

const lab = await openPaymentShop({ notifies: true })
const { shop, run } = lab
const staff = await shop.newStaff('owner')

const ALERTS = `SELECT subject, details FROM alerts WHERE kind = 'dispute' AND resolved_at IS NULL ORDER BY subject`
const openAlerts = async (): Promise<string[]> => (await run(ALERTS)).map((row) => row.subject)

type Event = 'CREATED' | 'UPDATED' | 'RESOLVED'
/** The seconds of the day at which the events of a dispute happen. */
const AT: Record<Event, number> = { CREATED: 1, UPDATED: 2, RESOLVED: 3 }
let count = 0

/** A notification about a dispute, as PayPal sends it. */
function notification(event: Event, captureId: string, id: string, more: object = {}) {
  const at = `2026-11-01T10:00:0${AT[event]}Z`
  const read = readNotification({
    id: `WH-${id}-${event}-${(count += 1)}`,
    event_type: `CUSTOMER.DISPUTE.${event}`,
    create_time: at,
    resource: {
      dispute_id: id,
      update_time: at,
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      status: event === 'RESOLVED' ? 'RESOLVED' : 'WAITING_FOR_SELLER_RESPONSE',
      dispute_amount: { currency_code: 'EUR', value: '5.93' },
      seller_response_due_date: '2026-11-11T10:00:00Z',
      disputed_transactions: [{ seller_transaction_id: captureId }],
      ...more,
    },
  })
  return handleNotification(shop.checkout, read!)
}

describe('a dispute at the provider', () => {
  beforeEach(() => run(`DELETE FROM disputes; DELETE FROM alerts WHERE kind = 'dispute'`))

  test('is an alert with deadline, amount, reason and page until it is resolved, and stands on the order', async () => {
    const { captureId, ours } = await shop.paidOrder(1)
    await notification('CREATED', captureId, 'PP-D-1')
    const page = 'https://www.paypal.com/resolutioncenter/view/PP-D-1'
    expect(await run(ALERTS)).toEqual([
      {
        subject: 'PP-D-1',
        details: {
          order: shownOrderNumber(ours.number),
          capture_id: captureId,
          due: '2026-11-11T10:00:00.000Z',
          cents: 593,
          dispute_reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
          page,
        },
      },
    ])
    const { body } = await staff.get(`/api/staff/orders/${ours.id}/`)
    expect(body['disputes']).toMatchObject([
      { id: 'PP-D-1', amount: '5.93', due_at: '2026-11-11T10:00:00.000Z', is_resolved: false, page },
    ])
    expect((await staff.get('/api/staff/today/')).body).toMatchObject({
      needs: { alerts: expect.any(Number) },
    })
    await watchPayments(shop.db, shop.checkout.alerts)
    expect(await openAlerts()).toEqual(['PP-D-1'])
    await notification('RESOLVED', captureId, 'PP-D-1')
    expect(await openAlerts()).toEqual([])
    const after = await staff.get(`/api/staff/orders/${ours.id}/`)
    expect(after.body['disputes']).toMatchObject([{ id: 'PP-D-1', is_resolved: true }])
    // The tickets stay as they are: only money that goes back voids them.
    expect(await shop.orderState(ours.provider_order_id ?? '')).toBe('completed')
  })

  const ORDERS: Event[][] = [
    ['CREATED', 'UPDATED', 'RESOLVED'],
    ['RESOLVED', 'UPDATED', 'CREATED'],
    ['UPDATED', 'RESOLVED', 'CREATED', 'UPDATED'],
    ['RESOLVED', 'CREATED', 'RESOLVED', 'CREATED'],
  ]
  test.each(ORDERS.map((events) => [events.join(', '), events] as const))(
    'whose notifications come as %s is resolved in the end',
    async (_, events) => {
      const { captureId } = await shop.paidOrder(1)
      for (const event of events) await notification(event, captureId, 'PP-D-2')
      expect(await openAlerts()).toEqual([])
      expect(await run('SELECT is_resolved FROM disputes')).toEqual([{ is_resolved: true }])
    },
  )

  test('is open again when it goes on after it was resolved', async () => {
    const { captureId } = await shop.paidOrder(1)
    await notification('RESOLVED', captureId, 'PP-D-3')
    await notification('UPDATED', captureId, 'PP-D-3', { update_time: '2026-11-02T10:00:00Z' })
    expect(await openAlerts()).toEqual(['PP-D-3'])
  })

  test('is one of several of an order, each with its own alert', async () => {
    const { captureId } = await shop.paidOrder(1)
    for (const id of ['PP-D-4', 'PP-D-5', 'PP-D-4']) await notification('CREATED', captureId, id)
    expect(await openAlerts()).toEqual(['PP-D-4', 'PP-D-5'])
    await notification('RESOLVED', captureId, 'PP-D-4')
    expect(await openAlerts()).toEqual(['PP-D-5'])
  })

  test('of a payment that the shop does not know is an alert, too', async () => {
    await notification('CREATED', 'UNKNOWN', 'PP-D-6')
    expect(await run(ALERTS)).toMatchObject([{ subject: 'PP-D-6', details: { capture_id: 'UNKNOWN' } }])
  })

  test('with parts of other forms is an alert without them', async () => {
    const { captureId } = await shop.paidOrder(1)
    const odd = { dispute_amount: 5, reason: { a: 1 }, seller_response_due_date: 'soon' }
    await notification('CREATED', captureId, 'PP-D-7', odd)
    expect(await run(ALERTS)).toMatchObject([{ subject: 'PP-D-7', details: { due: null, cents: null } }])
  })

  test('is told by a signed notification of the emulator', async () => {
    const { captureId } = await shop.paidOrder(1)
    await lab.emulate(`captures/${captureId}/dispute`)
    await expect.poll(openAlerts).toEqual([`PP-D-${captureId}`])
  })
})

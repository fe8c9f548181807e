import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type ProviderNotification,
  ProviderRefused,
  ProviderUnknown,
} from '#platform/payment/payment-provider.ts'
import { readNotification } from '#platform/payment/paypal/paypal-provider.ts'
import type { Refusal } from '#shared/refusal.ts'
import { type NotificationDeps, handleNotification } from './notifications.ts'
import { handleUnhandledNotifications } from './payment-recovery.ts'
import { notificationsRepository } from './payments.repository.ts'
import { openPaymentShop } from './payments.test-support.ts'
import { webhookRoutes } from './webhook.routes.ts'

const lab = await openPaymentShop()
const { shop, atProvider, provider, run, withProvider, withResponses, sweep, payAgain, resultOf } = lab

const inbox = notificationsRepository(shop.db)
const stored = async (): Promise<number> => (await run('SELECT 1 FROM webhook_inbox')).length
const receivedAgo = (id: string, minutes: number) =>
  run(`UPDATE webhook_inbox SET received_at = now() - '${minutes} min'::interval WHERE event_id = '${id}'`)
const PATH = '/api/paypal/webhook/'
const JSON_TYPE = { 'content-type': 'application/json' }
const FORGED = JSON.stringify({ id: 'WH-1', event_type: 'X', resource: {} })

describe('A notification', () => {
  test('that is genuine is stored once and handled', async () => {
    const before = await stored()
    shop.paypal.faults.change({ missingWebhooks: 0, duplicateWebhooks: 1 })
    await shop.paidOrder()
    await shop.paypal.webhooksIdle()
    shop.paypal.faults.change({ missingWebhooks: 1, duplicateWebhooks: 0 })
    await expect.poll(stored).toBeGreaterThan(before)
    await expect.poll(() => run('SELECT 1 FROM webhook_inbox WHERE handled_at IS NULL')).toEqual([])
  })

  test('without a signature is refused and not stored', async () => {
    const before = await stored()
    expect((await shop.anonymous('POST', PATH, FORGED, { headers: JSON_TYPE })).status).toBe(400)
    expect(await stored()).toBe(before)
  })

  /** Posts forgeries from these addresses to the route alone. @returns the statuses */
  async function forge(addresses: readonly string[], isGenuine: boolean, log = shop.checkout.log) {
    const app = Fastify()
    app.setErrorHandler((error: Refusal, _request, reply) => reply.code(error.status).send({}))
    const notifications = { ...shop.checkout.notifications, verify: async () => isGenuine }
    await app.register(webhookRoutes({ ...shop.checkout, log, notifications }))
    const statuses = []
    for (const remoteAddress of addresses) {
      const post = { method: 'POST', url: PATH, headers: JSON_TYPE, payload: FORGED } as const
      statuses.push((await app.inject({ ...post, remoteAddress })).statusCode)
    }
    await app.close()
    return statuses
  }

  test('that is forged is logged once for each network, however many come', async () => {
    const warn = vi.fn<(fields: object, message: string) => void>()
    const log: FastifyBaseLogger = Object.assign(Object.create(shop.checkout.log), { warn })
    const addresses = Array.from({ length: 40 }, (_, index) => `2001:db8:${index % 2}::${index + 1}`)
    expect(new Set(await forge(addresses, false, log))).toEqual(new Set([400]))
    expect(warn.mock.calls).toEqual(Array(2).fill([{ times: 1 }, 'a notification with a bad signature']))
  })

  test('of anybody is stored when the signature is not verified', async () => {
    const before = await stored()
    expect(await forge(['127.0.0.1'], true)).toEqual([200])
    expect(await stored()).toBe(before + 1)
  })

  test('that is being handled is awaited by a stop', async () => {
    const id = `WH-${randomUUID()}`
    const resource = { id: 'C', supplementary_data: { related_ids: { order_id: 'NOT-OURS' } } }
    const payload = { id, event_type: 'PAYMENT.CAPTURE.COMPLETED', resource }
    const response = Promise.withResolvers<never>()
    const notifications = { ...shop.checkout.notifications, verify: async () => true }
    const app = Fastify()
    await app.register(
      webhookRoutes({ ...withProvider({ readOrder: () => response.promise }), notifications }),
    )
    expect((await app.inject({ method: 'POST', url: PATH, headers: JSON_TYPE, payload })).statusCode).toBe(
      200,
    )
    let hasResponse = false
    setTimeout(() => {
      hasResponse = true
      response.reject(new ProviderRefused('not_found'))
    }, 100)
    await app.close()
    expect(hasResponse).toBe(true)
    expect(await run(`SELECT 1 FROM webhook_inbox WHERE event_id = '${id}' AND handled_at IS NULL`)).toEqual(
      [],
    )
  })

  test.each<[string, unknown, unknown]>([
    ['a zero byte', { note: 'a\0b', escaped: '\\u0000' }, { note: 'a\ufffdb', escaped: '\\u0000' }],
    ['half a surrogate pair', { note: '\ud800', whole: '\u{1f3ce}' }, { note: '\ufffd', whole: '\u{1f3ce}' }],
    ['endless nesting', { note: Array.from({ length: 20_000 }).reduce<unknown>((inner) => [inner], 0) }, {}],
  ])('with %s is stored once and handled', async (_, resource, kept) => {
    const id = `WH-${randomUUID()}`
    const notification = { id, event_type: 'PAYMENT.CAPTURE.REFUNDED', resource }
    expect(await inbox.store(id, notification.event_type, notification)).toBe(true)
    expect(await inbox.store(id, notification.event_type, notification)).toBe(false)
    await receivedAgo(id, 1)
    await sweep()
    const rows = await run('SELECT handled_at, payload FROM webhook_inbox WHERE event_id = $1', [id])
    expect(rows).toEqual([{ handled_at: expect.any(Date), payload: { ...notification, resource: kept } }])
  })
})

describe('A notification about a paid order', () => {
  const REVERSED = 'PAYMENT.CAPTURE.REVERSED'

  /** An order whose payment was reversed, with an unhandled notification received so many minutes ago. */
  async function reversed(minutes = 1) {
    const paid = await shop.paidOrder(1)
    await atProvider.giveBack(paid.captureId, 'reverse')
    const event = { id: `WH-${paid.captureId}`, event_type: REVERSED, resource: { custom_id: paid.ours.id } }
    await inbox.store(event.id, REVERSED, event)
    await receivedAgo(event.id, minutes)
    return { ...paid, event }
  }
  const failingFor = (orderId: string): NotificationDeps =>
    withResponses((response) => {
      if (response.id === orderId) throw new ProviderUnknown('the connection broke')
      return response
    })

  test('stays for the sweep while the provider does not respond', async () => {
    const { orderId, event } = await reversed()
    const handled = handleNotification(failingFor(orderId), readNotification(event)!)
    await expect(handled).rejects.toThrow('the connection broke')
    await sweep()
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('is not delayed by one that cannot be handled', async () => {
    const [stuck, next] = [await reversed(2), await reversed(1)]
    const deps = failingFor(stuck.orderId)
    await handleUnhandledNotifications(deps, 1)
    expect(await shop.orderState(next.orderId)).toBe('completed')
    await handleUnhandledNotifications(deps, 1)
    expect(await shop.orderState(next.orderId)).toBe('refunded')
    await handleUnhandledNotifications(shop.checkout)
    expect(await shop.orderState(stuck.orderId)).toBe('refunded')
  })

  test('has an effect once, in whatever number and order the notifications arrive', async () => {
    const { orderId, captureId, ours } = await shop.paidOrder(1)
    await atProvider.giveBack(captureId, 'refund')
    const events = [...shop.paypal.book.events.values()].filter((one) => one.body.includes(ours.id))
    expect(events.length).toBeGreaterThan(2)
    for (const event of [...events.toReversed(), ...events])
      await handleNotification(shop.checkout, readNotification(JSON.parse(event.body))!)
    const once = { refunds: ['provider completed 593'], emails: [expect.any(String)] }
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', ...once })
  })

  test('about a dispute finds the order by the capture alone', async () => {
    const { orderId, captureId } = await shop.paidOrder(1)
    await atProvider.giveBack(captureId, 'reverse')
    const resource = { disputed_transactions: [{ seller_transaction_id: captureId }] }
    const dispute = readNotification({ id: 'WH-DISPUTE', event_type: 'CUSTOMER.DISPUTE.RESOLVED', resource })
    await handleNotification(shop.checkout, dispute!)
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('refunds a second payment at once; one about the first payment asks nothing', async () => {
    const { orderId, captureId } = await shop.paidOrder(2)
    const second = payAgain(orderId)
    const readOrder = vi.spyOn(shop.checkout.provider, 'readOrder')
    const notify = (id: string): Promise<void> => {
      const resource = { id, supplementary_data: { related_ids: { order_id: orderId } } }
      const event = { id: `WH-${id}`, event_type: 'PAYMENT.CAPTURE.COMPLETED', resource }
      return handleNotification(shop.checkout, readNotification(event)!)
    }
    await notify(captureId)
    expect(readOrder).not.toHaveBeenCalled()
    await notify(second)
    readOrder.mockRestore()
    await sweep()
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', returned: [1186] })
  })
})

describe('A notification about an order that a restored database lacks', () => {
  const subjects = () => shop.checkout.alerts.subjects(shop.db, 'unknownPayment')

  /** A payment under ids that the database lacks. @param reference how the provider names our order */
  async function unknownPayment(reference: string = randomUUID()) {
    const { orderId, captureId, ours } = await shop.paidOrder(1)
    const lostId = `LOST-${orderId}`
    const readOrder: typeof provider.readOrder = async (id) => ({
      ...(await provider.readOrder(id.replace(/^LOST-/, ''))),
      references: [reference],
    })
    const hint = { id: 'WH-LOST', type: 'TEST', reference, providerOrderId: lostId, captureId: undefined }
    const event = { ...hint, completedCaptureId: undefined, concernsPaidOrders: true, payload: {} }
    return {
      lostId,
      reference,
      total: ours.total_cents,
      giveBack: (value?: string) => atProvider.giveBack(captureId, 'refund', value),
      notify: (change: Partial<ProviderNotification> = {}) =>
        handleNotification(withProvider({ readOrder }), { ...event, ...change }),
    }
  }
  beforeEach(() => run(`DELETE FROM alerts WHERE kind = 'unknownPayment'`))

  test.each([
    ['names the payment', {}],
    ['names no payment', { providerOrderId: undefined }],
  ])('raises an alert until all money has gone back, also when the last one %s', async (_, change) => {
    const { lostId, reference, total, notify, giveBack } = await unknownPayment()
    for (let time = 0; time < 2; time += 1) await notify()
    const alerts = await run(`SELECT subject, details, times FROM alerts WHERE kind = 'unknownPayment'`)
    expect(alerts).toEqual([{ subject: lostId, details: { order: reference, cents: total }, times: 2 }])
    await giveBack('0.01')
    await notify()
    expect(await subjects()).toEqual([lostId])
    await giveBack()
    await notify(change)
    expect(await subjects()).toEqual([])
    await notify()
    expect(await subjects()).toEqual([])
  })

  test('raises no alert for a payment of another shop', async () => {
    const { notify } = await unknownPayment('invoice 7 of another shop')
    await notify()
    expect(await subjects()).toEqual([])
  })

  test('stays for the sweep while the provider does not respond', async () => {
    const { notify } = await unknownPayment()
    await expect(atProvider.silently(() => notify())).rejects.toThrow(ProviderUnknown)
    expect(await subjects()).toEqual([])
  })
})

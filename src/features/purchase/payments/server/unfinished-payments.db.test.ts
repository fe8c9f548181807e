import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { tellUnfinished } from '#features/purchase/orders/server/index.ts'
import { BuyerOrders } from '#features/purchase/orders/orders.contract.ts'
import { startMailServer } from '../../../../../test/support/mail-server.ts'
import type { Customer } from '../../../../../test/support/shop.ts'
import { openPaymentShop } from './payments.test-support.ts'
import type { Language } from '#shared/languages.ts'

const server = await startMailServer()
afterAll(() => server.close())
const lab = await openPaymentShop({ env: { SMTP_URL: server.url } })
const { shop, run, setOrder, sweep, leaveCapturing } = lab
// Its contests end when a test says so.
await shop.unlockTerms()

const LONG_AGO = `approved_at = now() - interval '6 minutes'`

type Approved = Awaited<ReturnType<typeof shop.approvedOrder>>
/** An order that its buyer approved six minutes ago. */
async function left(): Promise<Approved> {
  const order = await shop.approvedOrder(2)
  await setOrder(order.orderId, LONG_AGO)
  return order
}

const told = async (orderId: string) => {
  const { id } = await shop.orderOf(orderId)
  return run(`SELECT kind, state, recipient, language, subject FROM emails WHERE key = $1`, [
    `unfinished:${id}`,
  ])
}
const unfinishedOf = async (customer: Customer, language: Language = 'en') =>
  BuyerOrders.parse((await customer.get('/api/orders/?confirming=true', { language })).body).unfinished

beforeEach(() => {
  server.taken.length = 0
})

describe('A payment that its buyer approved and left', () => {
  test.each([
    ['was reported long ago', LONG_AGO],
    [
      'is reported by the provider only',
      `hold_until = now() + interval '2 minutes', checked_at = '2020-01-01'`,
    ],
    ['ends within moments', `${LONG_AGO}, hold_until = now() + interval '5 seconds'`],
  ])('is captured by no job when it %s, and given back at the end of its hold', async (_, values) => {
    const { orderId, offerId } = await shop.approvedOrder(2)
    await setOrder(orderId, values)
    await sweep()
    await setOrder(orderId, `approved_at = approved_at - interval '1 hour', checked_at = '2020-01-01'`)
    await lab.runJobs()
    expect(await shop.orderState(orderId)).toBe('held')
    await setOrder(orderId, 'hold_until = now()')
    await shop.expireHolds()
    await lab.runJobs()
    expect(await shop.orderState(orderId)).toBe('expired')
    expect(shop.capturesOf(orderId)).toEqual([])
    expect(await shop.counters(offerId)).toEqual({ tickets_held: 0, tickets_sold: 0 })
  })

  test('is not captured by the notification of the approval', async () => {
    const { orderId } = await shop.approvedOrder(1)
    const { id } = await shop.orderOf(orderId)
    await run(
      `INSERT INTO webhook_inbox (event_id, event_type, payload, received_at)
       VALUES ($1, 'CHECKOUT.ORDER.APPROVED', $2, now() - interval '1 minute')`,
      [
        `WH-${orderId}`,
        JSON.stringify({
          id: `WH-${orderId}`,
          event_type: 'CHECKOUT.ORDER.APPROVED',
          resource: { id: orderId, purchase_units: [{ custom_id: id }] },
        }),
      ],
    )
    await sweep()
    const { rows } = await shop.pool.query(`SELECT handled_at FROM webhook_inbox WHERE event_id = $1`, [
      `WH-${orderId}`,
    ])
    expect(rows).toEqual([{ handled_at: expect.any(Date) }])
    expect(await shop.orderOf(orderId)).toMatchObject({ state: 'held', approved_at: expect.any(Date) })
    expect(shop.capturesOf(orderId)).toEqual([])
  })

  test('is shown to its buyer alone, in the language of the page, also when no notification told of it', async () => {
    const { customer, orderId, offerId } = await shop.approvedOrder(2)
    expect((await shop.orderOf(orderId)).approved_at).toBeNull()
    await setOrder(orderId, `checked_at = '2020-01-01'`)
    for (const [language, word] of [
      ['fr', 'Concours'],
      ['nl', 'Wedstrijd'],
      ['en', 'Contest'],
    ] as const)
      expect(await unfinishedOf(customer, language)).toEqual([
        {
          number: expect.stringMatching(/^\w{4}-\w{4}$/),
          order_id: orderId,
          total: '11.86',
          lines: [{ title: `${word} ${offerId}`, quantity: 2 }],
          held_until: (await shop.orderOf(orderId)).hold_until.toISOString(),
        },
      ])
    expect(await unfinishedOf(await shop.newCustomer())).toEqual([])
    // The list of orders is of those for which money moved.
    expect((await customer.get('/api/orders/')).body).toEqual({ orders: [], next: null })
    expect(await shop.orderState(orderId)).toBe('held')
  })

  test('is shown after its cart has changed, too', async () => {
    const { customer, orderId, offerId } = await left()
    await customer.add(offerId, 1)
    expect(await unfinishedOf(customer)).toMatchObject([{ order_id: orderId }])
    expect((await customer.capture(orderId)).status).toBe(200)
    expect(await unfinishedOf(customer)).toEqual([])
  })
})

describe('Its email', () => {
  test.each([
    ['five minutes after the approval', `approved_at = now() - interval '301 seconds'`, 1],
    [
      'three minutes before the hold ends',
      `approved_at = now(), hold_until = now() + interval '170 seconds'`,
      1,
    ],
    [
      'not earlier',
      `approved_at = now() - interval '280 seconds', hold_until = now() + interval '200 seconds'`,
      0,
    ],
    ['not before an approval', `approved_at = NULL, hold_until = now() + interval '200 seconds'`, 0],
  ])('is written %s', async (_, values, count) => {
    const { orderId } = await shop.approvedOrder(1)
    await setOrder(orderId, `${values}, checked_at = now()`)
    await sweep()
    expect(await told(orderId)).toHaveLength(count)
  })

  test.each(['fr', 'nl', 'en'] as const)(
    'is one, in the language of the order (%s), and leads to the page where it is finished',
    async (language) => {
      const { orderId, customer } = await left()
      await setOrder(orderId, `language = '${language}'`)
      await Promise.all([sweep(), sweep(), tellUnfinished(shop.checkout), tellUnfinished(shop.checkout)])
      await sweep()
      await shop.mailer.deliver()
      await sweep()
      await shop.mailer.deliver()
      expect(await told(orderId)).toMatchObject([
        { kind: 'unfinished-payment', state: 'sent', recipient: customer.email, language },
      ])
      const mails = server.taken.filter(({ envelopeTo }) => envelopeTo[0] === customer.email)
      expect(mails).toHaveLength(1)
      const link = `/cart?unfinished=${orderId}${language === 'fr' ? '' : `&lang=${language}`}`
      expect(mails[0]?.text ?? '').toContain(link)
      expect(mails[0]?.text ?? '').toMatch({ fr: /11,86/, nl: /11,86/, en: /11\.86/ }[language])
      expect(shop.capturesOf(orderId)).toEqual([])
    },
  )

  const MEANWHILE: [what: string, act: (order: Approved) => Promise<unknown>][] = [
    ['finished in another tab', ({ customer, orderId }) => customer.capture(orderId)],
    [
      'given back',
      ({ customer, orderId }) => customer.post('/api/paypal/cancel-order/', { order_id: orderId }),
    ],
    ['being captured', ({ orderId }) => leaveCapturing(orderId)],
    [
      'over',
      async ({ orderId }) => {
        await setOrder(orderId, 'hold_until = now()')
        await shop.expireHolds()
      },
    ],
    ['of a contest that has ended', ({ offerId }) => shop.changeOffer(offerId, { end_date: new Date(0) })],
  ]

  test.each(MEANWHILE)('is not written for a payment that is %s', async (_, act) => {
    const order = await left()
    await act(order)
    await tellUnfinished(shop.checkout)
    expect(await told(order.orderId)).toEqual([])
  })

  test('is not written for a suspended account, or after a decline', async () => {
    const { customer, orderId } = await left()
    await run('UPDATE users SET is_active = false WHERE id = $1', [customer.id])
    const declined = await shop.approvedOrder(1, 'declined@buyer.test')
    await declined.customer.capture(declined.orderId)
    await setOrder(declined.orderId, LONG_AGO)
    await tellUnfinished(shop.checkout)
    for (const id of [orderId, declined.orderId]) expect(await told(id)).toEqual([])
  })

  test.each(MEANWHILE)('is not sent after a night without mail when it is %s by then', async (_, act) => {
    const order = await left()
    await tellUnfinished(shop.checkout)
    server.refuse.set(order.customer.email, { code: 451, text: 'later' })
    await shop.mailer.deliver()
    expect(await told(order.orderId)).toMatchObject([{ state: 'queued' }])
    server.refuse.clear()
    await act(order)
    await run(`UPDATE emails SET due_at = now() WHERE state = 'queued'`)
    await shop.mailer.deliver()
    expect(await told(order.orderId)).toMatchObject([{ state: 'kept' }])
    const unfinished = server.taken.filter(
      ({ envelopeTo, text }) => envelopeTo[0] === order.customer.email && text?.includes('unfinished='),
    )
    expect(unfinished).toEqual([])
  })

  test('is sent after a night without mail while there is something to finish', async () => {
    const { orderId, customer } = await left()
    await tellUnfinished(shop.checkout)
    server.refuse.set(customer.email, { code: 451, text: 'later' })
    await shop.mailer.deliver()
    server.refuse.clear()
    await run(`UPDATE emails SET due_at = now() WHERE state = 'queued'`)
    await shop.mailer.deliver()
    expect(await told(orderId)).toMatchObject([{ state: 'sent' }])
  })

  test('and a capture in another tab at the same moment leave one payment, and at most one email', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { orderId, customer } = await left()
      const [captured] = await Promise.all([
        customer.capture(orderId),
        tellUnfinished(shop.checkout),
        tellUnfinished(shop.checkout),
      ])
      expect(captured.status).toBe(200)
      await shop.mailer.deliver()
      expect(await shop.ticketCount(customer)).toBe(2)
      expect(shop.capturesOf(orderId)).toHaveLength(1)
      expect((await told(orderId)).map(({ state }) => state)).toEqual(
        (await told(orderId)).length === 0 ? [] : ['kept'],
      )
    }
  })
})

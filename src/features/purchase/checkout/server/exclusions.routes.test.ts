import { describe, expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { EXCLUSIONS_MAX } from '#features/accounts/exclusions.contract.ts'
import { postcard } from '../../../../../test/support/postcards.ts'
import { closeGate } from '../../../../../test/support/races.ts'
import { payerIdOf } from '../../../../../emulators/paypal/buyers.ts'
import { capturePayment } from './capture-payment.ts'

const lab = await openPaymentShop()
const { shop, provider, run, withProvider, reasonsOf, refundsOf, breaches, sweep } = lab
const owner = await shop.newStaff('owner')

const LIST = '/api/staff/exclusions/'
const free = { tickets_sold: 0, tickets_held: 0 }
const makeStaff = (id: number) => run(`UPDATE users SET role = 'support' WHERE id = $1`, [id])
const exclude = async (kind: 'email' | 'payer_id', value: string): Promise<void> => {
  const response = await owner.post(LIST, { kind, value, reason: 'household' })
  expect(response).toMatchObject({ status: 204 })
}
const refused = (code: string) => ({ status: 403, body: { code } })

describe('an account of staff, and one that is listed', () => {
  test.each(['staff', 'excluded'] as const)('cannot add, order or pay (%s)', async (kind) => {
    const { customer, orderId, offerId } = await shop.approvedOrder(2)
    const { customer: adding } = await shop.approvedOrder(1)
    for (const { id, email } of [customer, adding])
      await (kind === 'staff' ? makeStaff(id) : exclude('email', email.toUpperCase()))

    expect(await adding.add(offerId, 1)).toMatchObject(refused(`cart.${kind}`))
    expect(await adding.create('FR')).toMatchObject(refused(`cart.${kind}`))
    expect(await customer.capture(orderId)).toMatchObject(refused(`cart.${kind}`))
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
    expect(await shop.orderState(orderId)).toBe('cancelled')
    expect(await shop.counters(offerId)).toEqual(free)
    expect(await reasonsOf(orderId)).toEqual(['created', 'buyer_excluded'])
    // Again, and by the provider's way back.
    expect(await customer.capture(orderId)).toMatchObject(refused(`cart.${kind}`))
    const { id } = await shop.orderOf(orderId)
    const back = `/checkout/return?ref=${shop.checkout.signatures.of(id)}&token=${orderId}`
    expect((await shop.anonymous('GET', back)).headers['location']).toBe(`/cart?payment=${kind}`)
  })

  test('is told so in its language, with nothing changed', async () => {
    const customer = await shop.newCustomer()
    await makeStaff(customer.id)
    const offerId = await shop.newOffer()
    const said = []
    for (const language of ['fr', 'nl', 'en'] as const)
      said.push((await customer.add(offerId, 1, {}, { language })).body['detail'])
    expect(said).toEqual([
      'Les comptes de notre personnel ne peuvent pas participer aux concours. Rien n’a été débité.',
      'Met een account van ons personeel kun je niet meedoen aan wedstrijden. Er is niets afgeschreven.',
      'Accounts of our staff cannot take part in contests. Nothing was charged.',
    ])
    expect((await customer.get('/api/cart/')).body).toMatchObject([{ is_empty: true }])
  })

  test('keeps the tickets that it has, and buys again once nothing is against it', async () => {
    const { customer, offerId } = await shop.paidOrder(1)
    await makeStaff(customer.id)
    await exclude('email', customer.email)
    expect(await shop.ticketCount(customer)).toBe(1)
    await run('UPDATE users SET role = NULL WHERE id = $1', [customer.id])
    expect(await customer.add(offerId, 1)).toMatchObject(refused('cart.excluded'))
    const [row] = (await owner.get(LIST)).body as unknown as { id: number; value: string }[]
    expect(row?.value).toBe(customer.email)
    expect(await owner.post(`${LIST}${row?.id}/remove/`)).toMatchObject({ status: 204 })
    expect(await customer.add(offerId, 1)).toMatchObject({ status: 200 })
  })

  test('cannot enter by post, with an account or without', async () => {
    const offerId = await shop.newOffer()
    const staff = await shop.newCustomer()
    await makeStaff(staff.id)
    await exclude('email', 'neighbour@example.test')
    const refusals = []
    for (const email of [staff.email, 'Neighbour@example.test', 'friend@example.test']) {
      const { body } = await owner.post('/api/staff/post/entries/', postcard(offerId, { email }))
      refusals.push(body['refusal'])
    }
    expect(refusals).toEqual(['excluded', 'excluded', null])
  })
})

describe('a payer who is listed', () => {
  test.each(['email', 'payer_id'] as const)('pays nothing (%s); another one may', async (kind) => {
    const payer = `${kind}@payer.test`
    await exclude(kind, kind === 'email' ? payer : payerIdOf(payer))
    const { customer, orderId, offerId } = await shop.approvedOrder(2, payer)
    expect(await customer.capture(orderId)).toMatchObject(refused('checkout.payerExcluded'))
    expect(shop.capturesOf(orderId)).toEqual([])
    expect(await shop.orderState(orderId)).toBe('cancelled')
    expect(await shop.counters(offerId)).toEqual(free)
    expect(await customer.capture(orderId)).toMatchObject(refused('checkout.payerExcluded'))
    const next = (await customer.create()).body['order_id'] as string
    expect(next).not.toBe(orderId)
    await shop.paypal.approve(next, 'somebody.else@payer.test')
    expect(await customer.capture(next)).toMatchObject({ status: 200 })
  })

  test('whom only the capture names gets the money back and no tickets', async () => {
    const payer = 'late@payer.test'
    await exclude('payer_id', payerIdOf(payer).toLowerCase())
    const { customer, orderId, offerId } = await shop.approvedOrder(2, payer)
    const unnamed = withProvider({
      readOrder: async (id) => ({ ...(await provider.readOrder(id)), payer: undefined }),
    })
    const capture = capturePayment(unnamed, await shop.orderOf(orderId))
    await expect(capture).rejects.toMatchObject({ code: 'checkout.refunded' })
    await sweep()
    const order = await shop.orderOf(orderId)
    expect(order.state).toBe('refunded')
    expect(await reasonsOf(orderId)).toContain('payer_excluded')
    expect(await refundsOf(order.id)).toEqual([`shop completed ${order.total_cents}`])
    expect(await run(`SELECT reason FROM refunds WHERE order_id = $1`, [order.id])).toEqual([
      { reason: 'payer_excluded' },
    ])
    expect(shop.capturesOf(orderId)).toMatchObject([{ status: 'REFUNDED' }])
    expect(await shop.ticketCount(customer)).toBe(0)
    expect(await shop.counters(offerId)).toEqual(free)
    const [email] = (
      await run(`SELECT body_text FROM emails WHERE key LIKE 'refund:' || $1 || '%'`, [order.id])
    ).map((row) => row.body_text as string)
    expect(email).toContain('The payment came from an account that cannot take part in contests')
    expect(await breaches()).toEqual([])
  })

  test('gets a late payment back, too', async () => {
    const payer = 'later@payer.test'
    const { orderId, offerId } = await shop.approvedOrder(1, payer)
    await lab.setOrder(orderId, `capture_started_at = now()`)
    await provider.captureOrder(orderId, 'elsewhere')
    await exclude('email', payer)
    await lab.setOrder(orderId, `hold_until = now() - interval '1 second'`)
    await shop.expireHolds()
    expect(await shop.orderState(orderId)).toBe('expired')
    await lab.runJobs()
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await reasonsOf(orderId)).toContain('payer_excluded')
    expect(await shop.counters(offerId)).toEqual(free)
    expect(await breaches()).toEqual([])
  })

  test('pays nothing either when the process died before the capture', async () => {
    const payer = 'killed@payer.test'
    const { orderId, offerId } = await shop.approvedOrder(1, payer)
    await exclude('email', payer)
    await lab.leaveCapturing(orderId)
    await sweep()
    expect(await shop.orderState(orderId)).toBe('cancelled')
    expect(shop.capturesOf(orderId)).toEqual([])
    expect(await shop.counters(offerId)).toEqual(free)
  })
})

describe('the list', () => {
  test('takes each value once, in a form that can be found, and at most so many', async () => {
    const add = (kind: string, value: string, reason = 'other') => owner.post(LIST, { kind, value, reason })
    expect(await add('email', 'twice@payer.test')).toMatchObject({ status: 204 })
    const faults = [
      ['email', 'TWICE@payer.test', 'other', { value: ['This is listed already.'] }],
      ['email', 'nobody', 'other', { value: ['Please enter a valid email address'] }],
      ['payer_id', 'TOO-SHORT', 'other', { value: ['A PayPal payer id has 13 letters and digits.'] }],
      ['email', 'why@payer.test', '', { reason: ['This field is required.'] }],
    ] as const
    for (const [kind, value, reason, fields] of faults)
      expect(await add(kind, value, reason)).toMatchObject({ status: 400, body: { fields } })

    const { rowCount } = await shop.pool.query(
      `INSERT INTO excluded_payers (kind, value, digest, reason, added_by)
       SELECT 'email', n || '@full.test', sha256(convert_to(n || '@full.test', 'UTF8')), 'other', $1
       FROM generate_series(1, $2 - 1 - (SELECT count(*) FROM excluded_payers)) n`,
      [owner.id, EXCLUSIONS_MAX],
    )
    // Both count what the other one has added: the gate lets them reach the lock together.
    const gate = await closeGate(shop.url, 'LOCK TABLE excluded_payers IN SHARE ROW EXCLUSIVE MODE')
    const both = Promise.all([add('email', 'last@payer.test'), add('email', 'tooMany@payer.test')])
    await gate.waiting(2)
    await gate.open()
    const responses = await both
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204, 409]))
    expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'exclusions.full',
      detail: `The list holds ${EXCLUSIONS_MAX} rows at most. Remove some first.`,
    })
    expect(rowCount).toBeGreaterThan(0)
    await run(`DELETE FROM excluded_payers WHERE value LIKE '%@full.test'`)
  })

  test('is for owners alone, and the audit log holds no address', async () => {
    const manager = await shop.newStaff('manager')
    expect(await manager.get(LIST)).toMatchObject({ status: 403 })
    expect(await manager.post(LIST, { kind: 'email', value: 'a@payer.test', reason: 'other' })).toMatchObject(
      {
        status: 403,
      },
    )
    expect(await owner.post(`${LIST}999999/remove/`)).toMatchObject({ status: 404 })
    await owner.get(LIST)
    const entries = await run(`SELECT action, entry FROM audit_log WHERE action LIKE 'exclusions.%'`)
    expect(new Set(entries.map(({ action }) => action))).toEqual(
      new Set(['exclusions.add', 'exclusions.remove', 'exclusions.read']),
    )
    for (const { entry } of entries) expect(entry).not.toMatch(/@|payer\.test/)
  })

  test('that a screen keeps open is one entry of the audit log, and one for each row that comes', async () => {
    const reader = await shop.newStaff('owner')
    const shown = async (): Promise<unknown[]> => {
      const entries = await run(
        `SELECT entry::jsonb #> '{after,shown}' AS shown FROM audit_log
         WHERE action = 'exclusions.read' AND actor_id = ${reader.id} ORDER BY id`,
      )
      return entries.map((entry) => entry['shown'])
    }
    await reader.get(LIST)
    await reader.get(LIST)
    const [first, ...others] = await shown()
    expect(others).toEqual([])
    await owner.post(LIST, { kind: 'email', value: 'come@payer.test', reason: 'other' })
    await Promise.all([reader.get(LIST), reader.get(LIST)])
    const [{ id } = {}] = await run(`SELECT id FROM excluded_payers WHERE value = 'come@payer.test'`)
    expect(await shown()).toEqual([first, [id]])
  })
})

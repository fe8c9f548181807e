import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { tellEntrants } from '#features/postal/server/index.ts'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { shopPost } from '#server/shop-mailer.ts'
import { cents, parseEur } from '#shared/money.ts'
import type { StaffRefundRequest } from '../refund-plan.rules.ts'
import { postcard } from '../../../../../test/support/postcards.ts'
import { statuses } from '../../../../../test/support/races.ts'
import type { Staff } from '../../../../../test/support/shop.ts'
import { onStatements } from '../../../../../test/support/statements.ts'
import { refundApprovals } from './staff-refunds.routes.ts'
import { requestStaffRefund } from './staff-refunds.ts'
import { sendNow } from './send-refunds.ts'
import { isExtended } from '../../../../../test/support/tier.ts'

// Most of what is tried here is about one order alone.
const lab = await openPaymentShop({
  env: { REFUND_AMOUNT_ALONE_MAX: '100', REFUND_DAY_ALONE_MAX: '100000' },
})
const { shop, atProvider, provider, run, withProvider, resultOf, textsTo, alertsOf } = lab
const { refundsAt, refundsOf, sweep, cancelOffer, invariantsHold } = lab

let staff: Staff
let second: Staff
beforeAll(async () => {
  staff = await shop.newStaff('support')
  second = await shop.newStaff('manager')
})

// Whatever breaks one of them stays.
afterAll(invariantsHold)

const path = (orderId: string, rest = '') => `/api/staff/orders/${orderId}/refund/${rest}`
const preview = (orderId: string, body: object = {}) => staff.post(path(orderId, 'preview/'), body)
const refund = (orderId: string, body: object = {}, by = staff) =>
  by.post(path(orderId), { reason: 'We are sorry', reason_code: 'goodwill', ...body })

/** A paid order of 28.34 for three tickets of 5.93 (4.90 and VAT) and one of 10.55 (8.72 and VAT, rounded down). */
async function paidForFour(of?: { first: number; other: number }) {
  const first = of?.first ?? (await shop.newOffer())
  const other = of?.other ?? (await shop.newOffer({ price_cents: 872 }))
  const customer = await shop.newCustomer()
  await customer.add(first, 3)
  await customer.add(other, 1)
  const orderId = (await customer.create()).body['order_id'] as string
  await shop.paypal.approve(orderId)
  expect((await customer.capture(orderId)).status).toBe(200)
  const { id } = await shop.orderOf(orderId)
  return { orderId, id, customer, captureId: atProvider.captureIdOf(orderId), first, other }
}
type Paid = Awaited<ReturnType<typeof paidForFour>>

const stateOf = async ({ orderId, id }: Pick<Paid, 'orderId' | 'id'>) => ({
  state: await shop.orderState(orderId),
  refunds: (await run(
    `SELECT capture_id AS id, amount_cents AS cents FROM refunds WHERE order_id = $1 AND status = 'completed' ORDER BY id`,
    [id],
  )) as { id: string; cents: number }[],
  void: (
    await run(
      `SELECT t.offer_id, lpad(t.number::text, length(o.total_tickets::text), '0') AS number
       FROM tickets t JOIN offers o ON o.id = t.offer_id WHERE order_id = $1 AND status = 'void' ORDER BY 1, 2`,
      [id],
    )
  ).map((row) => `${row.offer_id} ${row.number}`),
  emails: (
    await run(`SELECT subject FROM emails WHERE key LIKE 'refund:' || $1 || '%' ORDER BY id`, [id])
  ).map((row) => row.subject as string),
})

const MAILS: Record<string, RegExp> = {
  takenBack: /your tickets are cancelled$/,
  ticketsRefunded: /^We have refunded (your ticket|\d+ tickets): /,
  partRefunded: /^We have refunded €\S+ of your order$/,
}

/** Asks for a preview, refunds, and compares what was announced with what was done, to the cent and the number. */
async function refundAsPreviewed(paid: Paid, body: object) {
  const before = await stateOf(paid)
  const announced = await preview(paid.orderId, body)
  expect(announced.status, JSON.stringify(announced.body)).toBe(200)
  const { amount, left, left_after, captures, tickets, state_after, emails } = announced.body
  expect(await stateOf(paid)).toEqual(before)
  const done = await refund(paid.orderId, { ...body, expected_left: left })
  expect(done.status, JSON.stringify(done.body)).toBe(200)
  const after = await stateOf(paid)
  expect(after.state).toBe(state_after)
  const made = after.refunds.slice(before.refunds.length)
  expect(made).toEqual(
    captures.map((one: { id: string; amount: string }) => ({ id: one.id, cents: parseEur(one.amount) })),
  )
  expect(made.reduce((sum, one) => sum + one.cents, 0)).toBe(parseEur(amount))
  const gone = after.void.filter((one) => !before.void.includes(one))
  expect(gone).toEqual(
    tickets.flatMap((line: { offer_id: number; numbers: string[] }) =>
      line.numbers.map((number) => `${line.offer_id} ${number}`),
    ),
  )
  const mails = after.emails.slice(before.emails.length)
  expect(mails).toHaveLength(emails.length)
  for (const [index, mail] of mails.entries()) expect(mail).toMatch(MAILS[emails[index].kind]!)
  expect(parseEur(left) - parseEur(amount)).toBe(parseEur(left_after))
  const next = state_after === 'completed' ? (await preview(paid.orderId)).body : announced.body
  expect([next['left_after'] === undefined, next['left']]).toEqual([
    false,
    state_after === 'completed' ? left_after : left,
  ])
  return announced.body
}

describe('A refund of a part', () => {
  const linesOf = ({ first, other }: Paid, ofFirst: number, ofOther = 0) => ({
    lines: [
      ...(ofFirst > 0 ? [{ offer_id: first, quantity: ofFirst }] : []),
      ...(ofOther > 0 ? [{ offer_id: other, quantity: ofOther }] : []),
    ],
  })
  type Step = (paid: Paid) => object
  const amount =
    (value: string): Step =>
    () => ({ amount: value })
  const tickets =
    (ofFirst: number, ofOther?: number): Step =>
    (paid) =>
      linesOf(paid, ofFirst, ofOther)
  const whole: Step = () => ({})

  /** Steps of one order, each with the cents and their VAT. */
  test.each<[string, ...[Step, cents: number, tax: number][]]>([
    ['all', [whole, 2_834, 492]],
    ['an amount, then the rest', [amount('5'), 500, 87], [whole, 2_334, 405]],
    [
      'amounts, after each other',
      [amount('0.01'), 1, 0],
      [amount('10,50'), 1_050, 182],
      [amount('17.82'), 1_782, 310],
    ],
    [
      'one ticket of three, twice, then the rest',
      [tickets(1), 593, 103],
      [tickets(1), 593, 103],
      [whole, 1_648, 286],
    ],
    ['a whole line, then an amount', [tickets(0, 1), 1_055, 183], [amount('3.00'), 300, 52]],
    ['tickets of two lines', [tickets(2, 1), 2_241, 389], [tickets(1), 593, 103]],
    ['tickets after a courtesy', [amount('4.00'), 400, 69], [tickets(2), 1_186, 206], [whole, 1_248, 217]],
    ['all tickets, named one by one', [tickets(3, 1), 2_834, 492]],
  ])('does what its preview says: %s', async (_, ...steps) => {
    const paid = await paidForFour()
    for (const [step, cents_, tax] of steps) {
      const announced = await refundAsPreviewed(paid, step(paid))
      expect([parseEur(announced.amount), parseEur(announced.tax)]).toEqual([cents_, tax])
    }
  })

  test('beside a cancelled contest leaves each its share, in either order', async () => {
    const cancelledFirst = await paidForFour()
    await cancelOffer(cancelledFirst.other)
    await sweep()
    await refundAsPreviewed(cancelledFirst, linesOf(cancelledFirst, 2))
    expect((await resultOf(cancelledFirst.orderId)).returned).toEqual([1_055, 1_186])

    const refundedFirst = await paidForFour()
    await refundAsPreviewed(refundedFirst, linesOf(refundedFirst, 2))
    await cancelOffer(refundedFirst.first)
    await sweep()
    const shares = { state: 'completed', returned: [1_186, 593], tickets: ['void', 'void', 'void', 'valid'] }
    expect(await resultOf(refundedFirst.orderId)).toMatchObject(shares)
    await cancelOffer(refundedFirst.other)
    await sweep()
    expect(await resultOf(refundedFirst.orderId)).toMatchObject({
      state: 'refunded',
      returned: [1_186, 593, 1_055],
    })
  })

  test('of a line without a number of tickets takes what is left of it', async () => {
    const paid = await paidForFour()
    await refundAsPreviewed(paid, linesOf(paid, 1))
    const announced = await refundAsPreviewed(paid, { lines: [{ offer_id: paid.first }] })
    expect(announced).toMatchObject({ amount: '11.86', tickets: [{ count: 2 }], left_after: '10.55' })
  })

  test('tells the buyer in their language, with the numbers and what staff wrote', async () => {
    const paid = await paidForFour()
    await run(`UPDATE orders SET language = 'nl' WHERE id = $1`, [paid.id])
    await refund(paid.orderId, linesOf(paid, 1))
    const [text] = await textsTo(paid.id)
    expect(text).toMatch(/We hebben €\s5,93 terugbetaald via PayPal voor één ticket van je bestelling/)
    expect(text).toContain('We are sorry')
    expect(text).toContain((await stateOf(paid)).void[0]?.split(' ')[1])
    const { body } = await staff.get(`/api/staff/orders/${paid.id}/`)
    expect(body['refunds']).toMatchObject([
      { amount: '5.93', tax: '1.03', part: 'lines', staff_reason: 'goodwill', by: staff.name },
    ])
  })

  test.each<[string, (paid: Paid) => object, number, string, string?]>([
    ['more than is left', () => ({ amount: '28.35' }), 409, 'refund.notEnoughLeft', '28.34'],
    ['all that is left, as an amount', () => ({ amount: '28.34' }), 409, 'refund.takesAll', '28.34'],
    ['more tickets than there are', (paid) => linesOf(paid, 4), 409, 'refund.noSuchTickets', '28.34'],
    ['another contest', () => ({ lines: [{ offer_id: 1_000_000 }] }), 409, 'refund.noSuchTickets', '28.34'],
    ['tickets and an amount', (paid) => ({ ...linesOf(paid, 1), amount: '1.00' }), 400, 'request.invalid'],
    ['nothing', () => ({ amount: '0' }), 400, 'request.invalid'],
    ['a negative amount', () => ({ amount: '-1' }), 400, 'request.invalid'],
    ['parts of cents', () => ({ amount: '1.005' }), 400, 'request.invalid'],
    [
      'a line twice',
      ({ first }) => ({ lines: [{ offer_id: first }, { offer_id: first }] }),
      400,
      'request.invalid',
    ],
    ['no lines', () => ({ lines: [] }), 400, 'request.invalid'],
    ['an unknown code', () => ({ reason_code: 'because' }), 400, 'request.invalid'],
    [
      'what was seen before something changed',
      () => ({ amount: '1', expected_left: '28.33' }),
      409,
      'refund.changed',
      '28.34',
    ],
  ])('of %s is refused, and changes nothing', async (_, bodyOf, status, code, left) => {
    const paid = await paidForFour()
    const response = await refund(paid.orderId, bodyOf(paid))
    expect(response).toMatchObject({ status, body: { code } })
    expect(response.body['left']).toBe(left)
    expect(await stateOf(paid)).toEqual({ state: 'completed', refunds: [], void: [], emails: [] })
  })

  test('finds what was refunded at the provider in between, and tells how much is left', async () => {
    const paid = await paidForFour()
    const { left } = (await preview(paid.orderId, { amount: '20' })).body
    await atProvider.giveBack(paid.captureId, 'refund', '10.00')
    const told = await refund(paid.orderId, { amount: '20', expected_left: left })
    expect(told).toMatchObject({ status: 409, body: { code: 'refund.changed', left: '18.34' } })
    expect(await resultOf(paid.orderId)).toMatchObject({
      returned: [1_000],
      refunds: ['provider completed 1000'],
    })
    const without = await refund(paid.orderId, { amount: '20' })
    expect(without).toMatchObject({ status: 409, body: { code: 'refund.notEnoughLeft', left: '18.34' } })
    await refundAsPreviewed(paid, linesOf(paid, 3))
  })

  test('asks the provider first, and does nothing while it is silent', async () => {
    const paid = await paidForFour()
    expect((await atProvider.silently(() => refund(paid.orderId, { amount: '1' }))).status).toBe(503)
    expect(await stateOf(paid)).toMatchObject({ state: 'completed', refunds: [] })
  })

  const ask = async (paid: Paid, wanted: StaffRefundRequest, deps = shop.checkout) => {
    const by = { actor: { userId: staff.id, name: staff.name } }
    await requestStaffRefund(
      deps,
      await shop.orderOf(paid.orderId),
      { wanted, reason: 'error', note: 'sorry' },
      by,
    )
    await sendNow(deps, paid.id)
  }
  const oneTicket = ({ first }: Paid): StaffRefundRequest => ({
    kind: 'lines',
    lines: [{ offer_id: first, quantity: 1 }],
  })
  const oneEuro = (): StaffRefundRequest => ({ kind: 'amount', amount: cents(100) })

  test.each([
    ['tickets', oneTicket],
    ['an amount', oneEuro],
  ])(
    'of %s that the provider refuses voids nothing and raises an alert until another is made',
    async (_, wantedOf) => {
      const paid = await paidForFour()
      const refuses = withProvider({ refund: () => Promise.reject(new ProviderRefused('other')) })
      await ask(paid, wantedOf(paid), refuses)
      expect(await resultOf(paid.orderId)).toMatchObject({
        state: 'completed',
        tickets: ['valid', 'valid', 'valid', 'valid'],
        emails: [],
        alerts: ['refundRefused'],
      })
      await lab.reconcileOrder(paid.orderId)
      expect((await resultOf(paid.orderId)).returned).toEqual([])
      await ask(paid, wantedOf(paid))
      expect(await resultOf(paid.orderId)).toMatchObject({ alerts: [], emails: [expect.any(String)] })
    },
  )

  test('of tickets whose response is lost voids them once the provider is asked again; meanwhile nobody refunds', async () => {
    const paid = await paidForFour()
    const loses = withProvider({
      refund: async (...call) => {
        await provider.refund(...call)
        throw new ProviderUnknown('the connection broke')
      },
    })
    await ask(paid, oneTicket(paid), loses)
    expect(await resultOf(paid.orderId)).toMatchObject({
      tickets: ['valid', 'valid', 'valid', 'valid'],
      emails: [],
    })
    for (const body of [{ amount: '1' }, {}])
      expect((await refund(paid.orderId, body)).body['code']).toBe('refund.inProgress')
    const [{ slug }] = await run('SELECT slug FROM offers WHERE id = $1', [paid.first])
    const announced = await second.get(`/api/staff/offers/${slug}/cancellation/preview/`)
    expect(announced.body).toMatchObject({ tickets: 2, amount: '11.86' })
    // The contest is cancelled meanwhile: its share waits for the outcome, and is less the ticket.
    await cancelOffer(paid.first)
    for (let time = 0; time < 3; time += 1) await sweep()
    expect(await resultOf(paid.orderId)).toMatchObject({ state: 'completed', returned: [593, 1_186] })
  })

  test('of tickets that fails later is sent again; an amount is for staff to repeat', async () => {
    const paid = await paidForFour()
    const failAndReconcile = async () => {
      await lab.failLastRefund(paid.orderId)
      for (let time = 0; time < 2; time += 1) await lab.reconcileOrder(paid.orderId)
    }
    await ask(paid, oneTicket(paid))
    await failAndReconcile()
    expect(await refundsOf(paid.id)).toEqual(['shop failed 593', 'shop completed 593'])
    expect((await stateOf(paid)).void).toHaveLength(1)
    await ask(paid, oneEuro())
    await failAndReconcile()
    expect(await refundsOf(paid.id)).toEqual(['shop failed 593', 'shop completed 593', 'shop failed 100'])
    expect(await alertsOf(paid.id)).toContain('refundRefused')
  })

  test('before the whole order goes back is finished first', async () => {
    const paid = await paidForFour()
    await ask(
      paid,
      oneTicket(paid),
      withProvider({ refund: () => Promise.reject(new ProviderUnknown('away')) }),
    )
    expect((await refund(paid.orderId)).body['code']).toBe('refund.inProgress')
    await lab.reconcileOrder(paid.orderId)
    expect((await refund(paid.orderId)).status).toBe(200)
    await lab.reconcileOrder(paid.orderId)
    expect(await resultOf(paid.orderId)).toMatchObject({ state: 'refunded', returned: [593, 2_241] })
    expect(await textsTo(paid.id)).toHaveLength(2)
  })
})

describe('100 staff actions in parallel on one order', () => {
  const AT_ONCE = 100

  test.runIf(isExtended).each<[string, (paid: Paid, index: number) => object]>([
    ['refunds of a part', () => ({ amount: '1.00' })],
    [
      'refunds of parts, tickets and all, which saw the same order',
      ({ first }, index) => ({
        expected_left: '28.34',
        ...[{}, { amount: '1.00' }, { lines: [{ offer_id: first, quantity: 1 }] }][index % 3],
      }),
    ],
  ])('one wins, the others are told: %s', async (_, bodyOf) => {
    const paid = await paidForFour()
    const responses = await Promise.all(
      Array.from({ length: AT_ONCE }, (_one, index) => refund(paid.orderId, bodyOf(paid, index))),
    )
    expect(statuses(responses).filter((status) => status === 200)).toHaveLength(1)
    expect(new Set(statuses(responses))).toEqual(new Set([200, 409]))
    expect(refundsAt(paid.orderId)).toHaveLength(1)
  })
})

describe('Two people', () => {
  /** An order of 118.58 for 20 tickets. */
  const expensive = async () => {
    const paid = await shop.paidOrder(20)
    return { ...paid, id: paid.ours.id }
  }

  test('refund above the limit: nothing moves before the second one agrees, and then once', async () => {
    const paid = await expensive()
    expect((await preview(paid.orderId)).body).toMatchObject({ needs_approval: true, alone_max: '100.00' })
    const asked = await refund(paid.orderId)
    expect(asked).toMatchObject({
      status: 202,
      body: {
        approval: {
          permission: 'orders.refund',
          subject: paid.id,
          preview: { amount: '118.58', tickets: 20 },
        },
      },
    })
    expect(await stateOf(paid)).toEqual({ state: 'completed', refunds: [], void: [], emails: [] })
    expect((await refund(paid.orderId)).body['code']).toBe('staff.approvalWaits')
    const { id } = asked.body['approval']
    expect((await staff.post(`/api/staff/approvals/${id}/approve/`)).status).toBe(409)
    const approved = await second.post(`/api/staff/approvals/${id}/approve/`)
    expect(approved.body).toMatchObject({ decision: 'approved', failure: null })
    expect(await resultOf(paid.orderId)).toMatchObject({ state: 'refunded', returned: [11_858] })
    // A process that died after it acted calls it again.
    const kind = refundApprovals(shop.checkout).find(({ permission }) => permission === 'orders.refund')!
    const [{ input }] = await run('SELECT input FROM approvals WHERE id = $1', [id])
    const by = {
      actor: { userId: staff.id, name: 'a' },
      approver: { userId: second.id, name: 'b' },
      approvalId: id,
    }
    await kind.run(input, by)
    expect(refundsAt(paid.orderId)).toHaveLength(1)
    const [{ entry }] = await run(
      `SELECT entry::jsonb AS entry FROM audit_log WHERE subject = $1 AND action = 'orders.refund'`,
      [paid.id],
    )
    expect(entry).toMatchObject({
      actor: 'system',
      after: { approval: id, requested_by: staff.id, amount: '118.58' },
    })
  })

  test('are asked for small steps, too, once they pass the limit together', async () => {
    const paid = await expensive()
    const steps = ['60.00', '40.00', '0.01'].map(
      (amount) => async () => (await refund(paid.orderId, { amount })).status,
    )
    for (const [index, step] of steps.entries()) expect(await step()).toBe([200, 200, 202][index])
  })

  test('are told when the order changed between them', async () => {
    const paid = await expensive()
    const { id } = (await refund(paid.orderId)).body['approval']
    await atProvider.giveBack(paid.captureId, 'refund', '1.00')
    await lab.reconcileOrder(paid.orderId)
    const late = await second.post(`/api/staff/approvals/${id}/approve/`)
    expect(late).toMatchObject({ status: 409, body: { code: 'refund.changed', left: '117.58' } })
    expect((await resultOf(paid.orderId)).returned).toEqual([100])
  })
})

test.runIf(isExtended)(
  'A second payment that went back has no tax, and changes that of no other refund',
  async () => {
    const paid = await paidForFour()
    lab.payAgain(paid.orderId)
    for (let time = 0; time < 2; time += 1) await lab.runJobs()
    expect((await preview(paid.orderId, { amount: '5.93' })).body).toMatchObject({ tax: '1.03' })
    await refund(paid.orderId, { amount: '5.93' })
    const { body } = await staff.get(`/api/staff/orders/${paid.orderId}/`)
    expect(body['refunds']).toMatchObject([
      { amount: '28.34', tax: '0.00', reason: 'paid_twice' },
      { amount: '5.93', tax: '1.03' },
    ])
  },
)

describe('Cancelling a contest', () => {
  const previewOf = async (slug: string) =>
    (await second.get(`/api/staff/offers/${slug}/cancellation/preview/`)).body
  const cancel = (slug: string, by = second, call = {}) =>
    by.post(`/api/staff/offers/${slug}/cancel/`, { reason: 'no car' }, call)
  const slugOf = async (offerId: number) =>
    (await run('SELECT slug FROM offers WHERE id = $1', [offerId]))[0].slug

  test('that nobody bought takes one person', async () => {
    const offerId = await shop.newOffer()
    const slug = await slugOf(offerId)
    expect(await previewOf(slug)).toMatchObject({ orders: 0, amount: '0.00', needs_approval: false })
    // Whoever cancels does not wait for the progress, which counts the orders.
    onStatements(({ text, send }) =>
      text.includes('payments_in_progress') && text.includes('refunds_completed_at')
        ? Promise.reject(new Error('it takes too long'))
        : send(),
    )
    const cancelled = await cancel(slug).finally(() => vi.restoreAllMocks())
    expect(cancelled).toMatchObject({ status: 200, body: { slug } })
    const progress = await second.get(`/api/staff/offers/${slug}/cancellation/`)
    expect(progress).toMatchObject({ status: 200, body: { reason: 'no car', waiting: 0 } })
    // Under the id, as all that is done with a contest.
    expect(
      await run(`SELECT subject FROM audit_log WHERE action = 'offers.cancel' ORDER BY id DESC LIMIT 1`),
    ).toEqual([{ subject: String(offerId) }])
    expect((await cancel('no-such-contest')).status).toBe(404)
  })

  test('that somebody entered by post takes two, although nobody bought', async () => {
    const offerId = await shop.newOffer()
    expect((await staff.post('/api/staff/post/entries/', postcard(offerId))).status).toBe(201)
    const slug = await slugOf(offerId)
    expect(await previewOf(slug)).toMatchObject({ tickets: 0, letters: 1, needs_approval: true })
    expect((await cancel(slug)).status).toBe(202)
    expect(await run('SELECT state FROM offers WHERE id = $1', [offerId])).toEqual([{ state: 'open' }])
  })

  test('that was sold takes two, and does what its preview says', async () => {
    const one = await paidForFour()
    const two = await paidForFour(one)
    const paid = [one, two]
    await refund(one.orderId, { lines: [{ offer_id: one.first, quantity: 1 }] })
    await refund(two.orderId, { amount: '25.00' })
    const entries = [{ email: 'poster@person.test' }, {}]
    for (const entry of entries)
      expect((await staff.post('/api/staff/post/entries/', postcard(one.first, entry))).status).toBe(201)
    const slug = await slugOf(one.first)
    const announced = await previewOf(slug)
    // Of the second order less is left than its share, and a cent keeps its other ticket valid.
    expect(announced).toMatchObject({
      orders: 2,
      amount: '15.19',
      emails: 3,
      letters: 1,
      tickets: 5,
      tickets_without_order: 2,
      needs_approval: true,
    })
    const emailsSent = async () =>
      (await run(`SELECT id FROM emails WHERE kind IN ('refund', 'postal-cancelled')`)).length
    const emailsBefore = await emailsSent()
    const before = await Promise.all(paid.map(stateOf))
    const asked = await cancel(slug)
    expect(asked.status).toBe(202)
    expect(await Promise.all(paid.map(stateOf))).toEqual(before)
    const owner = await shop.newStaff('owner')
    expect((await owner.post(`/api/staff/approvals/${asked.body['approval'].id}/approve/`)).status).toBe(200)
    for (let time = 0; time < 2; time += 1) await sweep()
    await tellEntrants(shopPost({ db: shop.db, config: shop.config }))
    expect((await emailsSent()) - emailsBefore).toBe(announced['emails'])
    const voided = `SELECT number FROM tickets WHERE offer_id = $1 AND order_id IS NULL AND status = 'void'`
    expect(await run(voided, [one.first])).toHaveLength(announced['tickets_without_order'])
    const after = await Promise.all(paid.map(stateOf))
    const sum = (states: typeof after, of: (one: (typeof after)[number]) => number) =>
      states.reduce((all, one) => all + of(one), 0)
    const moneyOf = (one: (typeof after)[number]) =>
      one.refunds.reduce((all, { cents: back }) => all + back, 0)
    expect(sum(after, moneyOf) - sum(before, moneyOf)).toBe(parseEur(announced['amount']))
    expect(after.map(({ state }) => state)).toEqual(['completed', 'completed'])
    // The tickets of the other contest stay valid.
    expect(after.flatMap((state) => state.void.filter((text) => text.startsWith(`${one.other} `)))).toEqual(
      [],
    )
  })

  test('is approved for the money that was seen; when more would go back, the second person is told', async () => {
    const offerId = await shop.newOffer()
    await shop.paidOrder(1, undefined, offerId)
    const slug = await slugOf(offerId)
    const { id } = (await cancel(slug)).body['approval']
    await shop.paidOrder(2, undefined, offerId)
    const owner = await shop.newStaff('owner')
    const approve = (query: string) => owner.post(`/api/staff/approvals/${id}/approve/${query}`)
    const grown = { status: 409, body: { code: 'offer.moreToRefund', amount: '17.79' } }
    expect(await approve('')).toMatchObject(grown)
    expect(await approve('?seen=17.78')).toMatchObject(grown)
    expect((await approve('?seen=much')).status).toBe(400)
    expect(await run('SELECT state FROM offers WHERE id = $1', [offerId])).toEqual([{ state: 'open' }])
    expect(await approve('?seen=17.79')).toMatchObject({ status: 200, body: { decision: 'approved' } })
  })

  test('that is sold after one person saw that nobody had bought of it takes two', async () => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    const { body } = await customer.order(offerId, 1)
    await shop.paypal.approve(body['order_id'])
    const slug = await slugOf(offerId)
    let paid: ReturnType<typeof customer.capture> | undefined
    onStatements(async ({ text, send }) => {
      if (!paid && /update "?offers"?/i.test(text) && /cancelled_at/i.test(text))
        await (paid = customer.capture(body['order_id']))
      return send()
    })
    const asked = await cancel(slug).finally(() => vi.restoreAllMocks())
    expect([(await paid)?.status, asked.status]).toEqual([200, 202])
    expect(await run('SELECT state FROM offers WHERE id = $1', [offerId])).toEqual([{ state: 'open' }])
    expect(await resultOf(body['order_id'])).toMatchObject({ state: 'completed', tickets: ['valid'] })
  })
})

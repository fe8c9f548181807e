import { beforeAll, describe, expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { taxInPart } from '#shared/money.ts'
import { formatSum } from '#i18n/format.ts'
import type { Staff } from '../../../../test/support/shop.ts'
import type { SalesFigures, SalesReport, SalesRow } from '../sales.contract.ts'
import { sendReports } from './send-reports.ts'
import type { Language } from '#shared/languages.ts'

const lab = await openPaymentShop({
  env: { LIMITS_FACTOR: '1000', ALERT_EMAIL: 'ops@shop.test', REFUND_AMOUNT_ALONE_MAX: '1000' },
})
const { shop, run, sweep, cancelOffer, atProvider, reconcileAll, refundsAt } = lab
const SALES = '/api/staff/reports/sales/'
const ZONE = 'Europe/Brussels'

let staff: Staff
/** Orders of two contests in three countries, on both sides of midnights, with refunds of each kind. */
let first: number
let other: number
let gone: number

const dayOf = (at: Date): string => new Intl.DateTimeFormat('sv', { timeZone: ZONE }).format(at)

async function paid(
  country: string,
  lines: readonly (readonly [offer: number, quantity: number])[],
  at: string,
) {
  const customer = await shop.newCustomer()
  for (const [offer, quantity] of lines) await customer.add(offer, quantity)
  const orderId = (await customer.create(country)).body['order_id'] as string
  await shop.paypal.approve(orderId)
  expect((await customer.capture(orderId)).status).toBe(200)
  const { id } = await shop.orderOf(orderId)
  await run(`UPDATE order_events SET at = $2 WHERE order_id = $1 AND to_state = 'completed'`, [id, at])
  await run('UPDATE captures SET recorded_at = $2 WHERE order_id = $1', [id, at])
  return { id, orderId }
}

async function refund(orderId: string, body: object, at: string): Promise<void> {
  const response = await staff.post(`/api/staff/orders/${orderId}/refund/`, {
    reason: 'Sorry',
    reason_code: 'goodwill',
    ...body,
  })
  expect(response.status, JSON.stringify(response.body)).toBe(200)
  await moveRefunds(orderId, at)
}

/** The refunds of an order that were made just now were made then. */
const moveRefunds = async (orderId: string, at: string) =>
  run(
    `UPDATE refunds r SET completed_at = $2 FROM orders o
     WHERE o.id = r.order_id AND o.provider_order_id = $1 AND r.completed_at > now() - interval '1 hour'`,
    [orderId, at],
  )

beforeAll(async () => {
  staff = await shop.newStaff('owner')
  // Orders of the past.
  await run('ALTER TABLE order_events DISABLE TRIGGER order_events_only_grow')
  first = await shop.newOffer({ price_cents: 490 })
  other = await shop.newOffer({ price_cents: 872, title_en: '=SUM(A1)' })
  gone = await shop.newOffer({ price_cents: 333 })
  // The last instant of a year in Brussels, and the first of the next one.
  await paid('BE', [[first, 1]], '2025-12-31T22:59:59.999999Z')
  const newYear = await paid(
    'FR',
    [
      [first, 3],
      [other, 1],
    ],
    '2025-12-31T23:00:00Z',
  )
  // The nights of the clock changes, on both sides of their midnights.
  await paid('NL', [[other, 2]], '2026-03-28T22:59:59Z')
  const spring = await paid(
    'NL',
    [
      [first, 2],
      [other, 3],
      [gone, 1],
    ],
    '2026-03-28T23:00:00Z',
  )
  await paid('BE', [[first, 7]], '2026-03-29T21:59:59Z')
  const autumn = await paid(
    'FI',
    [
      [first, 1],
      [gone, 5],
    ],
    '2026-10-24T22:00:00Z',
  )
  await paid('FI', [[gone, 2]], '2026-10-25T22:59:59Z')
  await refund(newYear.orderId, { lines: [{ offer_id: first, quantity: 1 }] }, '2026-01-01T12:00:00Z')
  await refund(newYear.orderId, { amount: '1.01' }, '2026-03-29T00:30:00Z')
  await refund(newYear.orderId, {}, '2026-10-25T00:30:00Z')
  await refund(spring.orderId, { amount: '0.07' }, '2026-03-29T21:59:59.5Z')
  await cancelOffer(gone)
  await sweep()
  await moveRefunds(autumn.orderId, '2026-10-25T01:30:00Z')
  // The other refunds of the cancelled contest: in the same year, whenever this test runs.
  await run(
    `UPDATE refunds SET completed_at = '2026-10-26T01:30:00Z' WHERE completed_at > now() - interval '1 hour'`,
  )
})

interface Facts {
  id: string
  country: string
  rate: string
  total: number
  tax: number
  tickets: number
  at: Date
}

/** The same figures from the rows themselves, by receipts: an order's amounts, and the credit note of each refund. */
async function figures(keep: (day: string, country: string) => boolean) {
  const orders: Facts[] = await run(
    `SELECT o.id, o.country, o.tax_percent::text AS rate, o.total_cents AS total, o.tax_cents AS tax,
            (SELECT sum(quantity)::int FROM order_lines l WHERE l.order_id = o.id) AS tickets,
            (SELECT min(at) FROM order_events e WHERE e.order_id = o.id AND e.to_state = 'completed') AS at
     FROM orders o WHERE EXISTS (SELECT FROM tickets t WHERE t.order_id = o.id)`,
  )
  const refunds: { order_id: string; cents: number; at: Date }[] = await run(
    `SELECT order_id, amount_cents AS cents, completed_at AS at FROM refunds WHERE status = 'completed' ORDER BY id`,
  )
  const sums = { orders: 0, tickets: 0, gross: 0, vat: 0, refunds: 0, refunded: 0, refunded_vat: 0 }
  for (const order of orders) {
    if (keep(dayOf(order.at), order.country)) {
      sums.orders += 1
      sums.tickets += order.tickets
      sums.gross += order.total
      sums.vat += order.tax
    }
    let before = 0
    for (const one of refunds.filter(({ order_id }) => order_id === order.id)) {
      const tax = taxInPart(order, before, one.cents)
      before += one.cents
      if (!keep(dayOf(one.at), order.country)) continue
      sums.refunds += 1
      sums.refunded += one.cents
      sums.refunded_vat += tax
    }
  }
  return sums
}

const cents = (sum: string): number => Math.round(Number(sum) * 100)

const summed = ({ orders, tickets, gross, vat, refunds, refunded, refunded_vat }: SalesFigures) => ({
  orders,
  tickets,
  gross: cents(gross),
  vat: cents(vat),
  refunds,
  refunded: cents(refunded),
  refunded_vat: cents(refunded_vat),
})

const report = async (query: Record<string, string>): Promise<SalesReport> => {
  const { status, body } = await staff.get(`${SALES}?${new URLSearchParams(query).toString()}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as SalesReport
}
const YEAR = { from: '2025-12-01', to: '2026-12-31' }

/** Every figure of the rows adds up to the total, and net, VAT and gross to each other. */
function seeSums({ rows, total }: SalesReport, hasSharedOrders = false): void {
  const names = Object.keys(total) as (keyof SalesFigures)[]
  for (const name of names.filter(
    (one) => !(hasSharedOrders && ['orders', 'refunds', 'fees_unknown'].includes(one)),
  ))
    expect(
      rows.reduce((sum, row) => sum + Math.round(Number(row[name]) * 100), 0),
      name,
    ).toBe(Math.round(Number(total[name]) * 100))
  for (const row of [...rows, total]) {
    expect(cents(row.net) + cents(row.vat)).toBe(cents(row.gross))
    expect(cents(row.gross) - cents(row.refunded)).toBe(cents(row.left))
    expect(cents(row.vat) - cents(row.refunded_vat)).toBe(cents(row.left_vat))
  }
}

describe('The report of sales', () => {
  test('equals the receipts by day, across the change of clocks and the year’s end', async () => {
    const found = await report({ ...YEAR, group: 'day' })
    seeSums(found)
    expect(summed(found.total)).toEqual(await figures((day) => day >= YEAR.from && day <= YEAR.to))
    expect(found.total).toMatchObject({ orders: 7, refunds: 7 })
    const days = ['2025-12-31', '2026-01-01', '2026-03-28', '2026-03-29', '2026-10-25']
    for (const day of days) {
      const row = found.rows.find(({ key }) => key === day)!
      expect(summed(row), day).toEqual(await figures((one) => one === day))
      expect(summed((await report({ from: day, to: day })).total), day).toEqual(summed(row))
    }
    expect(found.rows.find(({ key }) => key === '2025-12-31')).toMatchObject({ orders: 1, gross: '5.93' })
    expect(found.rows.find(({ key }) => key === '2026-03-28')).toMatchObject({ orders: 1, tickets: 2 })
    expect(found.rows.find(({ key }) => key === '2026-10-25')).toMatchObject({ orders: 2 })
  })

  test('equals the receipts by month, country and VAT rate', async () => {
    const months = await report({ ...YEAR, group: 'month' })
    seeSums(months)
    for (const row of months.rows)
      expect(summed(row)).toEqual(await figures((day) => day.startsWith(row.key)))
    const countries = await report({ ...YEAR, group: 'country' })
    seeSums(countries)
    expect(countries.rows.map(({ key }) => key)).toEqual(['BE', 'FI', 'FR', 'NL'])
    for (const row of countries.rows) {
      const inYear = (day: string, country: string) =>
        country === row.country && day <= YEAR.to && day >= YEAR.from
      expect(summed(row)).toEqual(await figures(inYear))
      expect(summed((await report({ ...YEAR, country: row.key })).total)).toEqual(summed(row))
    }
    const rates = await report({ ...YEAR, group: 'vat' })
    seeSums(rates)
    expect(rates.rows.map(({ country, rate }) => `${country} ${rate}`)).toEqual([
      'BE 21',
      'FI 25.5',
      'FR 20',
      'NL 21',
    ])
  })

  test('divides orders and refunds among their contests', async () => {
    const found = await report({ ...YEAR, group: 'contest' })
    seeSums(found, true)
    expect(found.total.orders).toBe(7)
    const slugs: Record<string, number> = Object.fromEntries(
      (await run('SELECT slug, id FROM offers')).map(({ slug, id }) => [slug, id]),
    )
    const of = (offer: number): SalesRow => found.rows.find(({ key }) => slugs[key] === offer)!
    // Prices are without VAT here: the net of a contest is what its tickets cost.
    const nets = await run(
      `SELECT offer_id, sum(quantity * unit_cents)::int AS net, sum(quantity)::int AS tickets FROM order_lines GROUP BY 1`,
    )
    for (const { offer_id: id, net, tickets } of nets) {
      expect([cents(of(id).net), of(id).tickets]).toEqual([net, tickets])
      const alone = await report({ ...YEAR, offer: of(id).key })
      expect(summed(alone.total)).toEqual(summed(of(id)))
      expect(alone.unsold).toBeNull()
    }
    // All of a cancelled contest is refunded, and its share of the 0.07 that somebody got before.
    expect(of(gone)).toMatchObject({ left: '-0.01', left_vat: '0.00', refunds: 4 })
    // One of its tickets, its share of an amount, and the rest of an order.
    expect(cents(of(first).refunded) + cents(of(other).refunded)).toBe(
      cents(found.total.refunded) - cents(of(gone).refunded),
    )
  })

  test('has the fees that PayPal told, and says of how many payments it has not', async () => {
    const { total } = await report(YEAR)
    const atProvider = [...shop.paypal.book.captures.keys()]
    const [{ fees }] = await run(
      'SELECT sum(fee_cents)::int AS fees FROM captures WHERE capture_id = ANY($1)',
      [atProvider],
    )
    expect(fees).toBeGreaterThan(0)
    expect([cents(total.fees), total.fees_unknown]).toEqual([fees, 0])
    await run('UPDATE captures SET fee_cents = NULL WHERE capture_id = $1', [atProvider[0]])
    expect((await report(YEAR)).total.fees_unknown).toBe(1)
  })

  test('keeps payments that bought nothing, and second payments, apart from sales', async () => {
    const before = await report({ from: '2024-01-01', to: '2024-12-31' })
    expect(before.unsold).toEqual({ payments: 0, taken: '0.00', fees: '0.00', refunds: 0, returned: '0.00' })
    const { ours } = await shop
      .approvedOrder(1)
      .then(async ({ orderId }) => ({ ours: await shop.orderOf(orderId) }))
    const twice = await paid('BE', [[first, 1]], '2024-05-01T10:00:00Z')
    await run(`UPDATE orders SET state = 'refunded' WHERE id = $1`, [ours.id])
    for (const [order, capture, reason] of [
      [ours.id, 'LATE', 'tickets_gone'],
      [twice.id, 'TWICE', 'paid_twice'],
    ]) {
      await run(
        `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency, refunded_cents, recorded_at)
         VALUES ($1, $2, 'refunded', 593, 'EUR', 593, '2024-05-01T10:00:00Z')`,
        [capture, order],
      )
      await run(
        `INSERT INTO refunds (capture_id, order_id, amount_cents, reason, status, refund_id, completed_at)
         VALUES ($1, $2, 593, $3, 'completed', 'R' || $1, '2024-05-02T10:00:00Z')`,
        [capture, order, reason],
      )
    }
    const found = await report({ from: '2024-01-01', to: '2024-12-31' })
    expect(found.unsold).toEqual({ payments: 2, taken: '11.86', fees: '0.00', refunds: 2, returned: '11.86' })
    expect(found.total).toMatchObject({ orders: 1, gross: '5.93', refunds: 0, left: '5.93' })
  })

  test('refuses a period that is none, and a contest that does not exist', async () => {
    const wrong = await staff.get(`${SALES}?from=2026-02-01&to=2026-01-31`)
    expect(wrong.status).toBe(400)
    expect(JSON.stringify(wrong.body)).toContain('The end must follow the beginning')
    expect((await staff.get(`${SALES}?from=2026-02-30`)).status).toBe(400)
    expect((await staff.get(`${SALES}?from=2001-01-01&to=2026-01-31`)).status).toBe(400)
    expect((await staff.get(`${SALES}?from=2001-01-01`)).status).toBe(400)
    expect((await staff.get(`${SALES}?from=0000-01-01&to=0000-01-02`)).status).toBe(400)
    expect((await staff.get(`${SALES}?offer=nothing`)).status).toBe(404)
    const today = dayOf(new Date())
    expect((await staff.get(SALES)).body).toMatchObject({
      from: `${today.slice(0, 8)}01`,
      to: today,
      group: 'day',
    })
  })

  test('opens in spreadsheets of each language, and cells are never formulas', async () => {
    const csv = async (language: Language) => {
      const query = new URLSearchParams({ ...YEAR, group: 'contest' }).toString()
      const { body, headers } = await staff.get(`${SALES}csv/?${query}`, undefined, { language })
      expect(headers['content-type']).toBe('text/csv; charset=utf-8')
      return { text: (body as unknown as Buffer).toString(), name: String(headers['content-disposition']) }
    }
    const { total } = await report({ ...YEAR, group: 'contest' })
    const english = await csv('en')
    expect(english.name).toBe('attachment; filename="report-2025-12-01-2026-12-31.csv"')
    expect(english.text.startsWith('\u{FEFF}Contest,Orders,')).toBe(true)
    expect(english.text).toContain(
      `\r\nTotal,${total.orders},${total.tickets},${total.net},${total.vat},${total.gross},`,
    )
    expect(english.text).toContain(`\r\n'=SUM(A1),`)
    for (const language of ['fr', 'nl'] as const) {
      const { text } = await csv(language)
      expect(text.startsWith('\u{FEFF}')).toBe(true)
      expect(text).toContain(`;${total.gross.replace('.', ',')};`)
      // A sum below zero is a number, not a formula.
      expect(text).not.toMatch(/;'-/)
    }
  })
})

describe('The report of a past period', () => {
  const MARCH = { from: '2023-03-01', to: '2023-03-31' }
  const moveAll = (orderId: string, at: string) =>
    run('UPDATE refunds SET completed_at = $2 WHERE order_id = $1', [orderId, at])

  test('stays when the ledger is reconciled, and has refunds on the day that PayPal tells', async () => {
    const order = await paid('BE', [[first, 4]], '2023-03-02T10:00:00Z')
    await refund(order.orderId, { amount: '1.00' }, '2023-03-05T10:00:00Z')
    const captureId = atProvider.captureIdOf(order.orderId)
    await atProvider.giveBack(captureId, 'refund', '2.00')
    for (const made of refundsAt(order.orderId).filter(({ cents: sum }) => sum === 200))
      made.created = '2023-03-31T21:59:59Z'
    await reconcileAll()
    const known = await run('SELECT changed_at FROM refunds WHERE order_id = $1 ORDER BY id', [order.id])
    const found = await report(MARCH)
    expect(found.total).toMatchObject({ orders: 1, refunds: 2, refunded: '3.00' })
    expect(found.rows.map(({ key }) => key)).toEqual(['2023-03-02', '2023-03-05', '2023-03-31'])
    await reconcileAll()
    expect(await report(MARCH)).toEqual(found)
    expect(await run('SELECT changed_at FROM refunds WHERE order_id = $1 ORDER BY id', [order.id])).toEqual(
      known,
    )
  })

  test('keeps the division of a refund among contests when one of them is cancelled later', async () => {
    const april = { from: '2023-04-01', to: '2023-04-30', group: 'contest' }
    const [one, two] = [
      await shop.newOffer({ price_cents: 1000 }),
      await shop.newOffer({ price_cents: 1000 }),
    ]
    const order = await paid(
      'BE',
      [
        [one, 1],
        [two, 1],
      ],
      '2023-04-02T10:00:00Z',
    )
    await atProvider.giveBack(atProvider.captureIdOf(order.orderId), 'refund', '2.42')
    await reconcileAll()
    await moveAll(order.id, '2023-04-05T10:00:00Z')
    const found = await report(april)
    expect(found.rows.map(({ refunded }) => refunded)).toEqual(['1.21', '1.21'])
    await cancelOffer(one)
    await sweep()
    expect(await report(april)).toEqual(found)
    const slug = (await run('SELECT slug FROM offers WHERE id = $1', [one]))[0].slug
    const slugs = async () => {
      const { rows } = await report({ ...MARCH, from: '2024-06-01', to: dayOf(new Date()), group: 'contest' })
      return rows.find(({ key }) => key === slug)
    }
    expect(await slugs()).toMatchObject({ refunded: '12.10' })
    // The share fails at PayPal, and is requested again.
    await lab.failLastRefund(order.orderId)
    await run(
      `UPDATE order_lines SET refund_requested_at = refund_requested_at - interval '1 hour' WHERE order_id = $1
       AND refund_requested_at IS NOT NULL`,
      [order.id],
    )
    await lab.runJobs()
    expect(await run(`SELECT status FROM refunds WHERE order_id = $1 ORDER BY id`, [order.id])).toMatchObject(
      [{ status: 'completed' }, { status: 'failed' }, { status: 'completed' }],
    )
    expect(await slugs()).toMatchObject({ refunded: '12.10' })
  })
})

describe('A second payment of an order', () => {
  /** An order of 5.93 that was paid twice in a month. */
  async function twice(month: string) {
    const order = await paid('BE', [[first, 1]], `${month}-02T10:00:00Z`)
    const second = lab.payAgain(order.orderId)
    return { ...order, second, period: { from: `${month}-01`, to: `${month}-28` } }
  }
  const settle = async (id: string, month: string) => {
    await run('UPDATE captures SET recorded_at = $2 WHERE order_id = $1', [id, `${month}-02T10:00:00Z`])
    await run('UPDATE refunds SET completed_at = $2 WHERE order_id = $1', [id, `${month}-03T10:00:00Z`])
  }
  const taxes = async (orderId: string, captureId?: string): Promise<string[]> => {
    const { body } = await staff.get(`/api/staff/orders/${orderId}/`)
    const made: { capture_id: string; tax: string }[] = body['refunds']
    return made.flatMap(({ capture_id: id, tax }) => (captureId === undefined || id === captureId ? tax : []))
  }

  test('is no sale when staff refund both', async () => {
    const { id, orderId, second, period } = await twice('2023-05')
    await run(
      `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency) VALUES ($2, $1, 'completed', 593, 'EUR')`,
      [id, second],
    )
    await run(
      `INSERT INTO refunds (capture_id, order_id, amount_cents, reason, status, attempt)
       SELECT $2, $1, 593, 'paid_twice', 'failed', n FROM generate_series(1, 5) AS n`,
      [id, second],
    )
    await refund(orderId, {}, '2023-05-03T10:00:00Z')
    await lab.runJobs()
    await settle(id, '2023-05')
    const { total, unsold } = await report(period)
    expect(total).toMatchObject({
      gross: '5.93',
      refunds: 1,
      refunded: '5.93',
      refunded_vat: '1.03',
      left: '0.00',
    })
    expect(unsold).toMatchObject({ payments: 1, taken: '5.93', refunds: 1, returned: '5.93' })
    // The one whose refund as a second payment was refused first, however it goes back.
    expect(await taxes(orderId, second)).toEqual(['0.00', '0.00', '0.00', '0.00', '0.00', '0.00'])
    expect(await taxes(orderId, atProvider.captureIdOf(orderId))).toEqual(['1.03'])
  })

  test('is none when it went back at PayPal, and the order’s own refund has its tax', async () => {
    const { id, orderId, second, period } = await twice('2023-06')
    await atProvider.giveBack(second, 'refund')
    await lab.runJobs()
    await refund(orderId, {}, '2023-06-03T10:00:00Z')
    await settle(id, '2023-06')
    const { total, unsold } = await report(period)
    expect(total).toMatchObject({ gross: '5.93', refunds: 1, refunded: '5.93', refunded_vat: '1.03' })
    expect(unsold).toMatchObject({ payments: 1, taken: '5.93', refunds: 1, returned: '5.93' })
    expect(await taxes(orderId)).toEqual(['0.00', '1.03'])
  })
})

describe('A report by email', () => {
  const SUBSCRIPTIONS = '/api/staff/reports/subscriptions/'
  const mails = async (to: string) =>
    run(`SELECT key, language, subject, body_text FROM emails WHERE recipient = $1 AND kind = 'report'`, [to])
  const send = () => sendReports({ db: shop.db, alerts: shop.checkout.alerts, shop: shop.config })
  /** The wall clock in the shop's zone of which the last reports are due: the first hour after midnight is not yet counted. */
  const COUNTED = `(now() - interval '1 hour') AT TIME ZONE '${ZONE}'`
  /** Makes the last periods of a reader due, as if they had been asked for before these began. */
  const asked = ({ id }: Staff, weeks = 1) =>
    run(
      `UPDATE report_subscriptions
       SET sent_until = date_trunc(period, ${COUNTED})::date - CASE period WHEN 'week' THEN 7 * $2::int + 1 ELSE 40 END
       WHERE user_id = $1`,
      [id, weeks],
    )

  test('is sent once for each period, by several workers, from the period on in which it was asked for', async () => {
    const reader = await shop.newStaff('accountant')
    expect((await reader.get(SUBSCRIPTIONS)).body).toEqual({ week: false, month: false })
    const wanted = { week: true, month: true }
    expect((await reader.put(SUBSCRIPTIONS, wanted, { language: 'nl' })).body).toEqual(wanted)
    // The same again changes nothing, and leaves no entry.
    expect((await reader.put(SUBSCRIPTIONS, wanted, { language: 'nl', isWithoutEffect: true })).body).toEqual(
      wanted,
    )
    expect((await reader.get(SUBSCRIPTIONS)).body).toEqual(wanted)
    await send()
    expect(await mails(reader.email)).toEqual([])
    await asked(reader)
    await Promise.all([send(), send(), send()])
    const sent = await mails(reader.email)
    const [{ month, week, last }] = await run(
      `SELECT to_char(date_trunc('month', n) - interval '1 month', 'YYYY-MM-DD') AS month,
              to_char(date_trunc('month', n) - interval '1 day', 'DD/MM/YYYY') AS last,
              to_char(date_trunc('week', n) - interval '7 days', 'YYYY-MM-DD') AS week
       FROM (SELECT ${COUNTED} AS n) AS n`,
    )
    expect(sent.map(({ key }) => key as string).toSorted((one, other) => one.localeCompare(other))).toEqual([
      `report:month:${month}:${reader.id}`,
      `report:week:${week}:${reader.id}`,
    ])
    const monthly = sent.find(({ key }) => key.startsWith('report:month'))!
    expect(monthly).toMatchObject({ language: 'nl' })
    expect(monthly.subject).toContain(last)
    const { total } = await report({ from: month, to: last.split('/').toReversed().join('-') })
    expect(monthly.body_text).toContain(formatSum(total.left, 'nl'))
    expect(monthly.body_text).toContain(`/admin/reports?from=${month}`)
    await send()
    expect(await mails(reader.email)).toHaveLength(2)
  })

  test('has rows by contest and by country, and both as files for spreadsheets of the reader', async () => {
    const reader = await shop.newStaff('accountant')
    await reader.put(SUBSCRIPTIONS, { week: true, month: false }, { language: 'nl' })
    await asked(reader)
    const [{ at }] = await run(
      `SELECT (date_trunc('week', ${COUNTED}) - interval '2 days') AT TIME ZONE '${ZONE}' AS at`,
    )
    const contest = await shop.newOffer({ price_cents: 1_000, title_nl: 'Een rode wagen' })
    await paid('NL', [[contest, 3]], at)
    await send()
    const [{ id, text }] = await run(
      `SELECT id, body_text AS text FROM emails WHERE recipient = $1 AND kind = 'report'`,
      [reader.email],
    )
    expect(text).toMatch(/Per wedstrijd\n-+\n\n[^]*Een rode wagen: 3 tickets, verkoop/)
    expect(text).toMatch(/Per land\n-+\n\n[^]*Nederland: 3 tickets/)
    const { body } = await shop.anonymous('GET', `/api/demo/emails/${id}/`)
    const files = body['files'] as { name: string; url: string }[]
    expect(files.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^rapport-[\d-]+-wedstrijden\.csv$/),
      expect.stringMatching(/^rapport-[\d-]+-landen\.csv$/),
    ])
    const [byContest, byCountry] = await Promise.all(
      files.map(async ({ url }) => (await shop.app.inject({ url })).body),
    )
    expect(byContest).toContain('Een rode wagen;1;3;30,00;')
    expect(byCountry).toContain('Nederland;1;3;30,00;')
  })

  test('is sent for each week of an outage, and one that fails keeps no other', async () => {
    const [broken, reader] = [await shop.newStaff('accountant'), await shop.newStaff('accountant')]
    for (const one of [broken, reader]) await one.put(SUBSCRIPTIONS, { week: true, month: false })
    for (const one of [broken, reader]) await asked(one, 3)
    await lab.refusing('INSERT ON emails', `NEW.recipient = '${broken.email}'`, () =>
      expect(send()).rejects.toThrow('reports could not be sent'),
    )
    const keys = async ({ email }: Staff) => (await mails(email)).map(({ key }) => key)
    expect(await keys(broken)).toEqual([])
    const sent = await keys(reader)
    expect(sent).toHaveLength(3)
    expect(new Set(sent).size).toBe(3)
    await send()
    expect(await keys(broken)).toEqual([])
    await run(`UPDATE report_subscriptions SET tried_at = tried_at - interval '1 hour'`)
    await send()
    expect(await keys(broken)).toHaveLength(3)
  })

  test('is not sent to somebody who may no longer read it, nor after it was given up', async () => {
    const [dismissed, done] = [await shop.newStaff('manager'), await shop.newStaff('owner')]
    for (const one of [dismissed, done]) await one.put(SUBSCRIPTIONS, { week: true, month: true })
    await done.put(SUBSCRIPTIONS, { week: false, month: false })
    for (const one of [dismissed, done]) await asked(one)
    await run(`UPDATE users SET role = 'support' WHERE id = $1`, [dismissed.id])
    await send()
    expect([await mails(dismissed.email), await mails(done.email)]).toEqual([[], []])
  })
})

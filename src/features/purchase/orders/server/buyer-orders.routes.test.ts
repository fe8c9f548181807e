import { describe, expect, test, vi } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { readPdf } from '#features/tickets/server/pdf-reader.test-support.ts'
import type { Customer } from '../../../../../test/support/shop.ts'
import { BuyerOrders } from '../orders.contract.ts'

vi.mock('pdfkit', async () => (await import('../../../../../test/support/no-pdfkit.ts')).noPdfkit)

const lab = await openPaymentShop({ env: { COMPANY_NAME: 'Vendor Ltd', VAT_NUMBER: 'GB 123 4567 89' } })
const { shop, run, setOrder, cancelOffer, sweep } = lab

const ordersOf = async (customer: Customer, query = '') =>
  BuyerOrders.parse((await customer.get(`/api/orders/${query}`)).body)
const receiptOf = (customer: Customer, number: string, language: 'fr' | 'en' = 'en') =>
  customer.get(`/api/orders/${number}/receipt/`, { language })

describe('GET /api/orders/', () => {
  test('responds with the caller’s own paid order, whole', async () => {
    const { customer, orderId, offerId } = await shop.paidOrder(2)
    const { slug } = await shop.db
      .selectFrom('offers')
      .select('slug')
      .where('id', '=', offerId)
      .executeTakeFirstOrThrow()
    const { orders, next } = await ordersOf(customer)
    expect(next).toBeNull()
    expect(orders).toEqual([
      {
        number: expect.stringMatching(/^\w{4}-\w{4}$/),
        order_id: orderId,
        phase: 'paid',
        placed_at: expect.any(String),
        paid_at: expect.any(String),
        lines: [{ offer_slug: slug, title: expect.any(String), quantity: 2, unit_price: '4.90' }],
        tickets: { valid: 2, void: 0 },
        subtotal: '9.80',
        tax_rate: 21,
        tax_amount: '2.06',
        total: '11.86',
        country: 'BE',
        refunds: [],
        has_receipt: true,
      },
    ])
    expect(await ordersOf(await shop.newCustomer())).toEqual({ orders: [], next: null })
  })

  test.each([
    ['fr', 'Concours'],
    ['nl', 'Wedstrijd'],
    ['en', 'Contest'],
  ] as const)(
    'names the contests in %s, whatever the language of the purchase was',
    async (language, word) => {
      const { customer } = await shop.paidOrder(1)
      const { orders } = BuyerOrders.parse((await customer.get('/api/orders/', { language })).body)
      expect(orders[0]?.lines[0]?.title).toMatch(new RegExp(`^${word} \\d+$`))
    },
  )

  test.each([
    ['held', undefined, 0],
    ['expired', undefined, 0],
    ['cancelled', undefined, 0],
    ['capturing', 'confirming', 1],
    ['pending', 'confirming', 1],
    ['review', 'checking', 0],
  ] as const)('an order that is %s without money has the phase %s', async (state, phase, confirming) => {
    const { customer, orderId } = await shop.approvedOrder(1)
    await setOrder(orderId, `state = '${state}'`)
    expect((await ordersOf(customer)).orders.map((one) => one.phase)).toEqual(phase ? [phase] : [])
    expect((await ordersOf(customer, '?confirming=true')).orders).toHaveLength(confirming)
    const { number } = await shop.orderOf(orderId)
    expect((await receiptOf(customer, number)).status).toBe(404)
    await setOrder(orderId, `state = 'superseded'`)
  })

  test('gives pages without gaps, the newest first', async () => {
    const { customer, ours } = await shop.paidOrder(1)
    await run(
      `INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                           total_cents, hold_until)
       SELECT uuidv7(), user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
              total_cents, hold_until
       FROM orders, generate_series(1, 44) WHERE id = $1`,
      [ours.id],
    )
    const found: string[] = []
    const sizes: number[] = []
    for (let next: string | null = ''; next !== null;) {
      const page: BuyerOrders = await ordersOf(customer, next && `?after=${next}`)
      found.push(...page.orders.map((one) => one.number.replace('-', '')))
      sizes.push(page.orders.length)
      next = page.next
    }
    expect(sizes).toEqual([20, 20, 5])
    const rows = await run('SELECT number FROM orders WHERE user_id = $1 ORDER BY id DESC', [customer.id])
    expect(found).toEqual(rows.map(({ number }) => number))
    expect((await ordersOf(customer, '?after=nothing')).orders).toEqual([])
    expect((await ordersOf(await shop.newCustomer(), `?after=${found[0]}`)).orders).toEqual([])
  })

  test('shows a share and then the whole of an order as refunded, with credit notes on the receipt', async () => {
    const { orderId, first, second } = await lab.paidForTwo()
    const { user_id } = await shop.orderOf(orderId)
    const [user] = await run('SELECT email FROM users WHERE id = $1', [user_id])
    const token =
      (await shop.sessionOf({ email: user?.email, password: 'correct horse battery' }))['access'] ?? ''
    const read = async () => {
      const { body } = await shop.withToken(token, 'GET', '/api/orders/')
      return BuyerOrders.parse(body).orders[0]!
    }
    const receipt = async () => {
      const { number } = await read()
      return textsOf(
        (await shop.withToken(token, 'GET', `/api/orders/${number}/receipt/`)).body as unknown as Buffer,
      )
    }
    await cancelOffer(first)
    await sweep()
    const refund = { done: true, at: expect.any(String) }
    expect(await read()).toMatchObject({ phase: 'partlyRefunded', refunds: [{ amount: '5.93', ...refund }] })
    const part = await receipt()
    expect(part).toEqual(expect.arrayContaining(['−€5.93', '−€1.03', 'Paid after refunds', '€18.03']))
    await cancelOffer(second)
    await sweep()
    const amounts = [{ amount: '5.93' }, { amount: '18.03' }]
    expect(await read()).toMatchObject({
      phase: 'refunded',
      refunds: amounts,
      tickets: { valid: 0, void: 2 },
    })
    expect(await receipt()).toContain('€0.00')
  })
})

const textsOf = (pdf: Buffer) =>
  readPdf(pdf).elements.map(({ text }) => text.replaceAll(/[\u00a0\u202f]/g, ' '))

describe('GET /api/orders/{number}/receipt/', () => {
  test('is a PDF in the reader’s language with buyer, amounts, VAT and the company', async () => {
    const { customer, ours, captureId } = await shop.paidOrder(3)
    const { status, headers, body } = await receiptOf(customer, ours.number.toLowerCase(), 'fr')
    expect(status).toBe(200)
    const number = `${ours.number.slice(0, 4)}-${ours.number.slice(4)}`
    expect(headers['content-type']).toBe('application/pdf')
    expect(headers['content-disposition']).toBe(`attachment; filename="recu-${number}.pdf"`)
    const texts = textsOf(body as unknown as Buffer)
    for (const part of [
      `Reçu ${number}`,
      expect.stringContaining(customer.email),
      'Belgique',
      `PayPal ${captureId} : 17,79 €`,
      expect.stringMatching(/^Concours \d+, 3 × 4,90 €$/),
      '14,70 €',
      'TVA 21 % (Belgique)',
      '3,09 €',
      '17,79 €',
      expect.stringContaining('Vendor Ltd'),
      expect.stringContaining('Numéro de TVA : GB 123 4567 89.'),
    ])
      expect(texts).toContainEqual(part)
    // A screen reader hears each plate as its number, in a list.
    const { rows } = await shop.pool.query<{ number: string }>(
      `SELECT lpad(t.number::text, length(f.total_tickets::text), '0') AS number
       FROM tickets t JOIN offers f ON f.id = t.offer_id WHERE t.order_id = $1 ORDER BY t.number`,
      [ours.id],
    )
    const plates = readPdf(body as unknown as Buffer).elements.filter(
      ({ tag, text }) => tag === 'LBody' && /^\d+$/.test(text),
    )
    expect(plates.map(({ text }) => text)).toEqual(rows.map((row) => row.number))
    expect((await receiptOf(customer, ours.number, 'fr')).body).toEqual(body)
  })

  test('shows a name of any alphabet that the fonts have, however long, and the contest in its language', async () => {
    const { customer, ours } = await shop.paidOrder(1)
    const renamed = async (username: string): Promise<string> => {
      await run('UPDATE users SET username = $1 WHERE email = $2', [username, customer.email])
      return textsOf((await receiptOf(customer, ours.number)).body as unknown as Buffer).join('\n')
    }
    expect(await renamed('Παπαδόπουλος Ґудзь')).toContain(`Παπαδόπουλος Ґудзь, ${customer.email}`)
    for (const unprintable of ['مهدی', '李小龍']) {
      const texts = await renamed(unprintable)
      expect(texts).not.toContain('?')
      expect(texts).toContain(customer.email)
    }
    for (const long of ['x'.repeat(150), 'Anna Maria '.repeat(13).trim()]) {
      const shown = (await renamed(long)).replaceAll(/\s/g, '')
      expect(shown).toContain(`${long.replaceAll(' ', '')},${customer.email}`)
      expect(shown).toContain('Customer')
    }
    expect(await renamed('Anna')).toMatch(/Contest \d+, 1 × €4\.90/)
  })

  test.each(['2222-2222', 'nothing'])('of order %s responds with 404', async (number) => {
    const response = await receiptOf(await shop.newCustomer(), number)
    expect(response).toMatchObject({ status: 404, body: { code: 'checkout.orderNotFound' } })
  })

  test('of another buyer’s order responds with 404', async () => {
    const { ours } = await shop.paidOrder(1)
    expect((await receiptOf(await shop.newCustomer(), ours.number)).status).toBe(404)
  })
})

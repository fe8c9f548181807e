import { randomUUID } from 'node:crypto'
import type { NotNull } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { openShop } from '../../../../test/support/shop.ts'
import { isByItself, onStatements } from '../../../../test/support/statements.ts'
import { TicketList } from '../tickets.contract.ts'
import { readPdf } from './pdf-reader.test-support.ts'
import { ticketsOfOrders } from './tickets.repository.ts'
import { textFields } from '#shared/text-fields.ts'
import { isExtended } from '../../../../test/support/tier.ts'

vi.mock('pdfkit', async () => (await import('../../../../test/support/no-pdfkit.ts')).noPdfkit)

const shop = await openShop()

/** Stores postal tickets. @returns their ids */
const VOID = { status: 'void', void_reason: 'refunded' }

async function issue(user_id: number, offer_id: number, numbers: number[], more: object = {}) {
  const ticket = { offer_id, user_id, source: 'postal', ...more }
  const rows = numbers.map((number) => ({ id: randomUUID(), number, ...ticket }))
  await shop.db.insertInto('tickets').values(rows).execute()
  return rows.map(({ id }) => id)
}

/** A holder of ticket number 7 of a new contest. */
async function holderOf7() {
  const [holder, offerId] = [await shop.newCustomer(), await shop.newOffer()]
  const [id = ''] = await issue(holder.id, offerId, [7])
  return { holder, id }
}

describe.each(['/api/tickets/', '/api/tickets/user/'])('GET %s', (url) => {
  test('responds with the caller’s own tickets only, whole [spec 3.15, 7.23, 7.24]', async () => {
    const { customer, offerId, ours } = await shop.paidOrder(1)
    await shop.paidOrder(2, undefined, offerId)
    const tickets = shop.db.selectFrom('tickets').innerJoin('offers', 'offers.id', 'offer_id')
    const row = await tickets
      .select(['tickets.id', 'number', 'titles', 'slug', 'end_date', 'issued_at'])
      .$narrowType<{ end_date: NotNull }>()
      .where('order_id', '=', ours.id)
      .executeTakeFirstOrThrow()
    const { number, slug, end_date, issued_at, titles, ...shown } = row
    const { body, headers } = await customer.get(url)
    expect(headers['cache-control']).toBe('no-store')
    const ticket = {
      ...shown,
      ...textFields('title', titles),
      ticket_number: String(number).padStart(4, '0'),
      end_date: end_date.toISOString(),
      offer_id: offerId,
      offer_slug: slug,
      status: 'valid',
      source: 'paid',
      issued_at: issued_at.toISOString(),
      leaf_index: null,
      proof_link: null,
    }
    expect(body).toEqual([ticket])
  })

  test('puts the newest first, and those of one moment by number', async () => {
    const [carl, offerId] = [await shop.newCustomer(), await shop.newOffer({ total_tickets: 24 })]
    await issue(carl.id, offerId, [9, 3], { issued_at: new Date('2026-01-01') })
    await issue(carl.id, offerId, [20, 10], { issued_at: new Date('2026-02-01'), ...VOID })
    const tickets = TicketList.parse((await carl.get(url)).body)
    const shown = tickets.map(({ ticket_number, status }) => `${ticket_number} ${status}`)
    expect(shown).toEqual(['10 void', '20 void', '03 valid', '09 valid'])
  })

  test.runIf(isExtended)('reads thousands of tickets with as many statements as none', async () => {
    const [dora, nobody] = [await shop.newCustomer(), await shop.newCustomer()]
    const offerId = await shop.newOffer({ total_tickets: 250_000 })
    for (const first of [1, 5_001])
      await issue(
        dora.id,
        offerId,
        Array.from({ length: 5_000 }, (_, index) => (first + index) * 7),
      )
    const statements: string[] = []
    onStatements(({ text, send }) => {
      if (!isByItself(text)) statements.push(text)
      return send()
    })
    const tickets = TicketList.parse((await dora.get(url)).body)
    const ofThousands = statements.splice(0)
    await nobody.get(url)
    vi.restoreAllMocks()
    expect(ofThousands).toEqual(statements)
    expect(new Set(tickets.map(({ ticket_number }) => ticket_number)).size).toBe(10_000)
  })
})

describe('downloading a ticket', () => {
  test.each([
    ['fr', 'Concours'],
    ['nl', 'Wedstrijd'],
    ['en', 'Contest'],
  ] as const)('responds with a PDF in the caller’s language (%s) [spec 7.25]', async (language, title) => {
    const { holder, id } = await holderOf7()
    const { status, headers, body } = await holder.get(`/api/tickets/${id}/download/`, { language })
    const [ticket] = TicketList.parse((await holder.get('/api/tickets/')).body)
    const pdf = body as unknown as Buffer
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="volant-${ticket?.offer_slug}-0007.pdf"`,
      'content-language': language,
      'content-length': String(pdf.length),
      'cache-control': 'no-store',
    })
    const texts = readPdf(pdf).elements.map(({ text }) => text)
    const name = expect.stringMatching(/^buyer \d+$/)
    expect(texts).toEqual(expect.arrayContaining(['0007', name, expect.stringContaining(title)]))
    const again = await holder.get(`/api/tickets/${id.toUpperCase()}/download/`, { language })
    expect(pdf.equals(again.body as unknown as Buffer)).toBe(true)
  })

  test('somebody else’s, an unknown and a malformed ticket are not found [spec 6.14]', async () => {
    const [{ holder, id: his }, other] = [await holderOf7(), await shop.newCustomer()]
    const malformed = ['1', '0', '-1', 'x', "'%20or%20true--", '%00', his.slice(1), `${his}0`]
    for (const id of [his, randomUUID(), ...malformed, 'é'.repeat(30), '%F0%9F%9A%97']) {
      const { status, body } = await other.get(`/api/tickets/${id}/download/`)
      expect([id, status, body]).toEqual([id, 404, { detail: 'Ticket not found.', code: 'ticket.notFound' }])
    }
    expect((await holder.get(`/api/tickets/${his}/download/`)).status).toBe(200)
  })
})

test('downloads are limited', async () => {
  const other = await shop.newCustomer()
  const ask = async (index: number) =>
    (await other.get(index % 2 ? '/api/tickets/x/download/' : '/api/tickets/offers/x/download/')).status
  const statuses = await Promise.all(Array.from({ length: 122 }, (_, index) => ask(index)))
  expect(Object.groupBy(statuses, String)['429']).toHaveLength(2)
})

describe('downloading all tickets of a contest', () => {
  test('responds with one PDF with the caller’s own valid numbers of this contest, and no others', async () => {
    const slug = 'all-of-one'
    const [carl, other] = [await shop.newCustomer(), await shop.newCustomer()]
    const offerId = await shop.newOffer({ slug })
    await issue(carl.id, offerId, [12, 7])
    await issue(carl.id, offerId, [8], { ...VOID })
    await issue(carl.id, await shop.newOffer(), [9])
    await issue(other.id, offerId, [10])
    const { status, headers, body } = await carl.get(`/api/tickets/offers/${slug}/download/`, {
      language: 'nl',
    })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="volant-${slug}.pdf"`,
    })
    const { objects } = readPdf(body as unknown as Buffer)
    const numbers = objects.matchAll(/\/Alt \(Ticketnummer (\d+)\)/g)
    expect([...numbers].map(([, number]) => number)).toEqual(['0007', '0012'])
    expect(objects).toContain('/Count 2')
  })

  test('of a contest without a valid number of the caller, or without that name, is not found', async () => {
    const slug = 'none-of-mine'
    const [carl, offerId] = [await shop.newCustomer(), await shop.newOffer({ slug })]
    await issue(carl.id, offerId, [1], { ...VOID })
    await issue((await shop.newCustomer()).id, offerId, [2])
    for (const one of [slug, 'nowhere', "'%20or%20true--", 'é'.repeat(30)]) {
      const { status, body } = await carl.get(`/api/tickets/offers/${one}/download/`)
      expect([one, status, body['code']]).toEqual([one, 404, 'ticket.notFound'])
    }
  })
})

test('the tickets of orders are those that each brought, by contest and number', async () => {
  const [first, second] = [await shop.newOffer(), await shop.newOffer()]
  const customer = await shop.newCustomer()
  /** Pays what is in the cart. @returns our id of the order */
  async function pay(): Promise<string> {
    const orderId = (await customer.create()).body['order_id'] as string
    await shop.paypal.approve(orderId)
    await customer.capture(orderId)
    return (await shop.orderOf(orderId)).id
  }
  await customer.add(second, 1)
  await customer.add(first, 10)
  const mine = await pay()
  await customer.add(first, 1)
  const orders = await ticketsOfOrders(shop.db, [mine, randomUUID(), await pay()])
  const offers = orders.map((tickets) => tickets.map(({ offer_id }) => offer_id))
  expect(offers).toEqual([[...Array.from({ length: 10 }, () => first), second], [], [first]])
  const numbers = orders[0]?.slice(0, 10).map(({ ticket_number }) => ticket_number)
  expect(numbers).toEqual(numbers?.toSorted())
})

import { afterAll, describe, expect, test } from 'vitest'
import { readPdf } from '#features/tickets/server/pdf-reader.test-support.ts'
import { TICKETS_PER_FILE } from '#features/tickets/server/index.ts'
import { releaseOrder, writtenReceipt } from '#features/orders/server/index.ts'
import { reconcile } from '#features/payments/server/index.ts'
import { refundOrder } from '#features/refunds/server/index.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { startMailServer } from '../support/mail-server.ts'
import { type Customer, type TestShop, openShop } from '../support/shop.ts'

const server = await startMailServer()
const shop = await openShop({ env: { SMTP_URL: server.url, VAT_NUMBER: 'GB 123 4567 89' } })
afterAll(() => server.close())

const emailsTo = ({ email }: Customer, kind: string) =>
  shop.db.selectFrom('emails').selectAll().where('recipient', '=', email).where('kind', '=', kind).execute()

/** Everything the mail server has taken for a customer, after a delivery. */
async function arrivedFor({ email }: Customer) {
  await shop.mailer.deliver()
  return server.taken.filter(({ envelopeTo }) => envelopeTo.includes(email))
}

async function bought(
  quantity: number,
  contest: Parameters<TestShop['newOffer']>[0] = {},
  language: Language = 'en',
) {
  const offerId = await shop.newOffer(contest)
  const customer = await shop.newCustomer()
  await customer.add(offerId, quantity)
  const created = await customer.create('BE', { language })
  const orderId = created.body['order_id'] as string
  await shop.paypal.approve(orderId)
  return { customer, orderId, offerId }
}

describe('a receipt', () => {
  test('arrives with numbers, figures and the tickets as a PDF, in the language of the order', async () => {
    const { customer, orderId } = await bought(3, { title: 'Corsaro <b>', price_cents: 490 }, 'fr')
    const { body } = await customer.capture(orderId)
    const numbers = (body['tickets'] as { ticket_number: string }[]).map((one) => one.ticket_number)

    const [mail, ...others] = await arrivedFor(customer)
    expect(others).toEqual([])
    expect(mail?.subject).toBe('Vos 3 billets et votre reçu')
    const order = await shop.orderOf(orderId)
    const plain = (text = '') => text.replaceAll(/[\u00a0\u202f]/g, ' ')
    for (const said of [
      ...numbers,
      'Corsaro <b>, 3 × 4,90 € : 14,70 €',
      'Vos billets sont joints en PDF ; vous pouvez aussi les télécharger',
      'Total hors TVA : 14,70 €',
      'TVA (21 %) : 3,09 €',
      'Total payé : 17,79 €',
      'Pays de facturation : Belgique',
      `Commande : ${order.id}`,
      'Numéro de TVA : GB 123 4567 89.',
      `${shop.config.publicUrl}/profile/participations`,
    ]) {
      expect(plain(mail?.text)).toContain(said)
    }
    expect(plain(mail?.text)).toMatch(/Date : \d{2}\/\d{2}\/\d{4} \d{2}:\d{2}/)
    expect(mail?.html).toContain('Corsaro &lt;b&gt;')
    expect(mail?.html).not.toContain('<b>')
    for (const number of numbers) expect(mail?.html).toContain(`>${number}</span>`)

    const [file] = mail?.attachments ?? []
    expect(file).toMatchObject({ filename: 'volant-billets.pdf', mimeType: 'application/pdf' })
    const bytes = Buffer.from(file?.content as ArrayBuffer)
    for (const [page, number] of numbers.entries())
      expect(readPdf(bytes, page).elements.map(({ text }) => text)).toContain(number)
    expect(readPdf(bytes, numbers.length).elements).toEqual([])
  })

  test('leads to a page in its language, whichever the browser that opens it last showed', async () => {
    const { customer, orderId } = await bought(1, {}, 'nl')
    await customer.capture(orderId)
    const [mail] = await arrivedFor(customer)
    const link = `${shop.config.publicUrl}/profile/participations?lang=nl`
    expect(mail?.text).toContain(`${link}\n`)
    expect(mail?.html).toContain(`href="${link}"`)
  })

  test('is one, however often and from wherever the order is settled', async () => {
    const { customer, orderId } = await bought(2)
    await Promise.all(Array.from({ length: 4 }, () => customer.capture(orderId)))
    await customer.capture(orderId)
    const order = await shop.orderOf(orderId)
    await Promise.all([reconcile(shop.checkout, order.id), reconcile(shop.checkout, order.id)])
    expect(await emailsTo(customer, 'receipt')).toHaveLength(1)
    expect(await arrivedFor(customer)).toHaveLength(1)
    await shop.mailer.deliver()
    expect(await arrivedFor(customer)).toHaveLength(1)
  })

  test('is not written for an order that is not paid', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'declined@buyer.test')
    expect((await customer.capture(orderId)).status).toBe(422)
    expect(await emailsTo(customer, 'receipt')).toEqual([])
  })

  test('of a large order carries as many tickets as fit into a mailbox and says where the others are', async () => {
    const { customer, orderId } = await bought(TICKETS_PER_FILE + 70, {
      total_tickets: 5_000,
      price_cents: 100,
    })
    await customer.capture(orderId)
    const [mail] = await arrivedFor(customer)
    expect(mail?.text).toContain(`${TICKETS_PER_FILE} of your tickets are attached`)
    expect(mail?.text).toContain('and 20 more numbers')
    const [file] = mail?.attachments ?? []
    const bytes = file?.content as ArrayBuffer
    expect(bytes.byteLength).toBeLessThan(1_000_000)
    const pages = Buffer.from(bytes)
      .toString('latin1')
      .match(/\/Type \/Page\b/g)
    expect(pages).toHaveLength(TICKETS_PER_FILE)
  })

  test('that waits for a mail server says what it would have said at once', async () => {
    const { customer, orderId, offerId } = await bought(2, { title: 'First title', price_cents: 490 })
    const { body } = await customer.capture(orderId)
    const numbers = (body['tickets'] as { ticket_number: string }[]).map((one) => one.ticket_number)
    const [row] = await emailsTo(customer, 'receipt')
    const letter = row?.body_ref as { ref: string } | undefined
    const written = () => writtenReceipt(shop.db, shop.checkout.emails, letter?.ref ?? 'none')
    const atOnce = await written()
    for (const number of numbers) expect(atOnce.text).toContain(number)

    // Prices and titles change, the buyer buys again, and the money of the first order goes back.
    await shop.db
      .updateTable('offers')
      .set({ title: 'Second title', price_cents: 990 })
      .where('id', '=', offerId)
      .execute()
    await customer.add(offerId, 1)
    const again = await customer.create('FR')
    await shop.paypal.approve(again.body['order_id'] as string)
    await customer.capture(again.body['order_id'] as string)
    await refundOrder(shop.checkout, await shop.orderOf(orderId), {
      staffId: customer.id,
      note: 'asked for it',
    })
    expect(await written()).toEqual(atOnce)
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('that cannot be addressed does not keep anybody from their tickets', async () => {
    const { customer, orderId } = await bought(1)
    await shop.db
      .updateTable('users')
      .set({ email: `no address ${customer.id}` })
      .where('id', '=', customer.id)
      .execute()
    expect((await customer.capture(orderId)).status).toBe(200)
    expect(await shop.ticketCount(customer)).toBe(1)
  })
})

describe('money that goes back', () => {
  test('is told of, with the amount that was really taken and why', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'tampered@buyer.test')
    await customer.capture(orderId)
    await expect.poll(() => shop.orderState(orderId)).toBe('refunded')
    const [mail, ...others] = await arrivedFor(customer)
    expect(others).toEqual([])
    const { amount_cents } = await shop.db
      .selectFrom('refunds')
      .innerJoin('orders', 'orders.id', 'refunds.order_id')
      .select('amount_cents')
      .where('provider_order_id', '=', orderId)
      .executeTakeFirstOrThrow()
    expect(mail?.subject).toBe(`We are refunding you €${(amount_cents / 100).toFixed(2)}`)
    expect(mail?.text).toContain('not that of your order')
    expect(await emailsTo(customer, 'receipt')).toEqual([])
  })

  test('because the tickets are gone is told of, too', async () => {
    const offerId = await shop.newOffer({ total_tickets: 1 })
    const { customer, orderId } = await shop.approvedOrder(1, 'buyer@buyer.test', offerId)
    const order = await shop.orderOf(orderId)
    // The hold expires, the ticket is sold again, and only then the money moves.
    await transact(shop.db, (trx) => releaseOrder(trx, order.id, 'cancel', 'buyer_cancelled'))
    const other = await shop.approvedOrder(1, 'buyer@buyer.test', offerId)
    await other.customer.capture(other.orderId)
    await shop.client.captureOrder(orderId, `${order.id}:cap:1`)

    expect((await reconcile(shop.checkout, order.id)).state).toBe('refunded')
    await reconcile(shop.checkout, order.id)
    const emails = await emailsTo(customer, 'refund')
    expect(emails).toHaveLength(1)
    expect(emails[0]?.body_text).toContain('there were no longer enough tickets left')
    expect(await emailsTo(customer, 'receipt')).toEqual([])
  })
})

test('a changed address is told to the former one, where links for a new password come to an end', async () => {
  const owner = await shop.newCustomer()
  const next = `next-${owner.email}`
  const forget = (email: string) => shop.anonymous('POST', '/api/user/forgot-password/', { email })
  // One link is on its way to the former address, and a wish for another one waits.
  await forget(owner.email)
  await shop.sendPasswordResets()
  await forget(owner.email)
  expect((await owner.put('/api/user/profile/', { email: next })).status).toBe(200)
  await shop.sendPasswordResets()

  const emails = await arrivedFor(owner)
  expect(emails).toHaveLength(2)
  const told = emails.find(({ subject }) => subject === 'The email address of your account was changed')
  expect(told?.text).toContain(owner.email)
  expect(told?.text).toContain(`write to ${shop.config.contactEmail} at once`)
  expect(told?.raw).not.toContain(next)
  expect(await arrivedFor({ ...owner, email: next })).toEqual([])

  const reset = emails.find((mail) => mail !== told)
  const [, token = ''] = /#([\w-]{40,})/.exec(reset?.text ?? '') ?? []
  expect(token).not.toBe('')
  const chosen = { token, new_password: 'Stolen-1!', confirm_password: 'Stolen-1!' }
  expect((await shop.anonymous('POST', '/api/user/reset-password/', chosen)).status).toBe(410)
})

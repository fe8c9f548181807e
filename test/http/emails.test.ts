import { afterAll, describe, expect, test } from 'vitest'
import { erasedAccount } from '#features/accounts/server/index.ts'
import { readPdf } from '#features/tickets/server/pdf-reader.test-support.ts'
import { TICKETS_PER_FILE } from '#features/tickets/server/index.ts'
import { releaseOrder, loadAndRenderReceipt } from '#features/purchase/orders/server/index.ts'
import { reconcile } from '#features/purchase/payments/server/index.ts'
import { requestStaffRefund, sendNow } from '#features/purchase/refunds/server/index.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { startMailServer } from '../support/mail-server.ts'
import { type Customer, type TestShop, openShop } from '../support/shop.ts'
import { isExtended } from '../support/tier.ts'

const server = await startMailServer()
const shop = await openShop({
  env: { SMTP_URL: server.url, VAT_NUMBER: 'GB 123 4567 89', HOLD_MAX_TICKETS: '120' },
})
afterAll(() => server.close())

const emailsTo = ({ email }: Customer, kind: string) =>
  shop.db.selectFrom('emails').selectAll().where('recipient', '=', email).where('kind', '=', kind).execute()

/** Every email that the mail server has received for a customer, after a delivery. */
async function receivedBy({ email }: Customer) {
  await shop.mailer.deliver()
  return server.taken.filter(({ envelopeTo }) => envelopeTo.includes(email))
}

/** An approved order in a language, not paid yet. */
async function ordered(
  quantity: number,
  change: Parameters<TestShop['newOffer']>[0] = {},
  language: Language = 'en',
) {
  const offerId = await shop.newOffer(change)
  const customer = await shop.newCustomer()
  await customer.add(offerId, quantity)
  const orderId = (await customer.create('BE', { language })).body['order_id'] as string
  await shop.paypal.approve(orderId)
  return { customer, orderId, offerId }
}
const numbersOf = (body: Record<string, { ticket_number: string }[]>) =>
  body['tickets']!.map((one) => one.ticket_number)

describe('a receipt', () => {
  test('has numbers, amounts and the tickets as a PDF, in the language of the order', async () => {
    const { customer, orderId } = await ordered(3, { title: 'Corsaro <b>', price_cents: 490 }, 'fr')
    const numbers = numbersOf((await customer.capture(orderId)).body)

    const [email, ...others] = await receivedBy(customer)
    expect(others).toEqual([])
    expect(email?.subject).toBe('Vos 3 billets et votre reçu')
    const text = (email?.text ?? '').replaceAll(/[\u00a0\u202f]/g, ' ')
    for (const part of [
      ...numbers,
      'Corsaro <b>, 3 × 4,90 € : 14,70 €',
      'Vos billets sont joints en PDF ; vous pouvez aussi les télécharger',
      'Total hors TVA : 14,70 €',
      'TVA (21 %) : 3,09 €',
      'Total payé : 17,79 €',
      'Pays de facturation : Belgique',
      `Commande : ${shownOrderNumber((await shop.orderOf(orderId)).number)}`,
      'Numéro de TVA : GB 123 4567 89.',
      `${shop.config.publicUrl}/profile/participations`,
    ])
      expect(text).toContain(part)
    expect(text).toMatch(/Date : \d{2}\/\d{2}\/\d{4} \d{2}:\d{2}/)
    expect(email?.html).toContain('Corsaro &lt;b&gt;')
    expect(email?.html).not.toContain('<b>')
    for (const number of numbers) expect(email?.html).toContain(`>${number}</span>`)

    const [file] = email?.attachments ?? []
    expect(file).toMatchObject({ filename: 'volant-billets.pdf', mimeType: 'application/pdf' })
    const bytes = Buffer.from(file?.content as ArrayBuffer)
    for (const [page, number] of numbers.entries())
      expect(readPdf(bytes, page).elements.map((element) => element.text)).toContain(number)
    expect(readPdf(bytes, numbers.length).elements).toEqual([])
  })

  test('is sent once, however often the order is settled, with a link in its own language', async () => {
    const { customer, orderId } = await ordered(2, {}, 'nl')
    await Promise.all(Array.from({ length: 4 }, () => customer.capture(orderId)))
    const { id } = await shop.orderOf(orderId)
    await Promise.all([reconcile(shop.checkout, id), reconcile(shop.checkout, id)])
    expect(await emailsTo(customer, 'receipt')).toHaveLength(1)
    const link = `${shop.config.publicUrl}/profile/participations?lang=nl`
    const text = expect.stringContaining(`${link}\n`)
    const html = expect.stringContaining(`href="${link}"`)
    for (const _ of [1, 2]) expect(await receivedBy(customer)).toMatchObject([{ text, html }])
  })

  test.runIf(isExtended)(
    'of a large order has as many tickets as fit into a mailbox, and names the rest',
    async () => {
      const offer = { total_tickets: 5_000, price_cents: 100 }
      const { customer, orderId } = await ordered(TICKETS_PER_FILE + 70, offer)
      await customer.capture(orderId)
      const [email] = await receivedBy(customer)
      expect(email?.text).toContain(`${TICKETS_PER_FILE} of your tickets are attached`)
      expect(email?.text).toContain('and 20 more numbers')
      const bytes = Buffer.from(email?.attachments[0]?.content as ArrayBuffer)
      expect(bytes.byteLength).toBeLessThan(1_000_000)
      expect(bytes.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(TICKETS_PER_FILE)
    },
  )

  test('that waits for a mail server is composed as at the time of its order', async () => {
    const { customer, orderId, offerId } = await ordered(2, { title: 'First title', price_cents: 490 })
    const numbers = numbersOf((await customer.capture(orderId)).body)
    const [row] = await emailsTo(customer, 'receipt')
    const { ref } = row!.body_ref as { ref: string }
    const composed = () => loadAndRenderReceipt(shop.db, shop.checkout.emails, ref)
    const atOnce = await composed()
    for (const number of numbers) expect(atOnce.text).toContain(number)

    // Price and title change, which the database does not let anybody, the buyer buys again, and the first order is refunded.
    const change = { title: 'Second title', price_cents: 990 }
    await shop.unlockTerms()
    await shop.db.updateTable('offers').set(change).where('id', '=', offerId).execute()
    await customer.add(offerId, 1)
    const again = (await customer.create('FR')).body['order_id'] as string
    await shop.paypal.approve(again)
    await customer.capture(again)
    const refund = { wanted: { kind: 'whole' as const }, reason: 'other' as const, note: 'asked for it' }
    const by = { actor: { userId: customer.id, name: 'staff' } }
    await requestStaffRefund(shop.checkout, await shop.orderOf(orderId), refund, by)
    await sendNow(shop.checkout, ref)
    expect(await composed()).toEqual(atOnce)
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('of an erased buyer has a greeting without a name', async () => {
    const { customer, orderId } = await ordered(1)
    await customer.capture(orderId)
    const { id } = await shop.orderOf(orderId)
    const composed = () => loadAndRenderReceipt(shop.db, shop.checkout.emails, id)
    const before = await composed()
    const holder = await transact(shop.db, (trx) => erasedAccount(trx).make())
    await shop.db.updateTable('orders').set({ user_id: holder }).where('id', '=', id).execute()
    const greeting = /^Hello .+,$/m
    expect(before.text).toMatch(greeting)
    expect((await composed()).text).toBe(before.text.replace(greeting, 'Hello,'))
  })

  test('without a valid address does not prevent the tickets', async () => {
    const { customer, orderId } = await ordered(1)
    const email = `no address ${customer.id}`
    await shop.db.updateTable('users').set({ email }).where('id', '=', customer.id).execute()
    expect((await customer.capture(orderId)).status).toBe(200)
    expect(await shop.ticketCount(customer)).toBe(1)
  })
})

describe('a refund email', () => {
  test('has the amount that was captured and the reason', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'tampered@buyer.test')
    await customer.capture(orderId)
    await expect.poll(() => shop.orderState(orderId)).toBe('refunded')
    const [email, ...others] = await receivedBy(customer)
    expect(others).toEqual([])
    const { cents } = shop.capturesOf(orderId)[0]!
    expect(email?.subject).toBe(`We are refunding you €${(cents / 100).toFixed(2)}`)
    expect(email?.text).toContain('not that of your order')
    expect(await emailsTo(customer, 'receipt')).toEqual([])
  })

  test('is sent once when the tickets are gone, with that reason', async () => {
    const offerId = await shop.newOffer({ total_tickets: 1 })
    const { customer, orderId } = await shop.approvedOrder(1, 'buyer@buyer.test', offerId)
    const { id } = await shop.orderOf(orderId)
    // The hold is released, the ticket sold to somebody else, and only then the money is captured.
    await transact(shop.db, (trx) => releaseOrder(trx, id, 'cancel', 'buyer_cancelled'))
    await shop.paidOrder(1, 'buyer@buyer.test', offerId)
    await shop.client.captureOrder(orderId, `${id}:cap:1`)
    expect((await reconcile(shop.checkout, id)).state).toBe('refunded')
    await reconcile(shop.checkout, id)
    expect(await emailsTo(customer, 'refund')).toMatchObject([
      { body_text: expect.stringContaining('there were no longer enough tickets left') },
    ])
    expect(await emailsTo(customer, 'receipt')).toEqual([])
  })
})

test('a changed email address: links by mail, receipts to the confirmed one, no password link to the former one', async () => {
  const { customer: owner, orderId } = await shop.approvedOrder(1)
  const moved = { ...owner, email: `next-${owner.email}` }
  /** Uses the link of the last email as the recipient does. */
  const follow = async (to: Customer) => {
    const link = /email-link\?lang=en#(\S+)/.exec((await receivedBy(to)).at(-1)?.text ?? '')
    return await shop.anonymous('POST', '/api/user/email-link/', { token: link?.[1] })
  }
  const body = { email: moved.email }
  expect((await owner.put('/api/user/profile/', body)).body['pending_email']).toBe(moved.email)
  expect((await follow(owner)).body).toEqual({ purpose: 'allow', email: moved.email })
  await owner.capture(orderId)
  expect(await emailsTo(owner, 'receipt'), 'while it waits').toHaveLength(1)
  await shop.anonymous('POST', '/api/user/forgot-password/', { email: owner.email })
  expect((await follow(moved)).body).toEqual({ purpose: 'change', email: moved.email })
  await shop.sendPasswordResets()
  const notice = (await receivedBy(owner)).at(-1)
  expect(notice?.subject).toBe('The email address of your account was changed')
  expect(notice?.raw).not.toContain(moved.email)
  expect(await emailsTo(owner, 'password-reset')).toEqual([])

  expect((await follow(owner)).body).toEqual({ purpose: 'undo', email: owner.email })
  const reset = (await receivedBy(owner)).at(-1)
  expect(reset?.subject).toBe('Your email address has been restored')
  expect(reset?.text).toMatch(/\/reset-password\?lang=en#[\w-]{43}/)
})

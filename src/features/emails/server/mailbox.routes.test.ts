import { describe, expect, test } from 'vitest'
import { openShop, testShop } from '../../../../test/support/shop.ts'

const shop = await openShop()

const list = async () =>
  (await shop.anonymous('GET', '/api/demo/emails/')).body as unknown as { id: string; to: string }[]

async function emailTo(address: string) {
  const entry = (await list()).find(({ to }) => to === address)
  return shop.anonymous('GET', `/api/demo/emails/${entry?.id}/`)
}

describe('the mailbox of the demonstration', () => {
  test('shows a receipt with its tickets, and its HTML as a document without rights', async () => {
    const { customer, orderId } = await shop.approvedOrder(2)
    await customer.capture(orderId)
    const { status, body, headers } = await emailTo(customer.email)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(body).toMatchObject({ to: customer.email, subject: 'Your 2 tickets and your receipt' })

    const [file] = body['files'] as { name: string; url: string }[]
    expect(file?.name).toBe('volant-tickets.pdf')
    const pdf = await shop.anonymous('GET', file?.url ?? '')
    expect(pdf.headers['content-disposition']).toBe('attachment; filename="volant-tickets.pdf"')
    expect((pdf.body as unknown as Buffer).subarray(0, 5).toString()).toBe('%PDF-')

    const html = await shop.anonymous('GET', body['html_url'] as string)
    expect(html.headers['content-type']).toMatch(/^text\/html/)
    const policy = String(html.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain('sandbox')
    // The page that shows it measures its height; nothing in it runs.
    expect(policy).not.toMatch(/script|allow-forms/)
  })

  test('finds emails by topic, person, contest and number, accents or not', async () => {
    const offerId = await shop.newOffer({ title_en: 'Élan Coupé' })
    const { customer } = await shop.paidOrder(1, undefined, offerId)
    const found = async (query: string) =>
      (
        (await shop.anonymous('GET', `/api/demo/emails/?${query}`)).body as unknown as {
          to: string
          kind: string
        }[]
      ).map(({ to, kind }) => [to, kind])
    const receipt = [customer.email, 'receipt']
    const [{ number }] = (
      await shop.pool.query(`SELECT lpad(number::text, 3, '0') AS number FROM tickets WHERE offer_id = $1`, [
        offerId,
      ])
    ).rows
    // The contest stands in the text alone, which is made when somebody reads it.
    for (const query of [
      `q=${customer.email.toUpperCase()}&topic=tickets`,
      'q=elan%20coupe',
      'q=%C3%89LAN%20Coup%C3%A9&topic=tickets',
      `q=${number}&topic=tickets`,
    ])
      expect(await found(query), query).toContainEqual(receipt)
    for (const query of ['topic=draws', 'q=elan&topic=staff', 'q=nowhere-to-be-found'])
      expect(await found(query), query).not.toContainEqual(receipt)
    expect(await found('topic=nonsense')).toContainEqual(receipt)
  })

  test('fills in the reset link, to the page in the language of the email', async () => {
    const customer = await shop.newCustomer()
    await shop.anonymous('POST', '/api/user/forgot-password/', { email: customer.email })
    await shop.sendPasswordResets()
    const { body } = await emailTo(customer.email)
    expect(body['text']).toMatch(/\/reset-password\?lang=en#[\w-]{43}\n/)
  })

  test('keeps every email instead of sending it', async () => {
    await shop.mailer.deliver()
    const states = await shop.db.selectFrom('emails').select('state').distinct().execute()
    expect(states).toEqual([{ state: 'kept' }])
    expect((await list()).length).toBeGreaterThan(0)
  })

  test.each(['/api/demo/emails/1/', '/api/demo/emails/00000000-0000-7000-8000-000000000000/html/'])(
    'responds to %s with 404',
    async (url) => {
      expect((await shop.anonymous('GET', url)).status).toBe(404)
    },
  )
})

test('a shop with a mail server has no mailbox', async () => {
  const withServer = await testShop({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
  expect((await withServer.anonymous('GET', '/api/demo/emails/')).status).toBe(404)
  const settings = { demo: true, mailbox: false }
  expect((await withServer.anonymous('GET', '/api/settings/')).body).toMatchObject(settings)
  await withServer.close()
})

import { describe, expect, test } from 'vitest'
import { openShop } from '../../../../test/support/shop.ts'
import type { Customer } from '../../../../test/support/shop.ts'

const shop = await openShop()
const support = await shop.newStaff('support')

let counter = 0
const newAddress = (): string => `corrected${(counter += 1)}@example.test`
const NOTE = 'called us, knew the order number'

const correct = (id: number, email: string, staff = support) =>
  staff.post(`/api/staff/accounts/${id}/correct-email/`, { email, note: NOTE })
const use = async (customer: Customer, token: string) => customer.post('/api/user/email-link/', { token })
const accountOf = (id: number) =>
  shop.db
    .selectFrom('users')
    .select(['email', 'email_confirmed_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const emailsTo = (email: string) =>
  shop.db
    .selectFrom('emails')
    .select(['kind', 'key', 'attachments', 'body_text', 'secret_link'])
    .where('recipient', '=', email)
    .orderBy('queued_at')
    .execute()
const confirmed = (id: number, is: boolean) =>
  shop.db
    .updateTable('users')
    .set({ email_confirmed_at: is ? new Date() : null })
    .where('id', '=', id)
    .execute()
const page = async (id: number) => (await support.get(`/api/staff/customers/${id}/`)).body

describe('A corrected address', () => {
  test('of somebody who never confirmed one is confirmed by the link that goes there, and brings the receipts', async () => {
    const { customer, ours } = await shop.paidOrder(2)
    await confirmed(customer.id, false)
    const [former, email] = [customer.email, newAddress()]
    expect((await correct(customer.id, email)).status).toBe(204)

    expect(await accountOf(customer.id)).toMatchObject({ email: former })
    expect(await page(customer.id)).toMatchObject({
      email: former,
      pending_email: email,
      correction: {
        by: support.name,
        note: NOTE,
        asked_at: expect.any(String),
        expires_at: expect.any(String),
      },
    })
    expect((await customer.get('/api/user/profile/')).body).toMatchObject({
      pending_email: email,
      pending_link: 'new',
    })
    // The present address, which may be a stranger's, learns that and nothing else.
    const [told] = (await emailsTo(former)).filter(({ kind }) => kind === 'email-correction')
    expect(told?.body_text).toContain(former)
    expect(told?.body_text).not.toContain(email)
    expect(told?.body_text).not.toContain(`buyer ${customer.id}`)
    expect(told?.secret_link).toBeNull()

    const token = await shop.emailLinkTo(email)
    const used = await use(customer, token)
    expect(used).toMatchObject({ status: 200, body: { purpose: 'correct', email } })
    expect(await accountOf(customer.id)).toEqual({ email, email_confirmed_at: expect.any(Date) })
    expect((await customer.get('/api/user/profile/')).status).toBe(401)
    expect((await shop.sessionOf({ ...customer, email }))['access']).toEqual(expect.any(String))
    const again = (await emailsTo(email)).filter(({ kind }) => kind === 'receipt-copy')
    expect(again).toMatchObject([
      {
        key: expect.stringMatching(`^receipt-copy:${ours.id}:correction-`),
        attachments: [{ kind: 'order-tickets', ref: ours.id }],
      },
    ])
    // Nobody ever showed that the former one is theirs: it cannot take the account.
    const last = (await emailsTo(former)).at(-1)
    expect(last).toMatchObject({ kind: 'email-correction', secret_link: null })
    expect((await use(customer, token)).status).toBe(410)
    expect(await page(customer.id)).toMatchObject({ email, pending_email: null, correction: null })
  })

  test('that replaces a confirmed one can be undone from there', async () => {
    const customer = await shop.newCustomer()
    await confirmed(customer.id, true)
    const email = newAddress()
    await correct(customer.id, email)
    expect((await use(customer, await shop.emailLinkTo(email))).status).toBe(200)
    const undo = await shop.emailLinkTo(customer.email)
    expect(await use(customer, undo)).toMatchObject({
      status: 200,
      body: { purpose: 'undo', email: customer.email },
    })
    expect(await accountOf(customer.id)).toMatchObject({ email: customer.email })
  })

  test.each([
    ['withdrawn by staff', (id: number) => support.post(`/api/staff/accounts/${id}/withdraw-correction/`)],
    [
      'withdrawn by the customer',
      (_: number, customer: Customer) => customer.post('/api/user/email-change/cancel/'),
    ],
    [
      'too old',
      async (id: number) => {
        await shop.pool.query(`UPDATE email_links SET expires_at = now() WHERE user_id = $1`, [id])
        return { status: 204 }
      },
    ],
    ['replaced by a newer one', (id: number) => correct(id, newAddress())],
  ])('that is %s is not taken', async (_, end) => {
    const customer = await shop.newCustomer()
    const email = newAddress()
    await correct(customer.id, email)
    const token = await shop.emailLinkTo(email)
    expect((await end(customer.id, customer)).status).toBe(204)
    expect((await use(customer, token)).status).toBe(410)
    expect(await accountOf(customer.id)).toMatchObject({ email: customer.email })
    expect((await page(customer.id))['pending_email']).not.toBe(email)
  })

  test('is sent again on the customer’s own request', async () => {
    const customer = await shop.newCustomer()
    const email = newAddress()
    await correct(customer.id, email)
    const first = await shop.emailLinkTo(email)
    expect((await customer.post('/api/user/email-link/resend/')).status).toBeLessThan(300)
    expect((await use(customer, first)).status).toBe(410)
    expect(await page(customer.id)).toMatchObject({ correction: { by: support.name } })
    expect((await use(customer, await shop.emailLinkTo(email))).status).toBe(200)
  })

  test('has the one spelling of addresses, and no other account’s', async () => {
    const [customer, other] = [await shop.newCustomer(), await shop.newCustomer()]
    expect(await correct(customer.id, 'U@MÜNCHEN-two.example.de')).toMatchObject({ status: 204 })
    expect(await page(customer.id)).toMatchObject({ pending_email: 'U@xn--mnchen-two-9db.example.de' })
    for (const [email, code] of [
      [other.email.toUpperCase(), 'customers.emailTaken'],
      [customer.email.toUpperCase(), 'customers.sameEmail'],
    ] as const)
      expect(await correct(customer.id, email)).toMatchObject({ status: 409, body: { code } })
    for (const email of ['jörg@example.com', 'u@example..org', 'no address', '', 'a@b.test, c@d.test'])
      expect(await correct(customer.id, email)).toMatchObject({
        status: 400,
        body: { fields: { email: [expect.any(String)] } },
      })
    const noNote = await support.post(`/api/staff/accounts/${customer.id}/correct-email/`, {
      email: newAddress(),
      note: ' ',
    })
    expect(noNote).toMatchObject({ status: 400, body: { fields: { note: [expect.any(String)] } } })
  })

  test('that somebody registers in the meantime stays theirs', async () => {
    const customer = await shop.newCustomer()
    const email = newAddress()
    await correct(customer.id, email)
    const token = await shop.emailLinkTo(email)
    const other = await shop.newCustomer()
    await shop.db.updateTable('users').set({ email }).where('id', '=', other.id).execute()
    expect(await use(customer, token)).toMatchObject({ status: 409, body: { code: 'email.taken' } })
    expect(await accountOf(customer.id)).toMatchObject({ email: customer.email })
  })

  test('is asked for by two of staff at once: one waits', async () => {
    const customer = await shop.newCustomer()
    const colleague = await shop.newStaff('owner')
    const emails = [newAddress(), newAddress()]
    const [first, second] = emails.map((email, index) =>
      correct(customer.id, email, index === 0 ? support : colleague),
    )
    expect([(await first)?.status, (await second)?.status]).toEqual([204, 204])
    const tokens = await Promise.all(emails.map((email) => shop.emailLinkTo(email)))
    const used = await Promise.all(tokens.map((token) => use(customer, token)))
    expect(used.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 410])
  })

  test('needs a customer’s open account, and staff who may and have stepped up', async () => {
    const customer = await shop.newCustomer()
    expect(await correct(9_999_999, newAddress())).toMatchObject({ status: 404 })
    expect(await correct(support.id, newAddress())).toMatchObject({
      status: 409,
      body: { code: 'customers.isStaff' },
    })
    const desk = await shop.newStaff('postal')
    expect((await correct(customer.id, newAddress(), desk)).status).toBe(403)
    expect((await customer.post(`/api/staff/accounts/${customer.id}/correct-email/`, {})).status).toBe(403)
    await shop.pool.query('UPDATE users SET is_active = false WHERE id = $1', [customer.id])
    expect(await correct(customer.id, newAddress())).toMatchObject({
      status: 409,
      body: { code: 'customers.suspended' },
    })
    const none = await support.post(`/api/staff/accounts/${customer.id}/withdraw-correction/`)
    expect(none).toMatchObject({ status: 409, body: { code: 'customers.noCorrection' } })
  })

  test('is in the audit log without an address and without words about the customer', async () => {
    const customer = await shop.newCustomer()
    const email = newAddress()
    await correct(customer.id, email)
    await support.post(`/api/staff/accounts/${customer.id}/withdraw-correction/`)
    const { rows } = await shop.pool.query(
      `SELECT action, entry FROM audit_log WHERE subject_kind = 'customer' AND subject = $1 ORDER BY id`,
      [String(customer.id)],
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'customers.correctEmail',
      'customers.withdrawCorrection',
    ])
    for (const { entry } of rows)
      for (const one of [email, customer.email, NOTE]) expect(entry).not.toContain(one)
  })
})

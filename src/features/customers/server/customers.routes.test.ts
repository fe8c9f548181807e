import { crc32, inflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { accountPersonalData } from '#features/accounts/server/index.ts'
import { emailsPersonalData } from '#features/emails/server/index.ts'
import type { PersonalDataSource } from '#platform/personal-data.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { transact } from '#platform/transaction.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { personalDataSources } from '#server/personal-data.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { everyRow } from '../../../../test/support/database.ts'
import { closeGate, rowOf } from '../../../../test/support/races.ts'
import { type Staff, openShop } from '../../../../test/support/shop.ts'
import { closeAccount, previewClosing } from './closing.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000', TRUST_PROXY: 'true' }, processes: 2 })
await shop.unlockTerms()
const owner = await shop.newStaff('owner')
const support = await shop.newStaff('support')

type Customer = Awaited<ReturnType<typeof shop.newCustomer>>
const PASSWORD = { current_password: 'correct horse battery' }
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const page = async ({ id }: { id: number }, staff = support) =>
  (await staff.get(`/api/staff/customers/${id}/`)).body
const close = (customer: Customer, more: object = {}) =>
  customer.post('/api/user/close/', { ...PASSWORD, ...more })
const previewOf = async (customer: Customer, query = '') =>
  (await customer.get(`/api/user/close/${query}`)).body
const actions = async ({ id }: { id: number }) =>
  (
    await run(`SELECT action FROM audit_log WHERE subject_kind = 'customer' AND subject = $1 ORDER BY id`, [
      id,
    ])
  ).map(({ action }) => action)
/** What does not hold. I5 needs the provider's ledger, and I9 counts on contests that end after their sales. */
async function breaches(): Promise<string[]> {
  const asked = (await shopInvariants()).filter(({ name }) => name !== 'I5' && name !== 'I9')
  const found = await checkInvariants(shop.db, asked)
  return [
    ...new Set(found.flatMap(({ name, rows }) => rows.map((row) => `${name}: ${String(row['fault'])}`))),
  ]
}
/** A buyer with two tickets of a contest that has long been over. */
async function formerBuyer() {
  const bought = await shop.paidOrder(2)
  await shop.changeOffer(bought.offerId, { end_date: new Date(Date.now() - 40 * 86_400_000) })
  return bought
}
const sendMessage = (user_email: string, message: string) =>
  shop.anonymous('POST', '/api/v1.0/email/send', {
    user_id: 'volant',
    service_id: 'volant',
    template_id: 'contact-en',
    template_params: { user_name: 'Jo Peeters', user_email, message },
  })

/** The files of a ZIP, by their names; checks what a reader of ZIPs checks. */
function unzip(archive: Buffer): Map<string, string> {
  const files = new Map<string, string>()
  const end = archive.length - 22
  expect(archive.readUInt32LE(end)).toBe(0x06054b50)
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [checksum, packed, size] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset))
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.subarray(at + 46, at + 46 + nameLength).toString()
    const local = archive.readUInt32LE(at + 42)
    expect(archive.readUInt32LE(local)).toBe(0x04034b50)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const content = inflateRawSync(archive.subarray(start, start + (packed ?? 0)))
    expect([content.length, crc32(content)]).toEqual([size, checksum])
    files.set(name, content.toString())
    at += 46 + nameLength
  }
  return files
}

/** Makes calls wait for a customer's cart, one behind the other, and lets them go on together. */
async function inTurn<Payload>(
  customer: Customer,
  calls: readonly (() => Promise<Payload>)[],
): Promise<Payload[]> {
  const gate = await closeGate(shop.url, rowOf.cart(customer.id))
  const responses: Promise<Payload>[] = []
  for (const call of calls) {
    responses.push(call())
    await gate.waiting(responses.length)
  }
  await gate.open()
  return await Promise.all(responses)
}

describe('The list of customers', () => {
  const found = async (query: string) =>
    (await support.get(`/api/staff/customers/?${query}`)).body['items'].map(({ id }: { id: number }) => id)

  test('finds the beginning of an address, a name, a number, and an account by its number', async () => {
    const one = await shop.newCustomer()
    const other = await shop.newCustomer()
    await run(
      `UPDATE users SET username = 'Zoë Zwart', email = 'zz.Alpha@example.test', phone = '+33612987654' WHERE id = $1`,
      [one.id],
    )
    await run(
      `UPDATE users SET username = 'zz.a-name', email = 'other.zz@example.test', phone = '+32471987654' WHERE id = $1`,
      [other.id],
    )
    expect(await found('q=ZZ.a')).toEqual([other.id, one.id])
    expect(await found('q=zo%C3%AB')).toEqual([one.id])
    expect(await found('q=zz.alpha%40example.test')).toEqual([one.id])
    expect(await found('q=06+12+98')).toEqual([one.id])
    expect(await found('q=0471987654')).toEqual([other.id])
    expect(await found(`q=%23${one.id}`)).toEqual([one.id])
    expect(await found('q=zz_a')).toEqual([])
    expect(await found('q=%25')).toEqual([])
  })

  test('finds any word of a name, with its accents or without, page by page', async () => {
    const made = []
    for (const name of ['Hélène Østby-Grünfeld', 'grunfeld', 'GRÜNFELDER Jo']) {
      const { id } = await shop.newCustomer()
      await run('UPDATE users SET username = $2 WHERE id = $1', [id, name])
      made.push(id)
    }
    const [hyphened, whole, longer] = made
    for (const text of ['ostby', 'ØSTBY', 'helene grunf', 'grünfeld hél'])
      expect(await found(`q=${encodeURIComponent(text)}`), text).toEqual([hyphened])
    expect(await found('q=grunfeld')).toEqual([whole, longer, hyphened])
    const pages = []
    for (let after = ''; pages.length < 3;) {
      const { body } = await support.get(`/api/staff/customers/?q=grunfeld&limit=1${after}`)
      pages.push(body['items'][0].id)
      after = `&after=${body['next']}`
    }
    expect(pages).toEqual([whole, longer, hyphened])
    // Less than three letters are looked for at the beginning alone.
    expect(await found('q=os')).toEqual([])
    expect(await found(`q=${encodeURIComponent("':* | x")}`)).toEqual([])
  })

  test('goes on after the last row, in the order of what was found, each customer once', async () => {
    const made = []
    for (let count = 0; count < 5; count += 1) made.push((await shop.newCustomer()).id)
    // Address and name begin alike: such a customer is found by the address.
    await run(
      `UPDATE users SET username = 'pp' || id, email = 'pp' || (1000000 - id) || '@example.test', phone = '+33777' WHERE id = ANY($1)`,
      [made],
    )
    const inPages = async (query: string) => {
      const ids: number[] = []
      for (let after = ''; ;) {
        const { body } = await support.get(`/api/staff/customers/?${query}&limit=2${after}`)
        ids.push(...body['items'].map(({ id }: { id: number }) => id))
        if (body['next'] === null) return ids
        after = `&after=${body['next']}`
      }
    }
    expect(await inPages('q=pp')).toEqual(made.toReversed())
    expect(await inPages('q=%2B33777')).toEqual(made)
    const all = await inPages('q=')
    expect(all).toEqual([...new Set(all)].toSorted((a, b) => b - a))
    expect(all.slice(0, 5)).toEqual(made.toReversed())
  })

  test('is refused without the permission, and records whom it showed, not what was typed', async () => {
    const customer = await shop.newCustomer()
    const accountant = await shop.newStaff('accountant')
    expect((await accountant.get('/api/staff/customers/')).status).toBe(403)
    expect((await customer.get('/api/staff/customers/')).status).toBe(401)
    await support.get(`/api/staff/customers/?q=${customer.email}`)
    const [entry] = await run(
      `SELECT entry FROM audit_log WHERE action = 'customers.search' ORDER BY id DESC LIMIT 1`,
    )
    expect(JSON.parse(entry.entry)).toMatchObject({ after: { by: 'text', shown: [customer.id] } })
    expect(entry.entry).not.toContain(customer.email)
  })
})

test('the page of a customer shows what there is, and who read it', async () => {
  const { customer, ours, offerId } = await shop.paidOrder(2)
  await sendMessage(customer.email, 'Where are my tickets?')
  await support.post(`/api/staff/customers/${customer.id}/email/`, {
    request_id: crypto.randomUUID(),
    template: 'own',
    language: 'en',
    subject: 'Here they are',
    text: 'Your tickets are in the list.',
  })
  expect((await page(customer, owner))['history']['items']).toMatchObject([
    { action: 'customers.email', by: support.name },
  ])
  const shown = await page(customer)
  expect(shown).toMatchObject({
    id: customer.id,
    state: 'active',
    is_staff: false,
    orders: { items: [{ id: ours.id, state: 'completed', tickets: 2, total: '11.86' }], next: null },
    tickets: [
      { offer_id: offerId, title: expect.stringContaining('Contest'), valid: 2, void: 0, given_up: 0 },
    ],
    sessions: [{ browser: null }],
    messages: { items: [{ state: 'open', beginning: 'Where are my tickets?' }], next: null },
    emails: {
      items: [{ kind: 'customer-message', subject: 'Here they are' }, { kind: 'receipt' }],
      next: null,
    },
    history: {
      items: [{ action: 'customers.read', by: owner.name }, { action: 'customers.email' }],
      next: null,
    },
  })
  await run(`UPDATE emails SET subject = '-', erased_at = now() WHERE user_id = $1 AND kind = 'receipt'`, [
    customer.id,
  ])
  const { body } = await support.get(
    `/api/staff/customers/${customer.id}/emails/?limit=1&after=${shown['emails'].items[0].id}`,
  )
  expect(body).toMatchObject({ items: [{ kind: 'receipt', subject: null, state: 'queued' }], next: null })
  const orders = await support.get(`/api/staff/customers/${customer.id}/orders/?after=${ours.id}`)
  expect(orders.body).toEqual({ items: [], next: null })
  // The parts belong to the opening of the page.
  expect(await actions(customer)).toEqual(['customers.email', ...Array(2).fill('customers.read')])
  expect((await support.get('/api/staff/customers/999999999/')).status).toBe(404)
})

describe('Who saw a customer', () => {
  const historyOf = async ({ id }: { id: number }, query = '') =>
    (await support.get(`/api/staff/customers/${id}/history/${query}`)).body as unknown as {
      items: { id: number; action: string; by: string; subject_kind: string | null }[]
      next: string | null
    }
  const seen = async (customer: { id: number }) =>
    (await historyOf(customer)).items.map(({ action }) => action)

  test('has each order, message, card, email, list and comparison that showed something of them', async () => {
    const { customer, ours, offerId } = await shop.paidOrder(1)
    const stranger = await shop.newCustomer()
    await sendMessage(customer.email, 'Am I in the list?')
    const [message] = await run('SELECT id FROM messages WHERE user_id = $1', [customer.id])
    const card = postcard(offerId, { email: customer.email })
    expect((await owner.post('/api/staff/post/entries/', card)).status).toBe(201)
    const [email] = await run(`SELECT id FROM emails WHERE user_id = $1 AND kind = 'receipt'`, [customer.id])
    const looks: [string, string][] = [
      ['customers.search', `/api/staff/customers/?q=${customer.email}`],
      ['orders.list', `/api/staff/orders/?q=${ours.number}`],
      ['orders.read', `/api/staff/orders/${ours.id}/`],
      ['messages.list', '/api/staff/messages/'],
      ['messages.read', `/api/staff/messages/${message.id}/`],
      ['post.list', `/api/staff/post/entries/?search=Dupont`],
      ['post.read', `/api/staff/post/entries/${card.id}/`],
      ['customers.read', `/api/staff/accounts/${customer.id}/security/`],
      ['emails.read', `/api/staff/customers/${customer.id}/emails/${email.id}/`],
    ]
    for (const [, path] of looks) expect([path, (await support.get(path)).status]).toEqual([path, 200])
    const { id: _, bag: __, ...poster } = card
    await owner.post('/api/staff/post/check/', { ...poster, offer_id: offerId })
    const shown = (await seen(customer)).toReversed()
    expect(shown).toEqual(['post.register', ...looks.map(([action]) => action), 'post.compare'])
    expect(await seen(stranger)).toEqual([])

    const { body } = await customer.post('/api/user/export/', PASSWORD)
    const files = unzip(body as unknown as Buffer)
    const told = JSON.parse(files.get('my-data.json') ?? '').staff_actions
    expect(told.map(({ action }: { action: string }) => action)).toEqual([
      ...shown,
      // Whoever looks at the history is in it.
      'customers.read',
    ])
    expect(files.get('my-data.html')).toContain('Message read')
    expect(JSON.stringify(told)).not.toContain(support.name)
  })

  test('goes on page by page, and has an unchanged list once a minute for each session', async () => {
    const { customer, ours } = await shop.paidOrder(1)
    const look = (by: typeof support) => by.get(`/api/staff/orders/?q=${ours.number}`)
    await Promise.all([look(owner), look(support)])
    await look(support)
    for (const part of ['orders', 'emails', 'messages', 'suspensions'])
      await support.get(`/api/staff/customers/${customer.id}/${part}/`)
    const all = (await historyOf(customer)).items
    expect(all.map(({ action }) => action)).toEqual([
      ...Array(4).fill('customers.read'),
      ...Array(2).fill('orders.list'),
    ])
    expect(new Set(all.slice(4).map(({ by }) => by))).toEqual(new Set([owner.name, support.name]))
    const ids: number[] = []
    for (let query = '?limit=2'; ;) {
      const page = await historyOf(customer, query)
      ids.push(...page.items.map(({ id }) => id))
      if (page.next === null) break
      query = `?limit=2&after=${page.next}`
    }
    expect(ids).toEqual(expect.arrayContaining(all.map(({ id }) => id)))
    expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => other - one))
  })
})

describe('An email that was sent', () => {
  test('emails to staff are listed and read by those alone who may read what they tell of', async () => {
    const owner = await shop.newStaff('owner')
    const kinds = ['report', 'audit-checkpoint', 'draw-checkpoints', 'staff-notice', 'alert', 'welcome']
    const ids = new Map<string, string>()
    for (const kind of kinds) {
      const [{ id }] = await run(
        `INSERT INTO emails (id, key, kind, recipient, user_id, language, subject, body_text, body_html, state, closed_at)
         VALUES (gen_random_uuid(), $1, $2, $3, $4, 'en', 'Figures', 'secret figures', 'x', 'kept', now())
         RETURNING id`,
        [`to-staff:${kind}`, kind, owner.email, owner.id],
      )
      ids.set(kind, id)
    }
    const address = `/api/staff/customers/${owner.id}/`
    const seenBy = async (by: Staff) => {
      const listed = [
        (await by.get(`${address}emails/`)).body['items'],
        (await by.get(address)).body['emails'].items,
      ] as { kind: string }[][]
      const refusals: [status: number, tells: boolean][] = []
      const read: string[] = []
      for (const [kind, id] of ids) {
        const { status, body } = await by.get(`${address}emails/${id}/`)
        if (status === 200) read.push(kind)
        else refusals.push([status, JSON.stringify(body).includes('secret')])
      }
      expect(refusals).toEqual(refusals.map(() => [403, false]))
      return [...listed.map((rows) => rows.map(({ kind }) => kind)), read].map((all) =>
        all.filter((kind) => kinds.includes(kind)).toSorted(),
      )
    }
    const some = ['alert', 'welcome']
    expect(await seenBy(await shop.newStaff('support'))).toEqual([some, some, some])
    const all = kinds.toSorted()
    expect(await seenBy(await shop.newStaff('manager'))).toEqual([all, all, all])
  })

  test('is shown with its text, and without the secret of its link', async () => {
    const { customer } = await shop.paidOrder(1)
    await shop.anonymous('POST', '/api/user/forgot-password/', { email: customer.email })
    await shop.sendPasswordResets()
    const { items } = (await support.get(`/api/staff/customers/${customer.id}/emails/`)).body as unknown as {
      items: { id: string; kind: string }[]
    }
    expect(items.map(({ kind }) => kind)).toEqual(['password-reset', 'receipt'])
    const read = async (of: { id: number }, index: number) =>
      await support.get(`/api/staff/customers/${of.id}/emails/${items[index]?.id}/`)
    const reset = (await read(customer, 0)).body
    expect(reset).toMatchObject({ kind: 'password-reset', to: customer.email, error: null })
    expect(reset['text']).toContain('[personal link, shown to its recipient only]')
    expect(reset['text']).not.toMatch(/reset-password|secret-link/)
    // Its text is made when it is sent.
    expect((await read(customer, 1)).body['text']).toContain('€5.93')
    expect((await read(await shop.newCustomer(), 1)).status).toBe(404)
    expect((await support.get(`/api/staff/customers/${customer.id}/emails/7/`)).status).toBe(404)
    await run(
      `UPDATE emails SET subject = '-', recipient = 'erased@erased.invalid', erased_at = now() WHERE id = $1`,
      [items[1]?.id],
    )
    expect((await read(customer, 1)).body).toMatchObject({ to: null, subject: null, text: null })
  })
})

describe('The limits of an account', () => {
  const limitsOf = async (customer: { id: number }) => (await page(customer))['limits']

  test('are those that its purchases and logins are held to', async () => {
    const customer = await shop.newCustomer()
    const offerId = await shop.newOffer({ total_tickets: 400 })
    await customer.order(offerId, 3)
    await run('UPDATE users SET email_confirmed_at = NULL WHERE id = $1', [customer.id])
    for (let time = 0; time < 2; time += 1)
      await shop.app.inject({
        method: 'POST',
        url: '/api/token/',
        headers: { 'x-forwarded-for': '203.0.113.77' },
        payload: { username: customer.email, password: 'wrong horse battery' },
      })
    const { holdMaxTickets: tickets, holdMaxPercent: percent } = shop.config
    expect(await limitsOf(customer)).toEqual({
      cannot_buy: null,
      holds: [{ offer_id: offerId, title: expect.stringContaining('Contest'), tickets: 3, most: 20 }],
      hold_most: { tickets, percent },
      unconfirmed_most: shop.config.holdUnconfirmedTickets,
      unpaid_minutes: { used: 0, most: shop.config.holdUnpaidMinutes },
      failed_logins: { used: 2, most: 25_000, wait_seconds: 0 },
    })
  })

  test('say why an account cannot buy', async () => {
    const { id } = await shop.newCustomer()
    expect(await limitsOf({ id: owner.id })).toMatchObject({ cannot_buy: 'staff', unconfirmed_most: null })
    await run('UPDATE users SET is_active = false WHERE id = $1', [id])
    expect(await limitsOf({ id })).toMatchObject({ cannot_buy: 'suspended' })
    await run('UPDATE users SET is_active = true WHERE id = $1', [id])
    await run(
      `INSERT INTO excluded_payers (kind, value, digest, reason, added_by)
       SELECT 'email', email, sha256(convert_to(lower(email), 'UTF8')), 'self', id FROM users WHERE id = $1`,
      [id],
    )
    expect(await limitsOf({ id })).toMatchObject({ cannot_buy: 'excluded' })
    await run('DELETE FROM excluded_payers')
  })
})

test('the tickets of a contest are listed by their numbers, page by page', async () => {
  const { customer, ours, offerId } = await shop.paidOrder(5)
  await run(
    `UPDATE tickets SET given_up_at = now(), status = 'void', void_reason = 'withdrawn'
             WHERE id = (SELECT id FROM tickets WHERE user_id = $1 ORDER BY number LIMIT 1)`,
    [customer.id],
  )
  const path = `/api/staff/customers/${customer.id}/tickets/${offerId}/`
  const { body: first } = await support.get(`${path}?limit=3`)
  const { body: rest } = await support.get(`${path}?limit=3&after=${first['next']}`)
  expect(rest['next']).toBeNull()
  const all = [...first['items'], ...rest['items']] as { number: number; state: string; order: string }[]
  const numbers = await run('SELECT number FROM tickets WHERE user_id = $1 ORDER BY number', [customer.id])
  expect(all.map(({ number }) => number)).toEqual(numbers.map(({ number }) => number))
  expect(all.map(({ state }) => state)).toEqual(['given_up', ...Array(4).fill('valid')])
  expect(new Set(all.map(({ order }) => order.replace('-', '')))).toEqual(new Set([ours.number]))
  expect((await support.get(`/api/staff/customers/${customer.id}/tickets/${offerId + 1_000}/`)).body).toEqual(
    {
      items: [],
      next: null,
    },
  )
})

describe('An email to a customer', () => {
  const text = 'We have looked into it.'
  const email = (id: number, change: object = {}) =>
    support.post(`/api/staff/customers/${id}/email/`, {
      request_id: crypto.randomUUID(),
      template: 'own',
      language: 'nl',
      subject: 'Je vraag',
      text,
      ...change,
    })
  const sent = ({ id }: { id: number }) =>
    run(
      `SELECT recipient, reply_to, language, body_text FROM emails WHERE user_id = $1 AND kind = 'customer-message'`,
      [id],
    )

  test('begins as a template in the customer’s language, with the places that are to be filled in', async () => {
    const { id } = await shop.newCustomer()
    const { body } = await support.get(`/api/staff/customers/${id}/templates/?language=nl`)
    const templates = body as unknown as { template: string; label: string; text: string }[]
    expect(templates.map(({ template }) => template)).toContain('ticketMissing')
    const missing = templates.find(({ template }) => template === 'ticketMissing')
    expect(missing).toMatchObject({ label: 'Ticket not received', text: expect.stringMatching(/^Hallo /) })
    expect(missing?.text).toContain('[[bestelnummer]]')
    const unfilled = await email(id, { text: missing?.text })
    expect([unfilled.status, unfilled.body['fields']]).toEqual([
      400,
      { text: ['Fill in the passages in double brackets first.'] },
    ])
  })

  test('goes out once for each request, to the account’s address, and replies reach the shop', async () => {
    const customer = await shop.newCustomer()
    const request_id = crypto.randomUUID()
    const responses = await Promise.all(Array.from({ length: 5 }, () => email(customer.id, { request_id })))
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(204))
    const emails = await sent(customer)
    expect(emails).toMatchObject([
      { recipient: customer.email, reply_to: shop.config.contactEmail, language: 'nl' },
    ])
    expect(emails[0].body_text).toContain(text)
    expect(await actions(customer)).toEqual(['customers.email'])
  })

  test('adds no header and no markup', async () => {
    const customer = await shop.newCustomer()
    await email(customer.id, {
      subject: 'Hi\r\nBcc: all@example.test',
      text: '<script>alert(1)</script> & more',
    })
    const [row] = await run(
      `SELECT subject, body_html FROM emails WHERE user_id = $1 AND kind = 'customer-message'`,
      [customer.id],
    )
    expect(row.subject).toBe('Hi Bcc: all@example.test')
    expect(row.body_html).not.toContain('<script>')
  })
})

describe('A suspension', () => {
  const suspend = ({ id }: { id: number }, change: object = {}) =>
    support.post(`/api/staff/customers/${id}/suspend/`, {
      reason: 'robot',
      note: 'Twenty logins a second.',
      ...change,
    })

  test('does what its preview says: calls end in all processes, holds become free, tickets stay, the customer is told', async () => {
    const { customer, offerId } = await shop.paidOrder(2)
    const held = await customer.order(offerId, 3)
    const { number } = await shop.orderOf(held.body['order_id'])
    const preview = await support.get(`/api/staff/customers/${customer.id}/suspend/preview/`)
    expect(preview.body).toEqual({
      released_orders: [`${number.slice(0, 4)}-${number.slice(4)}`],
      released_tickets: 3,
      valid_tickets: 2,
      open_sessions: 1,
    })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 3 })
    const done = await suspend(customer)
    expect([done.status, done.body]).toEqual([200, preview.body])

    expect((await customer.get('/api/cart/')).status).toBe(403)
    expect((await customer.elsewhere.get('/api/cart/')).status).toBe(403)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
    expect(await shop.orderState(held.body['order_id'])).toBe('cancelled')
    const valid = await run(`SELECT 1 FROM tickets WHERE user_id = $1 AND status = 'valid'`, [customer.id])
    expect(valid).toHaveLength(2)
    const [email] = await run(
      `SELECT body_text FROM emails WHERE user_id = $1 AND kind = 'account-suspended'`,
      [customer.id],
    )
    expect(email.body_text).toContain('A program seems to act in your place')
    expect(email.body_text).not.toContain('Twenty logins')
    expect(await page(customer)).toMatchObject({
      state: 'suspended',
      suspensions: {
        items: [{ reason: 'robot', note: 'Twenty logins a second.', by: support.name, lifted_at: null }],
      },
    })
    expect((await support.get('/api/staff/customers/?state=suspended')).body['items']).toMatchObject([
      { id: customer.id },
    ])

    const again = await suspend(customer)
    expect([again.status, again.body['code']]).toEqual([409, 'customers.suspended'])
    const restored = await support.post(`/api/staff/customers/${customer.id}/restore/`, {
      note: 'It was a person.',
    })
    expect(restored.status).toBe(204)
    expect((await customer.get('/api/cart/')).status).toBe(200)
    expect(await page(customer)).toMatchObject({
      state: 'active',
      suspensions: { items: [{ lifted_by: support.name, lifted_note: 'It was a person.' }] },
    })
    expect((await support.post(`/api/staff/customers/${customer.id}/restore/`, { note: 'x' })).status).toBe(
      409,
    )
    expect((await actions(customer)).filter((action) => action !== 'customers.read')).toEqual([
      'customers.suspend',
      'customers.restore',
    ])
  })

  test('asks for words to the customer where no sentence fits, and for a note', async () => {
    const customer = await shop.newCustomer()
    expect((await suspend(customer, { reason: 'other' })).body['fields']).toEqual({
      message: ['This field is required.'],
    })
    expect((await suspend(customer, { note: ' ' })).status).toBe(400)
    expect((await suspend(customer, { reason: 'mood' })).status).toBe(400)
    expect((await suspend(customer, { reason: 'other', message: 'Because of this.' })).status).toBe(200)
    const [email] = await run(
      `SELECT body_text FROM emails WHERE user_id = $1 AND kind = 'account-suspended'`,
      [customer.id],
    )
    expect(email.body_text).toContain('Because of this.')
  })

  test.each([
    ['before', ['order', 'suspend']],
    ['after', ['suspend', 'order']],
  ] as const)('leaves no hold when an order is placed at the same time, just %s it', async (_, turns) => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    await customer.add(offerId, 1)
    const calls = { order: () => customer.create(), suspend: () => suspend(customer) }
    const [, second] = await inTurn(
      customer,
      turns.map((turn) => calls[turn]),
    )
    expect(second?.status).toBe(turns[1] === 'suspend' ? 200 : 403)
    expect(await shop.counters(offerId)).toMatchObject({ tickets_held: 0 })
  })

  test('is not for staff', async () => {
    const refused = await suspend(await shop.newStaff('witness'))
    expect([refused.status, refused.body['code']]).toEqual([409, 'customers.isStaff'])
  })
})

describe('An export', () => {
  test('is one archive with everything for machines and for people, in the customer’s language', async () => {
    const { customer, ours } = await shop.paidOrder(1)
    await run(`UPDATE users SET username = '<b>Zoë</b>', language = 'nl' WHERE id = $1`, [customer.id])
    await sendMessage(customer.email, 'Is <the> car & red?')
    await shop.db.insertInto('security_events').values({ event: 'login', user_id: customer.id }).execute()
    const { status, body, headers } = await owner.post(`/api/staff/customers/${customer.id}/export/`)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/zip',
      'no-store',
    ])
    expect(headers['content-disposition']).toMatch(
      /^attachment; filename="mijn-gegevens-\d{4}-\d\d-\d\d\.zip"$/,
    )
    const files = unzip(body as unknown as Buffer)
    expect([...files.keys()]).toEqual(['mijn-gegevens.html', 'mijn-gegevens.json'])
    const data = JSON.parse(files.get('mijn-gegevens.json') ?? '')
    const number = `${ours.number.slice(0, 4)}-${ours.number.slice(4)}`
    expect(data).toMatchObject({
      account: { id: customer.id, username: '<b>Zoë</b>', email: customer.email },
      orders: [{ number, state: 'completed', total: '5.93', lines: [{ quantity: 1, unit_price: '4.90' }] }],
      tickets: [{ order: number, status: 'valid', number: expect.stringMatching(/^\d{4}$/) }],
      messages: [{ message: 'Is <the> car & red?', answers: [] }],
      emails: [{ kind: 'receipt', recipient: customer.email }],
      logins: [{ ended_at: null }],
      security_log: expect.arrayContaining([expect.objectContaining({ event: 'login' })]),
    })
    const html = files.get('mijn-gegevens.html') ?? ''
    expect(html).toContain('<html lang="nl">')
    expect(html).toContain('Is &lt;the&gt; car &amp; red?')
    expect(html).not.toMatch(/<b>|<script|<img|<link|src=|url\(/)
    for (const secret of ['argon', 'token', 'password_hash', 'refresh_hash'])
      expect(JSON.stringify(data)).not.toContain(secret)
    expect(await actions(customer)).toEqual(['customers.export'])
  })

  test('asks staff for a step-up, and support for more than its role', async () => {
    const { id } = await shop.newCustomer()
    expect((await support.post(`/api/staff/customers/${id}/export/`)).status).toBe(403)
    await run('DELETE FROM staff_step_ups')
    const refused = await owner.post(`/api/staff/customers/${id}/export/`)
    expect([refused.status, refused.body['code']]).toEqual([403, 'staff.stepUpRequired'])
    await owner.stepUp('customers.export')
    expect((await owner.post(`/api/staff/customers/${id}/export/`)).status).toBe(200)
    await owner.stepUp('customers.erase')
  })

  test('is the customer’s own with the password only', async () => {
    const customer = await shop.newCustomer()
    const wrong = await customer.post('/api/user/export/', { current_password: 'wrong horse' })
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { current_password: ['The current password is incorrect.'] },
    ])
    expect((await customer.post('/api/user/export/', {})).status).toBe(400)
    expect((await shop.anonymous('POST', '/api/user/export/', PASSWORD)).status).toBe(401)
    const { status, body } = await customer.post('/api/user/export/', PASSWORD)
    expect(status).toBe(200)
    const data = JSON.parse(unzip(body as unknown as Buffer).get('my-data.json') ?? '')
    expect(data.account.email).toBe(customer.email)
  })

  test('has the fingerprint of the connection as long as an order keeps one', async () => {
    const customer = await shop.newCustomer()
    await customer.order(await shop.newOffer(), 1)
    const [{ network }] = await run('SELECT network FROM orders WHERE user_id = $1', [customer.id])
    const files = unzip((await customer.post('/api/user/export/', PASSWORD)).body as unknown as Buffer)
    expect(network).toMatch(/^[0-9a-f]{16,}$/)
    expect(JSON.parse(files.get('my-data.json') ?? '').orders).toMatchObject([{ network }])
    expect(files.get('my-data.html')).toContain(network)
  })

  test('says in both files what the emails said, and each step of an order', async () => {
    const customer = await shop.newCustomer()
    await customer.order(await shop.newOffer(), 1)
    await support.post(`/api/staff/customers/${customer.id}/email/`, {
      request_id: crypto.randomUUID(),
      template: 'own',
      language: 'en',
      subject: 'About <your> order',
      text: 'We saw that a payment waits.',
    })
    const files = unzip((await customer.post('/api/user/export/', PASSWORD)).body as unknown as Buffer)
    const data = JSON.parse(files.get('my-data.json') ?? '')
    const readable = files.get('my-data.html') ?? ''
    expect(data.emails).toMatchObject([{ text: expect.stringContaining('a payment waits') }])
    expect(readable).toMatch(/<blockquote lang="en">[^<]*We saw that a payment waits\./)
    expect(readable).toContain('About &lt;your&gt; order')
    expect(data.orders[0].events).toMatchObject([{ state: 'held' }])
    expect(readable).toMatch(/<th scope="col">Step<\/th>[^]*<td>reserved<\/td>/)
  })

  test('leaves out what a stranger wrote from an address that nobody has confirmed', async () => {
    const customer = await shop.newCustomer()
    await run('UPDATE users SET email_confirmed_at = NULL WHERE id = $1', [customer.id])
    await sendMessage(customer.email, 'I have no account here.')
    const { body } = await customer.post('/api/user/export/', PASSWORD)
    expect(JSON.parse(unzip(body as unknown as Buffer).get('my-data.json') ?? '').messages).toEqual([])
    expect((await page(customer))['messages']).toEqual({ items: [], next: null })
  })
})

describe('Closing an account', () => {
  test('erases the person everywhere, does what its preview says, and keeps accounts and draws whole', async () => {
    const { customer, ours, offerId } = await formerBuyer()
    await run(
      `UPDATE users SET username = 'Quirin Quast', phone = '+33612345678', partner_code = 'QQ' WHERE id = $1`,
      [customer.id],
    )
    await run(`UPDATE order_lines SET answer = 'Quirin' WHERE order_id = $1`, [ours.id])
    await sendMessage(customer.email, 'Here is Quirin.')
    await shop.db.insertInto('security_events').values({ event: 'login', user_id: customer.id }).execute()
    await shop.anonymous('POST', '/api/user/forgot-password/', { email: customer.email })
    await shop.newOffer().then((other) => customer.add(other, 1))
    const before = await shop.counters(offerId)

    const preview = await previewOf(customer)
    expect(preview).toMatchObject({
      blockers: [],
      may_close: true,
      effects: { sessions: 1, messages: 1, orders_kept: 1, tickets_kept: 2, tickets_given_up: 0 },
    })
    expect((await customer.get('/api/cart/')).status).toBe(200)
    const seen = await owner.get(`/api/staff/customers/${customer.id}/erase/preview/`)
    // Security events are stored a moment after the call.
    const effects = { ...(preview['effects'] as object), security_events: expect.any(Number) }
    expect(seen.body).toEqual({ ...preview, effects })
    expect((await close(customer)).status).toBe(204)

    expect((await customer.get('/api/cart/')).status).toBe(401)
    const login = { username: customer.email, password: customer.password }
    expect((await shop.anonymous('POST', '/api/token/', login)).status).toBe(401)
    const [{ count: leaks }] = await run(
      `SELECT count(*)::int FROM (
         SELECT to_jsonb(u)::text AS row FROM users u UNION ALL SELECT to_jsonb(e)::text FROM emails e WHERE kind <> 'account-closed'
         UNION ALL SELECT to_jsonb(m)::text FROM messages m UNION ALL SELECT to_jsonb(l)::text FROM order_lines l
         UNION ALL SELECT to_jsonb(p)::text FROM password_reset_requests p UNION ALL SELECT to_jsonb(r)::text FROM email_links r
       ) AS everything WHERE row ILIKE '%quirin%' OR row ILIKE '%' || $1 || '%'`,
      [customer.email],
    )
    expect(leaks).toBe(0)
    expect(
      await run(
        'SELECT username, email, phone, is_active, closed_at IS NOT NULL AS closed FROM users WHERE id = $1',
        [customer.id],
      ),
    ).toEqual([
      {
        username: ` erased ${customer.id}`,
        email: `erased-${customer.id}@erased.invalid`,
        phone: '',
        is_active: false,
        closed: true,
      },
    ])
    expect(
      await run(`SELECT recipient FROM emails WHERE kind = 'account-closed' AND user_id = $1`, [customer.id]),
    ).toEqual([{ recipient: customer.email }])
    const kept = await run(`SELECT number, total_cents, country, user_id FROM orders WHERE id = $1`, [
      ours.id,
    ])
    expect(kept).toEqual([{ number: ours.number, total_cents: 1186, country: 'BE', user_id: customer.id }])
    expect(
      await run(`SELECT 1 FROM tickets WHERE order_id = $1 AND status = 'valid'`, [ours.id]),
    ).toHaveLength(2)
    expect(await shop.counters(offerId)).toEqual(before)
    const shown = await page(customer)
    expect(shown).toMatchObject({
      state: 'closed',
      suspensions: { items: [] },
      sessions: [],
      messages: { items: [] },
      tickets: [{ valid: 2 }],
    })

    const erased = (preview['effects'] as { emails: number }).emails
    expect(
      await run(`SELECT 1 FROM emails WHERE user_id = $1 AND erased_at IS NOT NULL`, [customer.id]),
    ).toHaveLength(erased - 1)
    const again = await owner.post(`/api/staff/customers/${customer.id}/erase/`, { reason: 'customer_asked' })
    expect([again.status, again.body['code']]).toEqual([409, 'customers.closed'])

    // The address is free for a new account, which gets nothing of the former one.
    const registration = {
      username: 'Quirin Quast',
      email: customer.email,
      password: 'correct horse battery',
      phone_number: '+33612345678',
    }
    expect((await shop.anonymous('POST', '/api/user/register/', registration)).status).toBe(201)
    const token = (await shop.sessionOf(customer))['access'] ?? ''
    expect((await shop.withToken(token, 'GET', '/api/tickets/')).body).toEqual([])
  })

  test('is refused while an order, a refund or a contest is under way, and says which', async () => {
    const { customer, offerId, ours } = await shop.paidOrder(2)
    await customer.order(offerId, 1)
    await run(
      `INSERT INTO refunds (capture_id, order_id, amount_cents, reason) SELECT capture_id, order_id, 10, 'staff_request' FROM captures WHERE order_id = $1`,
      [ours.id],
    )
    const refused = await close(customer, { give_up_tickets: true })
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      code: 'account.stillRunning',
      blockers: [
        { kind: 'refund', number: expect.stringMatching(/^....-....$/) },
        { kind: 'order', state: 'held' },
        { kind: 'tickets', title: expect.stringContaining('Contest'), tickets: 2, is_running: true },
      ],
    })
    expect((await previewOf(customer, '?give_up_tickets=true'))['may_close']).toBe(false)
    expect((await customer.get('/api/cart/')).status).toBe(200)
  })

  test('with tickets given up voids those of running contests and leaves closed draws alone; the ledger holds', async () => {
    const { customer, offerId, ours } = await shop.paidOrder(2)
    const ended = await shop.newOffer()
    const second = await customer.order(ended, 1)
    await shop.paypal.approve(second.body['order_id'])
    await customer.capture(second.body['order_id'])
    await shop.changeOffer(ended, { end_date: new Date(Date.now() - 86_400_000) })
    expect((await close(customer)).status).toBe(409)
    const preview = await owner.get(`/api/staff/customers/${customer.id}/erase/preview/?give_up_tickets=true`)
    expect(preview.body).toMatchObject({
      blockers: [
        { slug: expect.any(String), is_running: false },
        { tickets: 2, is_running: true },
      ],
      may_close: true,
    })
    const done = await owner.post(`/api/staff/customers/${customer.id}/erase/`, {
      reason: 'customer_asked',
      give_up_tickets: true,
    })
    // The security log is stored a moment later.
    const effects = { ...preview.body['effects'], security_events: done.body['security_events'] as number }
    expect([done.status, done.body]).toEqual([200, effects])
    expect(done.body).toMatchObject({ tickets_given_up: 2, tickets_kept: 1 })
    expect(
      await run(
        `SELECT status, given_up_at IS NOT NULL AS given_up FROM tickets WHERE user_id = $1 ORDER BY offer_id = $2`,
        [customer.id, offerId],
      ),
    ).toEqual([
      { status: 'valid', given_up: false },
      { status: 'void', given_up: true },
      { status: 'void', given_up: true },
    ])
    expect(await shop.counters(offerId)).toMatchObject({ tickets_sold: 2 })
    expect(await breaches()).toEqual([])
    await run(`UPDATE tickets SET given_up_at = NULL WHERE user_id = $1`, [customer.id])
    expect(await breaches()).toEqual(['I3: not the tickets that were bought'])
    // A line whose money goes back has no tickets to account for, given up or not.
    await run(`UPDATE tickets SET given_up_at = now() WHERE user_id = $1 AND status = 'void'`, [customer.id])
    await run(
      `UPDATE order_lines SET refund_requested_at = now(), returned_quantity = quantity WHERE order_id = $1`,
      [ours.id],
    )
    expect(await breaches()).toEqual(['I3: more is left here than the tickets cost'])
    await run(
      `UPDATE order_lines SET refund_requested_at = NULL, returned_quantity = 0 WHERE order_id = $1`,
      [ours.id],
    )
    expect(await actions(customer)).toContain('customers.erase')
  })

  test('is refused with a wrong password, to staff, to a role below manager, and without a reason', async () => {
    const customer = await shop.newCustomer()
    expect((await close(customer, { current_password: 'wrong horse' })).status).toBe(400)
    expect((await customer.post('/api/user/close/', {})).status).toBe(400)
    const path = `/api/staff/customers/${customer.id}/erase/`
    expect((await support.post(path, { reason: 'customer_asked' })).status).toBe(403)
    expect((await owner.post(path, { reason: 'mood' })).status).toBe(400)
    const witness = await shop.newStaff('witness')
    const session = (await shop.sessionOf(witness))['access'] ?? ''
    const refused = await shop.withToken(session, 'POST', '/api/user/close/', PASSWORD)
    expect([refused.status, refused.body['code']]).toEqual([409, 'customers.isStaff'])
    expect((await owner.post(`/api/staff/customers/${witness.id}/erase/`, { reason: 'other' })).status).toBe(
      409,
    )
    expect((await customer.get('/api/cart/')).status).toBe(200)
  })

  test.each([
    [
      ['order', 'close'],
      [200, 409],
      [false, 1],
    ],
    [
      ['close', 'order'],
      [204, 403],
      [true, 0],
    ],
    [
      ['close', 'close'],
      [204, 409],
      [true, 0],
    ],
  ] as const)('at the same time as others: %j gets %j', async (turns, statuses, outcome) => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    await customer.add(offerId, 1)
    const calls = { order: () => customer.create(), close: () => close(customer) }
    const responses = await inTurn(
      customer,
      turns.map((turn) => calls[turn]),
    )
    expect(responses.map(({ status }) => status)).toEqual(statuses)
    const [row] = await run(
      `SELECT u.closed_at IS NOT NULL AS closed,
              (SELECT count(*)::int FROM orders o WHERE o.user_id = u.id AND o.state = 'held') AS holds
       FROM users u WHERE id = $1`,
      [customer.id],
    )
    expect([row.closed, row.holds]).toEqual(outcome)
  })

  test('money that arrives later buys nothing for nobody: it goes back', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    await run(`UPDATE orders SET hold_until = now() - interval '1 minute' WHERE provider_order_id = $1`, [
      orderId,
    ])
    await shop.expireHolds()
    expect((await close(customer)).status).toBe(204)
    await shop.client.captureOrder(orderId, crypto.randomUUID())
    const { reconcile } = await import('#features/purchase/payments/server/index.ts')
    const { id } = await shop.orderOf(orderId)
    await reconcile(shop.checkout, id, { includeFinal: true })
    expect(await shop.orderState(orderId)).toMatch(/^refund/)
    expect(await run('SELECT 1 FROM tickets WHERE order_id = $1', [id])).toEqual([])
    expect(
      await run(`SELECT recipient FROM emails WHERE user_id = $1 AND kind <> 'account-closed'`, [
        customer.id,
      ]),
    ).toEqual([])
  })

  test('erases entries by post, which the page and the export show', async () => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    const card = postcard(offerId, { email: customer.email, name: 'Zita Zwaan' })
    const registered = await owner.post('/api/staff/post/entries/', card)
    expect(registered.status).toBe(201)
    const shown = await page(customer)
    expect(shown['others']).toMatchObject([
      { name: 'postal_entries', title: 'Entries by post', records: [{ path: `/post/entries/${card.id}` }] },
      { name: 'exclusions', records: [] },
      { name: 'prize_claims', title: 'Prizes won', records: [] },
    ])
    expect(shown['emails'].items).toMatchObject([{ kind: 'postal-entry' }])
    const { body } = await customer.post('/api/user/export/', PASSWORD)
    const files = unzip(body as unknown as Buffer)
    const data = JSON.parse(files.get('my-data.json') ?? '')
    expect(data['postal_entries']).toMatchObject([
      { name: 'Zita Zwaan', city: 'Bruxelles', status: 'entered' },
    ])
    expect(files.get('my-data.html')).toContain('Entries by post')

    expect((await close(customer)).status).toBe(409)
    expect((await close(customer, { give_up_tickets: true })).status).toBe(204)
    expect(await run(`SELECT 1 FROM postal_entries WHERE to_jsonb(postal_entries)::text ~* 'zita'`)).toEqual(
      [],
    )
    expect(
      await run(
        `SELECT e.status, t.status AS ticket FROM postal_entries e
        JOIN tickets t ON t.offer_id = e.offer_id AND t.number = e.ticket_number WHERE e.id = $1`,
        [card.id],
      ),
    ).toEqual([{ status: 'entered', ticket: 'void' }])
    expect(await breaches()).toEqual([])
  })

  test('forgets the address of an exclusion, which the export shows, and goes on excluding', async () => {
    const customer = await shop.newCustomer()
    const list = '/api/staff/exclusions/'
    await owner.stepUp('exclusions.change')
    const listed = { kind: 'email', value: customer.email, reason: 'self' }
    expect((await owner.post(list, listed)).status).toBe(204)
    const { body } = await customer.post('/api/user/export/', PASSWORD)
    const files = unzip(body as unknown as Buffer)
    expect(JSON.parse(files.get('my-data.json') ?? '')['exclusions']).toMatchObject([
      { email: customer.email, reason: 'self' },
    ])
    expect(files.get('my-data.html')).toContain('At your own request')

    expect((await close(customer)).status).toBe(204)
    expect((await owner.get(list)).body).toMatchObject([{ value: null, reason: 'self' }])
    const again = await shop.newCustomer()
    await run('UPDATE users SET email = $2 WHERE id = $1', [again.id, customer.email])
    expect(await again.add(await shop.newOffer(), 1)).toMatchObject({
      status: 403,
      body: { code: 'cart.excluded' },
    })
  })

  test('erases refused cards and their emails, after a change of address, too, and sends none of them', async () => {
    const customer = await shop.newCustomer()
    const card = postcard(await shop.newOffer(), {
      email: customer.email,
      name: 'Xenia Xander',
      country: 'US',
    })
    expect((await owner.post('/api/staff/post/entries/', card)).body['refusal']).toBe('country')
    expect((await page(customer))['emails'].items).toMatchObject([{ kind: 'postal-entry' }])
    await run(`UPDATE users SET email = 'xx@example.test' WHERE id = $1`, [customer.id])
    const { body } = await customer.post('/api/user/export/', PASSWORD)
    const data = JSON.parse(unzip(body as unknown as Buffer).get('my-data.json') ?? '')
    expect(data['postal_entries']).toMatchObject([{ name: 'Xenia Xander', refusal: 'country' }])
    expect(data['emails']).toMatchObject([{ kind: 'postal-entry', recipient: card.email }])

    expect((await close(customer)).status).toBe(204)
    const named = await run(
      `SELECT row FROM (SELECT to_jsonb(p)::text AS row FROM postal_entries p UNION ALL SELECT to_jsonb(e)::text FROM emails e)
       AS everything WHERE row ~* 'xenia'`,
    )
    expect(named).toEqual([])
    const emails = await run('SELECT state, recipient FROM emails WHERE key = $1', [
      `postal-entry:${card.id}`,
    ])
    expect(emails).toEqual([{ state: 'kept', recipient: 'erased@erased.invalid' }])
  })

  test('waits for a refund on which two people decide, and erases what they wrote', async () => {
    const { customer, ours } = await formerBuyer()
    const ask = async (decision: string | null, words: string) =>
      await run(
        `INSERT INTO approvals (permission, subject_kind, subject, input, reason, requested_by, decided_by, decided_at, decision, answer)
         VALUES ('orders.refund', 'order', $1, jsonb_build_object('orderId', $1::text, 'refund', jsonb_build_object('note', $2::text)),
                 $2, $3, $4, CASE WHEN $5::text IS NOT NULL THEN now() END, $5, $2) RETURNING id`,
        [ours.id, words, support.id, decision === null ? null : owner.id, decision],
      )
    await ask('refused', 'Yvonne asked')
    await run(
      `INSERT INTO alerts (kind, subject, taken_by, taken_at, note)
       VALUES ('ledgerDiffers', $1, $2, now(), 'Yvonne paid twice'), ('jobMissing', 'mailer', $2, now(), 'Mine')`,
      [ours.id, support.id],
    )
    const [{ id: waiting }] = await ask(null, 'Yvonne called')
    expect((await previewOf(customer))['blockers']).toMatchObject([{ kind: 'refund' }])
    expect((await close(customer)).status).toBe(409)
    await run(
      `UPDATE approvals SET decision = 'approved', decided_by = $2, decided_at = now(), failure = 'a_test' WHERE id = $1`,
      [waiting, owner.id],
    )
    expect((await close(customer)).status).toBe(204)
    const rows = await run(`SELECT reason, answer, input FROM approvals WHERE subject = $1 ORDER BY id`, [
      ours.id,
    ])
    const wordless = { reason: '-', answer: null, input: { orderId: ours.id, refund: {} } }
    expect(rows).toEqual([wordless, wordless])
    const notes = `SELECT note FROM alerts WHERE taken_by = $1 ORDER BY id`
    expect(await run(notes, [support.id])).toEqual([{ note: null }, { note: 'Mine' }])
  })

  test('erases what staff wrote about the buyer, wherever they wrote it', async () => {
    const [maker, checker] = [await shop.newStaff('support'), await shop.newStaff('manager')]
    const { customer, ours, offerId } = await shop.paidOrder(20)
    const held = (await customer.order(await shop.newOffer(), 1)).body['order_id']
    await shop.changeOffer(offerId, { end_date: new Date(Date.now() - 40 * 86_400_000) })
    const reason = 'Zebulon called'
    const post = (staff: typeof support, path: string, body: object) =>
      staff.post(`/api/staff/${path}/`, { reason, ...body })
    const order = `orders/${ours.id}`
    expect((await post(maker, `orders/${held}/release`, {})).status).toBe(200)
    expect((await post(maker, `${order}/notes`, { text: reason })).status).toBe(200)
    for (const decision of ['refuse', 'approve']) {
      const asked = await post(maker, `${order}/refund`, { reason_code: 'goodwill' })
      expect(asked.status).toBe(202)
      const path = `approvals/${asked.body['approval'].id}/${decision}`
      expect((await post(checker, path, {})).status).toBe(200)
    }
    const wordsOf = async (id: string): Promise<string[]> =>
      (await maker.get(`/api/staff/orders/${id}/`)).body['timeline'].flatMap(
        ({ code, values }: { code: string; values: object }) =>
          Object.values(values).includes(reason) ? [code] : [],
      )
    expect(await wordsOf(held)).toEqual(['note'])
    expect(await wordsOf(ours.id)).toEqual([
      'note',
      'approvals.ask',
      'approvals.refused',
      'approvals.ask',
      'requested',
    ])
    expect((await close(customer)).status).toBe(204)
    const tables = Object.entries(await everyRow(shop, []))
    expect(tables.filter(([, rows]) => /zebulon/i.test(JSON.stringify(rows))).map(([name]) => name)).toEqual(
      [],
    )
  })

  test('of a former member of staff erases how they signed in, which reports they got, what they marked, and where they stood in line', async () => {
    const { id } = await shop.newStaff('support')
    const offerId = await shop.newOffer()
    await run(`INSERT INTO waiting_rooms (offer_id, frontier, rate) VALUES ($1, 1, 1)`, [offerId])
    await run(`INSERT INTO waiting_places (offer_id, user_id, number) VALUES ($1, $2, 1)`, [offerId, id])
    await run(
      `INSERT INTO report_subscriptions (user_id, period, language, sent_until) VALUES ($1, 'week', 'fr', now())`,
      [id],
    )
    await run(`INSERT INTO staff_recovery_codes (user_id, code_hash) VALUES ($1, '\\x00')`, [id])
    await run('UPDATE users SET role = NULL WHERE id = $1', [id])
    await run('INSERT INTO favourites (user_id, offer_id) VALUES ($1, $2)', [id, offerId])
    await run(`INSERT INTO reminders (user_id, offer_id, kind) VALUES ($1, $2, 'result')`, [id, offerId])
    const tables = [
      'favourites',
      'reminders',
      'report_subscriptions',
      'staff_recovery_codes',
      'staff_sessions',
      'waiting_places',
    ]
    const left = async (): Promise<string[]> => {
      const rows = tables.map((table) => `SELECT '${table}' AS name FROM ${table} WHERE user_id = ${id}`)
      return (await run(`${rows.join(' UNION ')} ORDER BY name`)).map(({ name }) => name)
    }
    expect(await left()).toEqual(tables)
    const deps = { db: shop.db, shop: shop.config, sources: personalDataSources }
    await transact(shop.db, (trx) =>
      closeAccount(trx, deps, { userId: id, giveUpTickets: false, language: 'en' }),
    )
    expect(await left()).toEqual([])
  })

  test('reaches what other slices keep, and their numbers are in the preview', async () => {
    const customer = await shop.newCustomer()
    const cleared: number[] = []
    const source: PersonalDataSource = {
      name: 'postal_entries',
      read: async () => ({ title: 'Entries by post', records: [] }),
      columns: [],
      erase: async (_trx, { userId }) => ({ rows: cleared.push(userId), emailKeys: ['of another slice'] }),
    }
    await run(
      `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html)
       VALUES (gen_random_uuid(), 'of another slice', 'test', 'ann@person.test', 'en', 'Ann', 'Ann', 'Ann')`,
    )
    const deps = {
      db: shop.db,
      shop: shop.config,
      sources: [accountPersonalData, source, emailsPersonalData],
    }
    const closing = { userId: customer.id, giveUpTickets: false, language: 'en' as const }
    const preview = await previewClosing(deps, closing)
    expect(preview.effects.others).toEqual({ postal_entries: 1 })
    const effects = await transact(shop.db, (trx) => closeAccount(trx, deps, closing))
    expect([cleared, effects.others]).toEqual([[customer.id, customer.id], { postal_entries: 2 }])
    const left = await run(
      `SELECT state, body_text, erased_at IS NOT NULL AS erased FROM emails WHERE key = 'of another slice'`,
    )
    expect(left).toEqual([{ state: 'kept', body_text: '', erased: true }])
  })
})

test('the database refuses a closed account that names somebody or opens again', async () => {
  const customer = await shop.newCustomer()
  await expect(
    run('UPDATE users SET closed_at = now(), is_active = false WHERE id = $1', [customer.id]),
  ).rejects.toThrow('users_closed_name_nobody')
  expect((await close(customer)).status).toBe(204)
  for (const change of [
    'closed_at = NULL',
    `is_active = true`,
    `email = 'somebody@example.test'`,
    `role = 'owner'`,
  ])
    await expect(run(`UPDATE users SET ${change} WHERE id = $1`, [customer.id])).rejects.toThrow(
      /users_closed/,
    )
})

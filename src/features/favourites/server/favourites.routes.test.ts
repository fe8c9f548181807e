import { afterAll, describe, expect, test } from 'vitest'
import { applyRetention } from '#server/maintenance.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { exportWords } from '#platform/personal-data.ts'
import { transact } from '#platform/transaction.ts'
import { drawNumber, sealContest } from '../../../../test/support/drawn-contests.ts'
import { startMailServer } from '../../../../test/support/mail-server.ts'
import { type Customer, testShop } from '../../../../test/support/shop.ts'
import { FAVOURITES_MAX, type Favourite, REMINDER_KINDS, type ReminderKind } from '../favourites.contract.ts'
import { favouritesPersonalData } from './personal-data.ts'
import { sendReminders } from './reminder-emails.ts'
import { unsubscribeTokens } from './unsubscribe-tokens.ts'

const post = await startMailServer()
const shop = await testShop({ env: { SMTP_URL: post.url } })
afterAll(async () => {
  await shop.close()
  await post.close()
})
await shop.unlockTerms()

const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const inHours = (hours: number): Date => new Date(Date.now() + hours * 3_600_000)
/** A contest of which every reminder is still to come. */
const newContest = (): Promise<number> => shop.newOffer({ end_date: inHours(48), draw_at: inHours(120) })
const closeInHours = (offerId: number, hours: number) =>
  shop.changeOffer(offerId, { end_date: inHours(hours) })

const keptBy = async (customer: Customer) =>
  ((await customer.get('/api/favourites')).body['favourites'] as Favourite[]).map(
    ({ offer, isFavourite, reminders }) => [offer.id, isFavourite, reminders],
  )
const remind = (customer: Customer, offerId: number, ...kinds: ReminderKind[]) =>
  customer.put(`/api/reminders/${offerId}`, { kinds })
/** Somebody who has asked for reminders of a contest. */
async function askedFor(offerId: number, ...kinds: ReminderKind[]): Promise<Customer> {
  const customer = await shop.newCustomer()
  expect((await remind(customer, offerId, ...kinds)).body).toEqual({ reminders: kinds })
  return customer
}
const emailsTo = (customer: Customer) =>
  run(
    `SELECT state, subject, body_ref ->> 'ref' AS ref, last_error FROM emails
     WHERE kind = 'reminder' AND user_id = $1 ORDER BY id`,
    [customer.id],
  )
const send = () => sendReminders(shop.db)

describe('favourites', () => {
  test('are kept with the account, the newest first, and may be marked twice', async () => {
    const [customer, other] = [await shop.newCustomer(), await shop.newCustomer()]
    const [first, second] = [await newContest(), await newContest()]
    for (const id of [first, second, first])
      expect((await customer.put(`/api/favourites/${id}`)).status).toBe(204)
    expect(await keptBy(customer)).toEqual([
      [second, true, []],
      [first, true, []],
    ])
    expect(await keptBy(other)).toEqual([])
    const [{ offer }] = (await customer.get('/api/favourites')).body['favourites'] as [{ offer: object }]
    const listed = (await shop.anonymous('GET', '/api/offers/')).body as unknown as { id: number }[]
    expect(offer).toEqual(listed.find(({ id }) => id === second))

    for (const _ of [1, 2]) expect((await customer.delete(`/api/favourites/${second}`)).status).toBe(204)
    expect(await keptBy(customer)).toEqual([[first, true, []]])
  })

  test('are of contests that everybody sees', async () => {
    const customer = await shop.newCustomer()
    const draft = await shop.newOffer({ state: 'draft' })
    for (const id of [draft, 2_000_000_000]) {
      expect((await customer.put(`/api/favourites/${id}`)).body).toMatchObject({ code: 'offer.notFound' })
      expect((await remind(customer, id, 'closing')).status).toBe(404)
    }
    for (const id of ['0', '-1', '1.5', 'x', '99999999999'])
      expect((await customer.put(`/api/favourites/${id}`)).status, id).toBe(400)
  })

  test('are as many as an account may have, together with reminders', async () => {
    const customer = await shop.newCustomer()
    const ids = await Promise.all(Array.from({ length: FAVOURITES_MAX + 1 }, newContest))
    const [last, ...others] = ids as [number, ...number[]]
    await run('INSERT INTO favourites (user_id, offer_id) SELECT $1, unnest($2::int[])', [
      customer.id,
      others,
    ])
    const language = { language: 'nl' } as const
    expect((await customer.put(`/api/favourites/${last}`, undefined, language)).body).toEqual({
      code: 'favourites.full',
      detail: `Je hebt al ${FAVOURITES_MAX} wedstrijden bij je favorieten en herinneringen. Verwijder er een om een andere toe te voegen.`,
    })
    expect((await remind(customer, last, 'closing')).body).toMatchObject({ code: 'favourites.full' })
    // Of those that are there one may still ask for reminders.
    expect((await remind(customer, others[0]!, 'closing')).status).toBe(200)
    expect(await keptBy(customer)).toHaveLength(FAVOURITES_MAX)
    await customer.delete(`/api/favourites/${others[1]}`)
    const both = [...ids.slice(0, 1), others[1]!].map((id) => customer.put(`/api/favourites/${id}`))
    expect((await Promise.all(both)).filter(({ status }) => status === 204)).toHaveLength(1)
  })
})

describe('reminders', () => {
  test('are those that were asked for last, and none any more for an empty list', async () => {
    const offerId = await newContest()
    const customer = await askedFor(offerId, 'closing', 'result')
    expect(await keptBy(customer)).toEqual([[offerId, false, ['closing', 'result']]])
    expect((await remind(customer, offerId, 'draw', 'draw')).body).toEqual({ reminders: ['draw'] })
    await customer.put(`/api/favourites/${offerId}`)
    expect(await keptBy(customer)).toEqual([[offerId, true, ['draw']]])
    expect((await remind(customer, offerId)).body).toEqual({ reminders: [] })
    expect(await keptBy(customer)).toEqual([[offerId, true, []]])
  })

  test('are refused once their time is past, and kept if they were asked for before', async () => {
    const offerId = await newContest()
    const early = await askedFor(offerId, 'closing')
    await closeInHours(offerId, 20)
    const late = await shop.newCustomer()
    expect((await remind(late, offerId, 'closing', 'result')).body).toMatchObject({ code: 'reminder.past' })
    expect(await keptBy(late)).toEqual([])
    expect((await remind(early, offerId, 'closing', 'result')).body).toEqual({ reminders: ['result'] })
    expect(await send()).toBe(1)
  })

  test.each([{}, { kinds: ['other'] }, { kinds: 'closing' }, { kinds: [...REMINDER_KINDS, 'draw'] }])(
    'are not %j',
    async (body) => {
      const customer = await shop.newCustomer()
      expect((await customer.put(`/api/reminders/${await newContest()}`, body)).status).toBe(400)
    },
  )

  test('end all at once, also those that wait to be sent', async () => {
    const [one, other] = [await newContest(), await newContest()]
    const customer = await askedFor(one, 'closing')
    await remind(customer, other, 'closing', 'result')
    await customer.put(`/api/favourites/${other}`)
    await closeInHours(one, 20)
    expect(await send()).toBe(1)
    expect((await customer.delete('/api/reminders')).status).toBe(204)
    expect(await keptBy(customer)).toEqual([[other, true, []]])
    await shop.mailer.deliver()
    expect(await emailsTo(customer)).toMatchObject([{ state: 'kept', last_error: 'no longer needed' }])
    await closeInHours(other, 20)
    expect(await send()).toBe(0)
  })

  test('are sent once each, however many workers look', async () => {
    const offerId = await newContest()
    const people = await Promise.all([1, 2, 3].map(() => askedFor(offerId, ...REMINDER_KINDS)))
    expect(await send()).toBe(0)
    await closeInHours(offerId, 23.9)
    expect((await Promise.all([send(), send(), send()])).reduce((sum, one) => sum + one)).toBe(3)
    await shop.changeOffer(offerId, { end_date: inHours(-1), draw_at: inHours(0.9) })
    expect((await Promise.all([send(), send()])).reduce((sum, one) => sum + one)).toBe(3)
    expect(await send()).toBe(0)
    for (const one of people)
      expect((await emailsTo(one)).map(({ ref }) => ref.split('.')[2])).toEqual(['closing', 'draw'])
  })

  test('follow an end that moves', async () => {
    const offerId = await newContest()
    const customer = await askedFor(offerId, 'closing')
    await closeInHours(offerId, 20)
    expect(await send()).toBe(1)
    // Later: what waits is not true any more, and is told again.
    await closeInHours(offerId, 100)
    await shop.mailer.deliver()
    expect(await send()).toBe(0)
    await closeInHours(offerId, 22)
    expect([await send(), await send()]).toEqual([1, 0])
    await shop.mailer.deliver()
    expect((await emailsTo(customer)).map(({ state }) => state)).toEqual(['kept', 'sent'])
  })

  test('say nothing of a contest that is cancelled, sold out or over', async () => {
    const [cancelled, soldOut, over, waiting] = [
      await newContest(),
      await newContest(),
      await newContest(),
      await newContest(),
    ]
    const all = [cancelled, soldOut, over, waiting]
    const people = await Promise.all(all.map((id) => askedFor(id, 'closing')))
    for (const id of all) await closeInHours(id, 20)
    await run('UPDATE offers SET tickets_sold = total_tickets WHERE id = $1', [soldOut])
    await closeInHours(over, -0.1)
    const cancel = (id: number) =>
      run(`UPDATE offers SET state = 'cancelled', cancelled_at = now(), cancelled_why = 'x' WHERE id = $1`, [
        id,
      ])
    await cancel(cancelled)
    expect(await send()).toBe(1)
    // Cancelled after it was written.
    await cancel(waiting)
    await shop.mailer.deliver()
    expect((await Promise.all(people.map(emailsTo))).flat()).toMatchObject([{ state: 'kept' }])
    expect((await remind(people[0]!, cancelled, 'draw')).status).toBe(409)
  })

  test('of a result go to whoever has no ticket, once a number is drawn', async () => {
    const offerId = await newContest()
    const { customer: buyer } = await shop.paidOrder(1, undefined, offerId)
    await remind(buyer, offerId, 'result')
    const watcher = await askedFor(offerId, 'result')
    const [{ number }] = await run('SELECT number FROM tickets WHERE user_id = $1', [buyer.id])
    await shop.changeOffer(offerId, { end_date: inHours(-2), draw_at: inHours(-1) })
    await run(`UPDATE offers SET state = 'closed' WHERE id = $1`, [offerId])
    await sealContest(shop.pool, offerId)
    expect(await send()).toBe(0)
    await drawNumber(shop.pool, offerId, number)
    expect([await send(), await send()]).toEqual([1, 0])
    expect(await emailsTo(buyer)).toEqual([])
    await shop.mailer.deliver()
    const { text = '' } = post.taken.findLast(({ envelopeTo }) => envelopeTo[0] === watcher.email)!
    expect(text).toContain(`\n\n${padTicketNumber(number, 1_000)}\n\n`)
    expect(text).toMatch(/\/draws\/contest-\d+/)
  })

  test('go to nobody with an unconfirmed address, without rights, excluded or closed', async () => {
    const offerId = await newContest()
    const [unconfirmed, suspended, staff, excluded, closed, leaving, kept] = (await Promise.all(
      Array.from({ length: 7 }, () => askedFor(offerId, 'closing')),
    )) as [Customer, Customer, Customer, Customer, Customer, Customer, Customer]
    await run('UPDATE users SET email_confirmed_at = NULL WHERE id = $1', [unconfirmed.id])
    await run('UPDATE users SET is_active = false WHERE id = $1', [suspended.id])
    await run(`UPDATE users SET role = 'support' WHERE id = $1`, [staff.id])
    await run(
      `INSERT INTO excluded_payers (kind, value, digest, reason, added_by)
       SELECT 'email', email, sha256(convert_to(lower(email), 'UTF8')), 'self', id FROM users WHERE id = $1`,
      [excluded.id],
    )
    const close = (customer: Customer) =>
      customer.post('/api/user/close/', { current_password: customer.password })
    expect((await close(closed)).status).toBeLessThan(300)
    await closeInHours(offerId, 20)
    expect(await send()).toBe(2)
    expect((await close(leaving)).status).toBeLessThan(300)
    await shop.mailer.deliver()
    const written = (await run(`SELECT recipient, state FROM emails WHERE key LIKE $1 ORDER BY id`, [
      `reminder:%.${offerId}.%`,
    ])) as { recipient: string; state: string }[]
    const ends = written.map(({ recipient, state }) => `${state} ${recipient}`).toSorted()
    expect(ends).toEqual(['kept erased@erased.invalid', `sent ${kept.email}`])
    const left = await run('SELECT FROM reminders WHERE user_id = ANY($1)', [[closed.id, leaving.id]])
    expect(left).toEqual([])
  })

  test('and favourites are in an export, with words for people', async () => {
    const offerId = await newContest()
    const customer = await askedFor(offerId, 'closing', 'result')
    await customer.put(`/api/favourites/${offerId}`)
    const person = { userId: customer.id, email: customer.email, isConfirmed: true }
    const sections = await transact(shop.db, (trx) =>
      favouritesPersonalData.export(trx, person, exportWords('en', 'UTC')),
    )
    expect(sections).toMatchObject([
      {
        name: 'favourites',
        title: 'Favourites and reminders',
        data: [{ reminders: [{ kind: 'closing' }, { kind: 'result' }] }],
        blocks: [
          {
            rows: [
              [expect.stringMatching(/^Contest/), expect.any(String), 'a day before the closing, the result'],
            ],
          },
        ],
      },
    ])
  })

  test('and favourites are forgotten some months after a contest', async () => {
    const [old, recent] = [await newContest(), await newContest()]
    const customer = await askedFor(old, 'closing')
    for (const id of [old, recent]) await customer.put(`/api/favourites/${id}`)
    await shop.changeOffer(old, { end_date: inHours(-92 * 24), draw_at: inHours(-91 * 24) })
    const report = await applyRetention(shop.db, shop.app.log, shop.config)
    expect(report).toMatchObject({ favourites: 1, reminders: 1 })
    expect(await keptBy(customer)).toEqual([[recent, true, []]])
  })
})

describe('the link of a reminder', () => {
  const tokens = unsubscribeTokens({ secret: shop.secret })
  const wanted = async (customer: Customer): Promise<boolean> =>
    (await run('SELECT FROM reminders WHERE user_id = $1', [customer.id])).length > 0

  /** What the email program is told, and the address that the reader opens. */
  async function sentTo(customer: Customer) {
    await send()
    await shop.mailer.deliver()
    const email = post.taken.findLast(({ envelopeTo }) => envelopeTo[0] === customer.email)!
    const header = (name: string) => email.headers.find(({ key }) => key === name)?.value
    const [, address = ''] = /^<(.*)>$/.exec(header('list-unsubscribe') ?? '') ?? []
    return { email, header, address, path: address.slice(shop.config.publicUrl.length) }
  }

  test('stands in the header and in the text, and ends all reminders by one request', async () => {
    const [offerId, other] = [await newContest(), await newContest()]
    const [customer, neighbour] = [await askedFor(offerId, 'closing'), await askedFor(offerId, 'result')]
    await remind(customer, other, 'result')
    await closeInHours(offerId, 20)
    const { email, header, address, path } = await sentTo(customer)
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(address).toMatch(/^http:\/\/[^/]+\/unsubscribe\?token=[\w.-]+(&lang=en)?$/)
    expect(email.text).toContain(address)
    expect(email.html).toContain(`href="${address.replaceAll('&', '&amp;')}"`)
    // Neither the database nor what staff see has it.
    const [{ found }] = await run(`SELECT count(*)::int AS found FROM emails e WHERE e::text LIKE '%token=%'`)
    expect(found).toBe(0)

    const inject = (headers: Record<string, string>, payload: string) =>
      shop.app.inject({ method: 'POST', url: path, headers, payload })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const body of ['', 'List-Unsubscribe=Two-Click', 'confirm=1'])
      expect((await inject(form, body)).statusCode).toBe(400)
    expect(
      (await shop.app.inject({ url: path.replace('/unsubscribe', '/api/reminders/unsubscribe') })).json(),
    ).toMatchObject({
      kind: 'closing',
      slug: expect.stringMatching(/^contest-/),
    })
    expect(await wanted(customer)).toBe(true)

    const response = await inject(form, 'List-Unsubscribe=One-Click')
    expect([response.statusCode, response.headers.location, response.headers['set-cookie']]).toEqual([
      200,
      undefined,
      undefined,
    ])
    expect([await wanted(customer), await wanted(neighbour)]).toEqual([false, true])
    // Once more, as email programs may.
    expect((await inject(form, 'List-Unsubscribe=One-Click')).statusCode).toBe(200)
  })

  test('works as a form with parts, which RFC 8058 prefers', async () => {
    const offerId = await newContest()
    const customer = await askedFor(offerId, 'closing')
    await closeInHours(offerId, 20)
    const { path } = await sentTo(customer)
    const payload =
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    expect((await shop.app.inject({ method: 'POST', url: path, headers, payload })).statusCode).toBe(200)
    expect(await wanted(customer)).toBe(false)
  })

  test('works from its page, and after a change of the key', async () => {
    const offerId = await newContest()
    const customer = await askedFor(offerId, 'draw')
    const token = tokens.of({ userId: customer.id, offerId, kind: 'draw' })
    const changed = await shop.withKeys({
      secret: 'another secret of the tests, as long as the first',
      previousSecret: shop.secret,
    })
    const used = await changed.call('POST', '/api/reminders/unsubscribe', { body: { token } })
    expect([used.status, used.body['kind']]).toEqual([200, 'draw'])
    expect(await wanted(customer)).toBe(false)
    const gone = await shop.withKeys({ secret: 'another secret of the tests, as long as the first' })
    expect((await gone.call('GET', `/api/reminders/unsubscribe?token=${token}`)).status).toBe(404)
  })

  test('does nothing when it is forged, or was made for another account', async () => {
    const offerId = await newContest()
    const [customer, other] = [await askedFor(offerId, 'draw'), await shop.newCustomer()]
    const own = tokens.of({ userId: other.id, offerId, kind: 'draw' })
    const forged = own.replace(String(other.id), String(customer.id))
    for (const token of [forged, 'x', '']) {
      expect((await shop.anonymous('POST', '/api/reminders/unsubscribe', { token })).body).toMatchObject({
        code: 'unsubscribe.invalid',
      })
      const response = await shop.app.inject({
        method: 'POST',
        url: `/unsubscribe?token=${token}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'List-Unsubscribe=One-Click',
      })
      expect(response.statusCode).toBe(404)
    }
    expect(
      (await shop.anonymous('POST', '/api/reminders/unsubscribe', { token: 'x'.repeat(300) })).status,
    ).toBe(400)
    expect((await shop.anonymous('POST', '/api/reminders/unsubscribe', { token: own })).status).toBe(200)
    expect(await wanted(customer)).toBe(true)
  })
})

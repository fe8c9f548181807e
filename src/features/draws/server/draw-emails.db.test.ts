import { expect, test } from 'vitest'
import { transact } from '#platform/transaction.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { drawNumber, sealContest } from '../../../../test/support/drawn-contests.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { awaitsLog } from '#features/purchase/orders/server/index.ts'
import { readPdf } from '#features/tickets/server/pdf-reader.test-support.ts'
import { appendEntries } from './append-entries.ts'
import { parseProofFragment } from '#draw-protocol/commitments.ts'
import { drawEmailsRepository } from './draw-emails.repository.ts'
import { sendDrawEmails } from './draw-emails.ts'
import { publishTerms } from './publish-terms.ts'
import { isExtended } from '../../../../test/support/tier.ts'

const shop = await openShop()
const clerk = await shop.newStaff('postal')
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows

const seal = (offerId: number) => sealContest(shop.pool, offerId, { draws: shop.draws })
const draw = (offerId: number, number: number) => drawNumber(shop.pool, offerId, number)

const emailsAbout = (kind: string, offerId: number) =>
  run(
    `SELECT e.id, e.recipient, e.language, e.subject FROM emails e
     JOIN draw_recipients r ON e.kind = $1 AND r.offer_id = $2 AND split_part(e.body_ref->>'ref', '.', 1) = r.id::text ORDER BY e.recipient`,
    [kind, offerId],
  )
const textOf = async (id: string): Promise<string> =>
  (await shop.anonymous('GET', `/api/demo/emails/${id}/`)).body['text'] as string
const filesOf = async (id: string): Promise<{ name: string; text: string }[]> => {
  const { body } = await shop.anonymous('GET', `/api/demo/emails/${id}/`)
  const files = body['files'] as { name: string; url: string }[]
  return Promise.all(
    files.map(async ({ name, url }) => ({ name, text: (await shop.app.inject({ url })).body })),
  )
}
const htmlOf = async (id: string): Promise<string> =>
  (await shop.app.inject({ url: `/api/demo/emails/${id}/html/` })).body
/** Gmail cuts off what is longer. */
const GMAIL_BYTES = 102_400
const hashOf = async (text: string): Promise<string> =>
  (await run(`SELECT encode(sha256($1), 'hex') AS hash`, [text]))[0].hash

test('everybody who takes part is told of the sealed list and of the result, once', async () => {
  const offerId = await shop.newOffer({ total_tickets: 999, draw_at: new Date(Date.now() + 90_000_000) })
  const many = await shop.paidOrder(12, undefined, offerId)
  const one = await shop.paidOrder(1, undefined, offerId)
  const gone = await shop.paidOrder(2, undefined, offerId)
  await run(`UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE user_id = $1`, [
    gone.customer.id,
  ])
  for (const email of ['poster@post.test', null])
    expect(
      (await clerk.post('/api/staff/post/entries/', postcard(offerId, { email, language: 'nl' }))).status,
    ).toBe(201)
  expect(await sendDrawEmails(shop.db)).toBe(0)

  await seal(offerId)
  const sent = await Promise.all([sendDrawEmails(shop.db), sendDrawEmails(shop.db)])
  expect(sent[0] + sent[1]).toBe(3)
  expect(await sendDrawEmails(shop.db)).toBe(0)
  const sealed = await emailsAbout('draw-sealed', offerId)
  const told = [many.customer.email, one.customer.email, 'poster@post.test']
  expect(new Set(sealed.map(({ recipient }) => recipient as string))).toEqual(new Set(told))
  const first = sealed.find(({ recipient }) => recipient === many.customer.email)
  const numbers = (
    await run('SELECT number FROM tickets WHERE user_id = $1 ORDER BY number', [many.customer.id])
  ).map(({ number }) => number as number)
  const text = await textOf(first.id)
  for (const words of [
    'all 15 numbers',
    '4711',
    await hashOf('list'),
    await hashOf('rows'),
    await hashOf('terms'),
    'and 2 more numbers',
  ])
    expect(text).toContain(words)
  expect(text).toContain(
    numbers
      .slice(0, 10)
      .map((number) => padTicketNumber(number, 999))
      .join(' · '),
  )
  const [hashes, ...checkpoints] = await filesOf(first.id)
  expect(hashes!.text).toContain(await hashOf('list'))
  expect(hashes!.text).not.toContain('#')
  const [{ slug }] = await run('SELECT slug FROM offers WHERE id = $1', [offerId])
  const { host } = shop.draws
  expect(checkpoints.map(({ name, text: note }) => [name, note.split('\n')[0]])).toEqual([
    ['checkpoint.txt', `${host}/draws/${slug}`],
    ['register-checkpoint.txt', `${host}/draws`],
  ])
  // One tap compares what this email says, which is sent nowhere.
  const kept = await Promise.all(
    ['terms', 'list'].map(async (word) => Buffer.from(await hashOf(word), 'hex').toString('base64url')),
  )
  expect(text).toContain(`/draws/verify?lang=en&contest=${slug}#kept.${kept.join('.')}`)
  const card = sealed.find(({ recipient }) => recipient === 'poster@post.test')
  expect(card.subject).toMatch(/^‘Wedstrijd \d+’: de lijst van de trekking is definitief$/)
  expect(await textOf(card.id)).toContain('Hallo Anne Dupont,')

  // The email about the claim tells the winner.
  await draw(offerId, numbers.at(-1)!)
  expect(await sendDrawEmails(shop.db)).toBe(2)
  const results = await emailsAbout('draw-result', offerId)
  expect(results.map(({ recipient }) => recipient)).toEqual([one.customer.email, 'poster@post.test'])
  const lost = await textOf(results.find(({ recipient }) => recipient === one.customer.email).id)
  expect(lost).toContain('Your number was not drawn this time.')
  const [own] = await run('SELECT id, number FROM tickets WHERE user_id = $1', [one.customer.id])
  const [, fragment = ''] = /\/draws\/contest-\d+(?:\?lang=\w+)?(#\S+)/.exec(lost) ?? []
  expect(parseProofFragment(fragment)).toMatchObject({
    number: own.number,
    ticketId: own.id,
    termsHash: await hashOf('terms'),
  })
  // Hashes and proofs are attached: who reads the HTML meets none.
  const { id } = results.find(({ recipient }) => recipient === one.customer.email)
  const [file, ...others] = await filesOf(id)
  expect(others).toEqual([])
  expect(file!.name).toMatch(/^proof-contest-\d+\.txt$/)
  for (const part of [fragment, await hashOf('list'), '-evidence.zip']) expect(file!.text).toContain(part)
  const html = await htmlOf(id)
  expect(Buffer.byteLength(html)).toBeLessThan(GMAIL_BYTES)
  expect(html).not.toContain(fragment)
  expect(html).not.toContain(await hashOf('list'))
  expect(html).toContain(
    `class="figures" style="color:#14161a;font-size:1em;">${padTicketNumber(numbers.at(-1)!, 999)}<`,
  )
  expect(await sendDrawEmails(shop.db)).toBe(0)
})

test('a draw that was held before the list could be announced announces the result only', async () => {
  const offerId = await shop.newOffer({ draw_at: new Date(Date.now() + 90_000_000) })
  const winner = await shop.paidOrder(1, undefined, offerId)
  const other = await shop.paidOrder(1, undefined, offerId)
  await seal(offerId)
  const [{ number }] = await run('SELECT number FROM tickets WHERE user_id = $1', [winner.customer.id])
  await draw(offerId, number)
  expect(await sendDrawEmails(shop.db)).toBe(1)
  expect(await emailsAbout('draw-sealed', offerId)).toEqual([])
  const [result, ...more] = await emailsAbout('draw-result', offerId)
  expect([result.recipient, more]).toEqual([other.customer.email, []])
  // What they were not told before.
  const text = await textOf(result.id)
  for (const word of ['list', 'rows', 'terms']) expect(text).toContain(await hashOf(word))
})

test('an alternate is told to everybody else in a short email, once it is drawn', async () => {
  const offerId = await shop.newOffer({ total_tickets: 999, draw_at: new Date(Date.now() + 90_000_000) })
  const [first, second] = [
    await shop.paidOrder(1, undefined, offerId),
    await shop.paidOrder(1, undefined, offerId),
  ]
  const many = await shop.paidOrder(12, undefined, offerId)
  const numberOf = async (buyer: typeof first): Promise<number> =>
    (await run('SELECT number FROM tickets WHERE user_id = $1 LIMIT 1', [buyer.customer.id]))[0].number
  await seal(offerId)
  await draw(offerId, await numberOf(first))
  expect(await sendDrawEmails(shop.db)).toBe(2)
  const told = await emailsAbout('draw-result', offerId)
  const whole = await textOf(told.find(({ recipient }) => recipient === many.customer.email).id)
  expect(whole).toContain('and 2 more numbers')
  expect(whole).toMatch(/Your 12 tickets, each with its proof\nhttp\S+\/participations/)
  await run(
    `INSERT INTO draw_claims (offer_id, attempt, token_hash, until) VALUES ($1, 0, sha256($2::text::bytea), now())`,
    [offerId, offerId],
  )
  await run(`UPDATE draw_claims SET forfeited_at = now() WHERE offer_id = $1`, [offerId])
  await run(
    `INSERT INTO draw_forfeitures (offer_id, attempt, reason, is_decided, published_at)
     VALUES ($1, 0, 'unclaimed', false, now())`,
    [offerId],
  )
  await run(`INSERT INTO draw_attempts (offer_id, attempt, round, round_at) VALUES ($1, 1, 4800, now())`, [
    offerId,
  ])
  expect(await sendDrawEmails(shop.db)).toBe(0)
  const alternate = await numberOf(second)
  await draw(offerId, alternate)
  const sent = await Promise.all([sendDrawEmails(shop.db), sendDrawEmails(shop.db)])
  expect(sent[0] + sent[1]).toBe(2)
  const emails = (await emailsAbout('draw-result', offerId)).filter(({ subject }) =>
    subject.includes('instead'),
  )
  expect(new Set(emails.map(({ recipient }) => recipient as string))).toEqual(
    new Set([first.customer.email, many.customer.email]),
  )
  const text = await textOf(emails[0].id)
  expect(text).toContain(padTicketNumber(alternate, 999))
  expect(text).not.toContain('#')
  expect(await sendDrawEmails(shop.db)).toBe(0)
})

test('an email reads the numbers of its recipient alone, however many the contest has', async () => {
  const offerId = await shop.newOffer({ total_tickets: 99_999, draw_at: new Date(Date.now() + 90_000_000) })
  await shop.paidOrder(3, undefined, offerId)
  await clerk.post('/api/staff/post/entries/', postcard(offerId, { email: 'poster@post.test' }))
  await run(
    `INSERT INTO tickets (id, offer_id, number, source)
     SELECT gen_random_uuid(), $1, number, 'postal' FROM generate_series(1, 3000) AS number
     WHERE number NOT IN (SELECT number FROM tickets WHERE offer_id = $1)`,
    [offerId],
  )
  await seal(offerId)
  await run('ANALYZE tickets')
  await run('ANALYZE draw_entries')
  await sendDrawEmails(shop.db)
  const recipients = await run('SELECT id, user_id FROM draw_recipients WHERE offer_id = $1', [offerId])
  for (const { id, user_id: userId } of recipients)
    await transact(shop.db, async (trx) => {
      const before = await rowsRead(trx, ['tickets', 'draw_entries'])
      const facts = await drawEmailsRepository(trx).facts(id, 0, 10)
      expect(facts?.count).toBe(userId === null ? 1 : 3)
      expect((await rowsRead(trx, ['tickets', 'draw_entries'])) - before).toBeLessThan(20)
    })
  expect(recipients).toHaveLength(2)
})

test.runIf(isExtended)(
  'a receipt waits up to a minute for the public log, and then names the lines of its tickets',
  async () => {
    const offerId = await shop.newOffer({
      end_date: new Date(Date.now() + 86_400_000),
      draw_at: new Date(Date.now() + 4 * 86_400_000),
    })
    await publishTerms(shop.draws)
    const { ours, customer } = await shop.paidOrder(3, undefined, offerId)
    const receipt = async (): Promise<string> =>
      textOf((await run(`SELECT id FROM emails WHERE body_ref->>'ref' = $1`, [ours.id]))[0].id)
    expect(await awaitsLog(shop.db, ours.id)).toBe(true)
    expect(await receipt()).not.toContain('public log')
    await appendEntries(shop.draws)
    expect(await awaitsLog(shop.db, ours.id)).toBe(false)
    const lines = 'Lines 2–4 of the public log of the draw.'
    expect(await receipt()).toContain(lines)
    const pdf = await customer.get(`/api/orders/${ours.number}/receipt/`, { language: 'en' })
    const { elements } = readPdf(pdf.body as unknown as Buffer)
    const texts = elements.map(({ text }) => text)
    expect(texts).toContain(lines)
    // What binds the shop.
    const [{ hash }] = await run(`SELECT encode(terms_hash, 'hex') AS hash FROM draws WHERE offer_id = $1`, [
      offerId,
    ])
    const [, id, ...bytes] = shop.draws.key.verifierKey(shop.draws.host).split('+')
    const bound = `Terms of the draw (SHA-256): ${hash} – key of the log: ${[id, ...bytes].join('+')}`
    expect(texts.join(' ')).toContain(bound)
    expect(await receipt()).toContain(bound)

    const late = await shop.paidOrder(1, undefined, offerId)
    expect(await awaitsLog(shop.db, late.ours.id)).toBe(true)
    await run(`UPDATE tickets SET issued_at = issued_at - interval '61 seconds' WHERE order_id = $1`, [
      late.ours.id,
    ])
    expect(await awaitsLog(shop.db, late.ours.id)).toBe(false)
    expect(await awaitsLog(shop.db, (await shop.paidOrder(1)).ours.id)).toBe(false)
  },
)

import { expect, test } from 'vitest'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { parseProofFragment } from '../protocol/commitments.ts'
import { sendDrawEmails } from './draw-emails.ts'

const shop = await openShop()
const clerk = await shop.newStaff('postal')
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows

/** Moves a contest to `sealed` with what its seal leaves in the tables. */
async function seal(offerId: number): Promise<void> {
  await run(
    `INSERT INTO draws (offer_id, terms_hash, draw_at, objections_seconds, seal_margin_seconds, beacon_patience_seconds,
                        claim_seconds, alternate_delay_seconds, alternates_decided)
     SELECT id, sha256('terms'), draw_at, 60, 60, 60, 604800, 60, 3 FROM offers WHERE id = $1`,
    [offerId],
  )
  await run(
    `INSERT INTO draw_entries (offer_id, number, leaf_index, salt)
     SELECT offer_id, number, number, sha256(number::text::bytea) FROM tickets WHERE offer_id = $1`,
    [offerId],
  )
  await run(
    `INSERT INTO draw_files (offer_id, name, sha256, bytes) VALUES ($1, 'list.txt', sha256('list'), 1)`,
    [offerId],
  )
  await run(
    `INSERT INTO draw_lists (offer_id, name, leaf_index, log_root, list_root, paid, postal, demo, valid)
     SELECT $1, 'list.txt', 20, sha256('log'), sha256('rows'), count(*) FILTER (WHERE source = 'paid'),
            count(*) FILTER (WHERE source = 'postal'), 0, count(*) FILTER (WHERE status = 'valid')
     FROM tickets WHERE offer_id = $1`,
    [offerId],
  )
  await run(
    `INSERT INTO draw_attempts (offer_id, attempt, round, round_at) SELECT id, 0, 4711, draw_at FROM offers WHERE id = $1`,
    [offerId],
  )
  await run(`UPDATE offers SET state = 'sealed' WHERE id = $1`, [offerId])
}

async function draw(offerId: number, number: number): Promise<void> {
  await run(
    `UPDATE draw_attempts SET drawn_at = round_at, relay = 'https://relay.test', randomness = sha256('r'), number = $2
     WHERE offer_id = $1`,
    [offerId, number],
  )
  await run(`UPDATE offers SET state = 'drawn' WHERE id = $1`, [offerId])
}

const emailsAbout = (kind: string, offerId: number) =>
  run(
    `SELECT e.id, e.recipient, e.language, e.subject FROM emails e
     JOIN draw_recipients r ON e.kind = $1 AND r.offer_id = $2 AND e.body_ref->>'ref' = r.id::text ORDER BY e.recipient`,
    [kind, offerId],
  )
const textOf = async (id: string): Promise<string> =>
  (await shop.anonymous('GET', `/api/demo/emails/${id}/`)).body['text'] as string
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
  const card = sealed.find(({ recipient }) => recipient === 'poster@post.test')
  expect(card.subject).toMatch(/^‘Wedstrijd \d+’: de lijst van de trekking is definitief$/)
  expect(await textOf(card.id)).toContain('Hallo Anne Dupont,')

  // The winning number is the last of twelve: it is shown before the others.
  const winning = numbers.at(-1)!
  await draw(offerId, winning)
  expect(await sendDrawEmails(shop.db)).toBe(3)
  const results = await emailsAbout('draw-result', offerId)
  const won = await textOf(results.find(({ recipient }) => recipient === many.customer.email).id)
  expect(won).toContain('It is yours. Congratulations!')
  expect(won).toContain('Claim the prize before')
  const links = [...won.matchAll(/\/draws\/contest-\d+(#\S+)/g)].map(([, fragment = '']) =>
    parseProofFragment(fragment),
  )
  expect(links.map((link) => link?.number)).toEqual([winning])
  const lost = await textOf(results.find(({ recipient }) => recipient === one.customer.email).id)
  expect(lost).toContain('Your number was not drawn this time.')
  expect(lost).not.toContain('Claim the prize')
  const [own] = await run('SELECT id, number FROM tickets WHERE user_id = $1', [one.customer.id])
  const [, fragment = ''] = /\/draws\/contest-\d+(#\S+)/.exec(lost) ?? []
  expect(parseProofFragment(fragment)).toMatchObject({ number: own.number, ticketId: own.id })
  expect(await sendDrawEmails(shop.db)).toBe(0)
})

test('a draw that was held before the list could be announced announces the result only', async () => {
  const offerId = await shop.newOffer({ draw_at: new Date(Date.now() + 90_000_000) })
  const { customer } = await shop.paidOrder(1, undefined, offerId)
  await seal(offerId)
  const [{ number }] = await run('SELECT number FROM tickets WHERE offer_id = $1', [offerId])
  await draw(offerId, number)
  expect(await sendDrawEmails(shop.db)).toBe(1)
  expect(await emailsAbout('draw-sealed', offerId)).toEqual([])
  expect(await emailsAbout('draw-result', offerId)).toMatchObject([{ recipient: customer.email }])
})

import { expect, test } from 'vitest'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { drawNumber, sealContest } from '../../../../test/support/drawn-contests.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { parseProofFragment } from '../protocol/commitments.ts'
import { sendDrawEmails } from './draw-emails.ts'

const shop = await openShop()
const clerk = await shop.newStaff('postal')
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows

const seal = (offerId: number) => sealContest(shop.pool, offerId)
const draw = (offerId: number, number: number) => drawNumber(shop.pool, offerId, number)

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

  // The email about the claim tells the winner.
  await draw(offerId, numbers.at(-1)!)
  expect(await sendDrawEmails(shop.db)).toBe(2)
  const results = await emailsAbout('draw-result', offerId)
  expect(results.map(({ recipient }) => recipient)).toEqual([one.customer.email, 'poster@post.test'])
  const lost = await textOf(results.find(({ recipient }) => recipient === one.customer.email).id)
  expect(lost).toContain('Your number was not drawn this time.')
  const [own] = await run('SELECT id, number FROM tickets WHERE user_id = $1', [one.customer.id])
  const [, fragment = ''] = /\/draws\/contest-\d+(?:\?lang=\w+)?(#\S+)/.exec(lost) ?? []
  expect(parseProofFragment(fragment)).toMatchObject({ number: own.number, ticketId: own.id })
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
  expect(await emailsAbout('draw-result', offerId)).toMatchObject([{ recipient: other.customer.email }])
})

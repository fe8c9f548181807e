import { expect, test } from 'vitest'
import { eraseOldObjections } from './objections.repository.ts'
import { drawLab } from '../../draws/server/draw-lab.test-support.ts'
import { postalPersonalData, tellEntrants } from '#features/postal/server/index.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { shopPost } from '#server/shop-mailer.ts'

const lab = await drawLab()
const { shop, time } = lab
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows

/** Two people with fresh step-ups: the clock that the tests move ends them. */
const pair = async () => [await shop.newStaff('manager'), await shop.newStaff('owner')] as const
const numbersOf = async (orderId: string): Promise<number[]> =>
  (await run('SELECT number FROM tickets WHERE order_id = $1 ORDER BY number', [orderId])).map(
    ({ number }) => number,
  )
const pathOf = (id: number): string => `/api/staff/draws/${id}/void/`
const approve = (staff: Awaited<ReturnType<typeof shop.newStaff>>, id: number) =>
  staff.post(`/api/staff/approvals/${id}/approve/`)
const refundsOf = async (orderId: string) =>
  run(
    `SELECT amount_cents, status, reason, approval_id IS NOT NULL AS is_approved FROM refunds WHERE order_id = $1 ORDER BY id`,
    [orderId],
  )
const emailsTo = async (kind: string, to: string) =>
  run('SELECT subject, body_text FROM emails WHERE kind = $1 AND recipient = $2 ORDER BY queued_at', [
    kind,
    to,
  ])
/** Without the provider's ledger, which is compared elsewhere. */
const brokenInvariants = async () =>
  checkInvariants(
    shop.db,
    (await shopInvariants()).filter(({ name }) => name !== 'I5'),
  )
const waiting = async (): Promise<number> =>
  (
    await run(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  )[0].n

test('two people void a paid entry before the seal: refund as shown, email, leaf, and both verifiers pass', async () => {
  const contest = await lab.newContest()
  const bought = await shop.paidOrder(3, undefined, contest.id)
  await shop.paidOrder(2, undefined, contest.id)
  await lab.goOn(contest, 'list')
  const [maker, checker] = await pair()
  const [number] = await numbersOf(bought.ours.id)
  const body = { number, whole_order: false, reason: 'under-age' }

  const path = pathOf(contest.id)
  expect((await maker.post(`${path}preview/`, { ...body, reason: 'postal-rule' })).body).toMatchObject({
    fields: { reason: [expect.any(String)] },
  })
  expect((await maker.post(`${path}preview/`, { ...body, reason: 'refunded' })).status).toBe(400)
  expect((await maker.post(`${path}preview/`, { ...body, number: 99_999 })).body).toMatchObject({
    fields: { number: [expect.any(String)] },
  })
  const preview = (await maker.post(`${path}preview/`, body)).body
  const share = Math.round(bought.ours.total_cents / 3)
  expect(preview).toEqual({
    source: 'paid',
    count: 1,
    numbers: [String(number).padStart(3, '0')],
    leaf: ['volant-void-v1', contest.slug, number, 'under-age'].join('\t'),
    refund: (share / 100).toFixed(2),
    told_by: 'email',
  })

  expect((await maker.post(path, { ...body, note: ' ' })).status).toBe(400)
  const asked = await maker.post(path, { ...body, note: 'Born in 2010' })
  expect(asked.status).toBe(202)
  const { id } = asked.body['approval'] as { id: number }
  expect((await approve(maker, id)).status).toBe(409)
  expect(await refundsOf(bought.ours.id)).toEqual([])
  // Twice at the same moment: once.
  const responses = await Promise.all([approve(checker, id), approve(checker, id)])
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect((await approve(checker, id)).body).toMatchObject({ code: 'staff.approvalDecided' })
  expect(await refundsOf(bought.ours.id)).toEqual([
    { amount_cents: share, status: 'completed', reason: 'staff_request', is_approved: true },
  ])
  expect(await run('SELECT state FROM orders WHERE id = $1', [bought.ours.id])).toEqual([
    { state: 'completed' },
  ])
  expect(
    await run(`SELECT number, void_reason FROM tickets WHERE offer_id = $1 AND status = 'void'`, [
      contest.id,
    ]),
  ).toEqual([{ number, void_reason: 'under-age' }])
  const [email, ...others] = await emailsTo('refund', bought.customer.email)
  expect(others).toEqual([])
  expect(email.body_text).toContain('18')
  // What was written about the buyer is in the request only.
  expect(await run(`SELECT FROM audit_log WHERE entry LIKE '%Born in 2010%'`)).toEqual([])
  expect((await maker.post(`${path}preview/`, body)).body).toMatchObject({ code: 'objection.notValid' })

  await time.goTo(contest.sealed)
  await lab.work()
  await time.goTo(contest.draw + 3)
  await lab.work()
  const { open, files, remarks, winners } = await lab.evidenceOf(contest.slug)
  expect(open.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
  expect(remarks).toEqual(['demonstration'])
  expect(winners).not.toContain(number)
  const row = (name: string) =>
    new TextDecoder()
      .decode(files.get(name))
      .split('\n')
      .find((line) => line.startsWith(`${number}\t`))
  expect(row('provisional.txt')).toMatch(/\tvalid$/)
  expect(row('list.txt')).toMatch(/\tvoid:under-age$/)
  expect(await brokenInvariants()).toEqual([])
})

test('all numbers of an order go back whole, and those of a card by a letter or an email', async () => {
  const contest = await lab.newContest()
  const bought = await shop.paidOrder(2, undefined, contest.id)
  await shop.paidOrder(1, undefined, contest.id)
  const clerk = await shop.newStaff('postal')
  const cards = [lab.newPostcard(contest.id), lab.newPostcard(contest.id, { email: 'poster@post.test' })]
  for (const card of cards) expect((await clerk.post('/api/staff/post/entries/', card)).status).toBe(201)
  const numberOf = async (card: { id: string }): Promise<number> =>
    (await run('SELECT ticket_number FROM postal_entries WHERE id = $1', [card.id]))[0].ticket_number
  await run('UPDATE postal_entries SET letter_at = clock_timestamp() WHERE offer_id = $1', [contest.id])
  const [maker, checker] = await pair()
  const [number] = await numbersOf(bought.ours.id)
  const voided = async (body: object) => {
    const asked = await maker.post(pathOf(contest.id), { whole_order: false, note: 'Seen', ...body })
    expect(asked.status).toBe(202)
    const { id } = asked.body['approval'] as { id: number }
    expect((await approve(checker, id)).body).toMatchObject({ decision: 'approved', failure: null })
  }
  await voided({ number, whole_order: true, reason: 'staff' })
  expect((await refundsOf(bought.ours.id)).map(({ amount_cents }) => amount_cents)).toEqual([
    bought.ours.total_cents,
  ])
  expect(await run('SELECT state FROM orders WHERE id = $1', [bought.ours.id])).toEqual([
    { state: 'refunded' },
  ])
  expect(await emailsTo('refund', bought.customer.email)).toHaveLength(1)

  const [printed, mailed] = [await numberOf(cards[0]!), await numberOf(cards[1]!)]
  const previewOf = async (one: number) =>
    (
      await maker.post(`${pathOf(contest.id)}preview/`, {
        number: one,
        whole_order: true,
        reason: 'postal-rule',
      })
    ).body
  expect(await previewOf(printed)).toMatchObject({
    source: 'postal',
    count: 1,
    refund: null,
    told_by: 'letter',
  })
  expect(await previewOf(mailed)).toMatchObject({ told_by: 'email' })
  await voided({ number: printed, reason: 'postal-rule' })
  await voided({ number: mailed, reason: 'excluded' })
  expect(
    await run(
      `SELECT id FROM postal_entries
       WHERE offer_id = $1 AND email IS NULL AND voided_at IS NOT NULL AND void_letter_at IS NULL`,
      [contest.id],
    ),
  ).toEqual([{ id: cards[0]!.id }])
  await tellEntrants(shopPost({ db: shop.db, config: shop.config }))
  const [email] = await emailsTo('postal-voided', 'poster@post.test')
  // What was written about the entrants goes with their cards.
  const notes = () => run(`SELECT DISTINCT reason FROM approvals WHERE subject_kind = 'postalEntry'`)
  expect(await notes()).toEqual([{ reason: 'Seen' }])
  await postalPersonalData.retain.postalEntries(shop.db, { ...shop.config, keepPostDays: -10_000 }, 10)
  expect(await notes()).toEqual([{ reason: '-' }])
  expect(email.body_text).toContain('Le règlement exclut'.slice(3))
  expect((await clerk.get(`/api/staff/draws/${contest.id}/objections/`)).status).toBe(403)
  const list = (await maker.get(`/api/staff/draws/${contest.id}/objections/`)).body
  expect(list).toMatchObject({ can_void: true, open: 0 })
  expect((list['voids'] as unknown[]).length).toBe(4)

  await lab.goOn(contest, 'draw')
  const { open } = await lab.evidenceOf(contest.slug)
  expect(open.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
  expect(await brokenInvariants()).toEqual([])
})

test('nothing is voided from the seal on, also not by a request of before; the seal and the void wait for each other', async () => {
  const contest = await lab.newContest()
  const bought = await shop.paidOrder(2, undefined, contest.id)
  await shop.paidOrder(1, undefined, contest.id)
  await lab.goOn(contest, 'list')
  const [maker] = await pair()
  const [number] = await numbersOf(bought.ours.id)
  const body = { number, whole_order: false, reason: 'excluded', note: 'Found out' }
  const asked = await maker.post(pathOf(contest.id), body)
  const { id } = asked.body['approval'] as { id: number }
  await time.goTo(contest.sealed)
  // The seal holds the contest's row; the void comes second and finds it sealed.
  const checker = await shop.newStaff('owner')
  const seal = await shop.pool.connect()
  await seal.query('BEGIN')
  await seal.query('SELECT FROM offers WHERE id = $1 FOR NO KEY UPDATE', [contest.id])
  const response = approve(checker, id)
  await expect.poll(waiting).toBeGreaterThan(0)
  await seal.query(`UPDATE offers SET state = 'sealed' WHERE id = $1`, [contest.id])
  await seal.query('COMMIT')
  seal.release()
  expect((await response).body).toMatchObject({ code: 'objection.sealed' })
  expect(await run('SELECT failure FROM approvals WHERE id = $1', [id])).toEqual([
    { failure: 'objection.sealed' },
  ])
  expect(await run(`SELECT FROM tickets WHERE offer_id = $1 AND status = 'void'`, [contest.id])).toEqual([])
  expect(await refundsOf(bought.ours.id)).toEqual([])
  const late = await (
    await shop.newStaff('manager')
  ).post(`${pathOf(contest.id)}preview/`, {
    number,
    whole_order: false,
    reason: 'excluded',
  })
  expect(late.body).toMatchObject({ code: 'objection.sealed' })
  // The database refuses it, too.
  await expect(
    run(`INSERT INTO entry_voids (offer_id, number, reason, approval_id) VALUES ($1, $2, 'staff', $3)`, [
      contest.id,
      number,
      id,
    ]),
  ).rejects.toThrow(/is sealed or over/)
})

test('staff note objections and answer each of them once', async () => {
  const contest = await lab.newContest()
  const { ours } = await shop.paidOrder(1, undefined, contest.id)
  const [number] = await numbersOf(ours.id)
  const support = await shop.newStaff('support')
  const path = `/api/staff/draws/${contest.id}/objections/`
  const body = { number, message_id: null, text: 'The holder is a child.' }
  expect((await support.post(path, { ...body, number: 99 })).body).toMatchObject({
    fields: { number: [expect.any(String)] },
  })
  expect(
    (await support.post(path, { ...body, message_id: '00000000-0000-7000-8000-000000000000' })).body,
  ).toMatchObject({
    fields: { message_id: [expect.any(String)] },
  })
  expect((await support.post(path, body)).body).toMatchObject({ open: 1 })
  const noted = await support.post(path, { ...body, number: null, text: 'No card was counted.' })
  const [latest, first] = noted.body['items'] as { id: number; number: string | null }[]
  expect(latest).toMatchObject({ number: null, outcome: null, noted_by: support.name })
  const answer = { outcome: 'dismissed', answer: 'The holder is 34.' }
  const responses = await Promise.all([
    support.post(`${path}${first!.id}/answer/`, answer),
    support.post(`${path}${first!.id}/answer/`, answer),
  ])
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const list = await support.get(path)
  expect(list.body).toMatchObject({
    open: 1,
    items: [{ id: latest!.id }, { id: first!.id, outcome: 'dismissed', answer: 'The holder is 34.' }],
  })
  expect(await run(`SELECT FROM audit_log WHERE entry LIKE '%is a child%'`)).toEqual([])
  const erase = () => eraseOldObjections(shop.db, -1, 10)
  expect(await erase()).toBe(0)
  await run(
    `UPDATE offers SET state = 'cancelled', cancelled_at = now(), cancelled_why = 'x' WHERE id = $1`,
    [contest.id],
  )
  expect(await erase()).toBe(2)
  expect((await support.get(path)).body).toMatchObject({
    items: [
      { text: '', answer: null, is_erased: true },
      { text: '', answer: '', is_erased: true },
    ],
  })
  await expect(run(`UPDATE objections SET answer = 'Another' WHERE id = $1`, [first!.id])).rejects.toThrow(
    /refused/,
  )
})

import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { PATIENCE } from '../../../../test/support/shop-process.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { testShop } from '../../../../test/support/shop.ts'
import { cancelAndRefund, refundCancelledOffers } from '#features/purchase/refunds/server/cancelled-offers.ts'
import { moveDueOffers } from '#features/offers/server/index.ts'
import { reconcile } from '#features/purchase/payments/server/reconcile.ts'
import { requestStaffRefund, sendNow } from '#features/purchase/refunds/server/index.ts'
import { giveUpTickets, numberPermutation } from '#features/tickets/server/index.ts'
import { beaconClient } from '#platform/beacon/beacon-client.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { transact } from '#platform/transaction.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { drawAdvance } from './advance-draws.ts'
import { appendEntries } from './append-entries.ts'
import { drawLogsRepository } from './draw-logs.repository.ts'
import { logOfAnotherKey } from './draw-logs.ts'
import { logKeyOf } from './log-key.ts'
import { TIMES, drawLab } from './draw-lab.test-support.ts'
import { type LeafResponse, checkLeaf } from '#draw-protocol/check.ts'
import type { Checkpoint } from '#draw-protocol/checkpoints.ts'
import { proofFragment } from '#draw-protocol/commitments.ts'
import { publishTerms } from './publish-terms.ts'
import { sha256, ticketCommitment } from './sha256.ts'
import { isExtended } from '../../../../test/support/tier.ts'

const lab = await drawLab()
const { shop, beacon, time, work, newContest, newPostcard, goOn, evidenceOf, stateOf, stepsOf, leavesOf } =
  lab

/** Of the emulated chain. */
const clientOf = (relays: readonly string[], clock = time.clock) =>
  beaconClient({ chain: shop.draws.beacon.chain, relays, timeoutMs: 5_000 }, clock)

const buy = (offerId: number, quantity: number) => shop.paidOrder(quantity, undefined, offerId)
/** Registers a card that has just come. */
async function post(offerId: number, name: string, change: object = {}) {
  const clerk = await shop.newStaff('postal')
  return clerk.post('/api/staff/post/entries/', newPostcard(offerId, { name, ...change }))
}

/** Steps of an honest draw that have nothing to check yet. */
const OPEN = [
  { step: 'forfeitures', outcome: 'skipped' },
  { step: 'end', outcome: 'skipped' },
]
/** The emulator's chain is none for a live shop. */
const REMARKS = ['demonstration']

describe('the jobs alone', () => {
  test('draw a contest from its publication on, and both verifiers find nothing wrong', async () => {
    const contest = await newContest({
      draw_terms: 'Suite.\n',
      draw_terms_nl: 'Verder.',
      prize_value_cents: 9,
    })
    await buy(contest.id, 3)
    await work()
    await buy(contest.id, 2)
    expect(await post(contest.id, 'Anna One')).toMatchObject({ status: 201 })
    await goOn(contest, 'draw')
    expect(await stateOf(contest.id)).toBe('drawn')
    expect(await stepsOf(contest.id)).toBe('open close list seal result')
    const { open, remarks, winners, files } = await evidenceOf(contest.slug)
    expect(open).toMatchObject(OPEN)
    expect(remarks).toEqual(REMARKS)
    const drawn = await shop.db
      .selectFrom('draw_attempts')
      .selectAll()
      .where('offer_id', '=', contest.id)
      .executeTakeFirstOrThrow()
    expect(winners).toMatchObject([{ attempt: 0, number: drawn.number }])
    expect([...files.keys()].toSorted()).toEqual([
      'README.txt',
      'beacon-0.json',
      'checkpoints.txt',
      'list.txt',
      'log.txt',
      'provisional.txt',
      'register-checkpoints.txt',
      'register.txt',
      'result-0.txt',
      'terms.txt',
      'text-fr.txt',
      'text-nl.txt',
    ])
    const own = (await leavesOf(0)).filter((leaf) => leaf.includes(`\t${contest.slug}\t`))
    const types = own.map((leaf) => leaf.split('-')[1])
    expect(types.filter((type) => type !== 'log')).toEqual(['terms', 'seal', 'result'])
  })

  test.each([
    ['one entry', 1],
    ['two entries', 2],
  ])('draw from %s', async (_, tickets) => {
    const contest = await newContest()
    await buy(contest.id, tickets)
    await goOn(contest, 'draw')
    expect(await evidenceOf(contest.slug)).toMatchObject({ open: OPEN, remarks: REMARKS, winners: [{}] })
  })

  test('draw the one valid row among void ones', async () => {
    const contest = await newContest()
    const orders = [await buy(contest.id, 4), await buy(contest.id, 1), await buy(contest.id, 4)]
    const [valid] = (
      await shop.pool.query('SELECT number FROM tickets WHERE order_id = $1', [orders[1]!.ours.id])
    ).rows
    await shop.pool.query(
      `UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE offer_id = $1 AND order_id <> $2`,
      [contest.id, orders[1]!.ours.id],
    )
    await goOn(contest, 'draw')
    expect(await evidenceOf(contest.slug)).toMatchObject({ open: OPEN, winners: [{ number: valid.number }] })
  })

  test('draw from entries by post alone, among them one that is registered during the objections', async () => {
    const question = { question: 'Combien de\nroues ?', choices: ['3', '4'], correct_choice: '4' }
    const contest = await newContest(question)
    await post(contest.id, 'Anna One', { answer: '4' })
    await goOn(contest, 'list')
    expect(await stateOf(contest.id)).toBe('listed')
    await post(contest.id, 'Berta Two', { answer: '4', date_of_birth: '1971-07-07' })
    await goOn(contest, 'draw')
    const { open, remarks, files } = await evidenceOf(contest.slug)
    expect([open, remarks]).toMatchObject([OPEN, [...REMARKS, 'entries-after-list']])
    expect(new TextDecoder().decode(files.get('question.txt'))).toBe('Combien de roues ?\n3\n4\n')
    const list = new TextDecoder().decode(files.get('list.txt'))
    expect(list).toContain('\npostal: 2\n')
    // The letters tell these salts.
    const { rows } = await shop.pool.query<{ salt: Buffer; id: string }>(
      `SELECT p.salt, t.id FROM postal_entries p JOIN tickets t ON t.offer_id = p.offer_id AND t.number = p.ticket_number
       WHERE p.offer_id = $1`,
      [contest.id],
    )
    expect(rows).toHaveLength(2)
    for (const { salt, id } of rows)
      expect(list).toContain(`\tpostal\t${ticketCommitment(salt, id)}\tvalid\n`)
  })

  test.each([
    ['nobody entered', 0],
    ['every entry became void', 1],
  ])('end a contest in which %s, and the money goes back', async (_, tickets) => {
    const contest = await newContest()
    if (tickets > 0) {
      const { ours } = await buy(contest.id, tickets)
      await shop.pool.query(
        `UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE order_id = $1`,
        [ours.id],
      )
    }
    await goOn(contest, 'seal')
    expect(await stateOf(contest.id)).toBe('cancelled')
    expect(await stepsOf(contest.id)).toBe(`open ${tickets > 0 ? 'void ' : ''}close list seal cancel`)
    const { open } = await evidenceOf(contest.slug)
    expect(open.map(({ outcome }) => outcome)).not.toContain('failed')
  })

  test.runIf(isExtended)(
    'are not needed twice: of several workers at once each step is made by one',
    async () => {
      const contest = await newContest()
      await buy(contest.id, 5)
      const both = () => Promise.all([work(), work(), work()])
      for (const moment of [contest.closes, contest.listed, contest.sealed, contest.draw + 3]) {
        await time.goTo(moment)
        await both()
        await both()
      }
      expect(await stepsOf(contest.id)).toBe('open close list seal result')
      expect((await evidenceOf(contest.slug)).open).toMatchObject(OPEN)
    },
  )

  test.runIf(isExtended)('make the same when they are stopped at each step', async () => {
    const contest = await newContest()
    await buy(contest.id, 4)
    const stopped: string[] = []
    const stopping = drawAdvance(shop.draws, async (step, id) => {
      if (id !== contest.id || stopped.includes(step)) return
      stopped.push(step)
      throw new Error('stopped before its commit')
    })
    for (const [moment, stops] of [
      [contest.closes, 2],
      [contest.sealed, 3],
      [contest.draw + 3, 4],
    ] as const) {
      await time.goTo(moment)
      await moveDueOffers({ ...shop.draws, publishTerms: shop.publishTerms })
      while (stopped.length < stops) await expect(stopping()).rejects.toThrow('stopped before its commit')
      await stopping()
    }
    expect(stopped).toEqual(['close', 'list', 'seal', 'draw'])
    expect(await stepsOf(contest.id)).toBe('open close list seal result')
    expect((await evidenceOf(contest.slug)).open).toMatchObject(OPEN)
  })
})

describe('a log', () => {
  test('has every number in the order of issue, whatever the size of a batch, and proofs for each leaf', async () => {
    const contest = await newContest({ total_tickets: 600 })
    for (let bought = 0; bought < 300; bought += 30) await buy(contest.id, 30)
    await appendEntries(shop.draws, 7)
    const leaves = await leavesOf(contest.id)
    expect(leaves).toHaveLength(301)
    const salts = await shop.db
      .selectFrom('draw_entries')
      .select('salt')
      .where('offer_id', '=', contest.id)
      .execute()
    expect(new Set(salts.map(({ salt }) => salt.toString('hex'))).size).toBe(300)
    const get = async (path: string) => (await shop.anonymous('GET', `/draws/${contest.slug}/${path}`)).body
    const { isIncluded, isConsistent, leafHash } = await import('#draw-protocol/merkle.ts')
    const { parseCheckpoints } = await import('#draw-protocol/checkpoints.ts')
    const { toBytes, fromHex } = await import('#draw-protocol/bytes.ts')
    const [last] = parseCheckpoints((await get('checkpoint')) as unknown as Uint8Array)
    for (const index of [0, 1, 255, 256, 300]) {
      const { leaf, proof, size, checkpoint } = await get(`leaf?index=${index}`)
      expect(leaf).toBe(leaves[index])
      // The first checkpoint that contains it: batches have seven entries.
      expect(size).toBe(index === 0 ? 1 : Math.min(301, 1 + 7 * Math.ceil(index / 7)))
      const [{ root }] = parseCheckpoints(toBytes(checkpoint)) as [Checkpoint]
      const hash = leafHash(sha256, toBytes(leaf))
      expect(isIncluded({ index, size, hash, root, proof: proof.map(fromHex) }, sha256)).toBe(true)
    }
    const number = Number(leaves[260]!.split('\t')[2])
    expect(await get(`leaf?number=${number}`)).toMatchObject({ index: 260, leaf: leaves[260] })
    const { rows } = await shop.pool.query<{ size: number; root: Buffer }>(
      'SELECT size, root FROM draw_checkpoints WHERE log_id = $1 ORDER BY id',
      [contest.id],
    )
    for (const first of rows.filter((_, at) => at % 9 === 0)) {
      const { proof } = await get(`consistency?first=${first.size}&second=301`)
      const second = { size: 301, root: last!.root }
      expect(isConsistent(first, second, proof.map(fromHex), sha256), `from ${first.size}`).toBe(true)
    }
  })

  test('stays as it is when a number was counted that has no ticket', async () => {
    const contest = await newContest()
    await buy(contest.id, 2)
    await shop.pool.query('UPDATE offers SET tickets_sold = tickets_sold + 1 WHERE id = $1', [contest.id])
    await expect(appendEntries(shop.draws)).rejects.toThrow(
      `contest ${contest.slug} has issued 1 numbers without tickets`,
    )
    expect(await leavesOf(contest.id)).toHaveLength(1)
    expect(
      (await shop.pool.query('SELECT FROM draw_entries WHERE offer_id = $1', [contest.id])).rowCount,
    ).toBe(0)
    // The count never falls: the missing ticket comes.
    const { rows } = await shop.pool.query<{ key: Buffer }>(
      'SELECT number_key AS key FROM offers WHERE id = $1',
      [contest.id],
    )
    await shop.pool.query(
      `INSERT INTO tickets (id, offer_id, number, source) VALUES (gen_random_uuid(), $1, $2, 'postal')`,
      [contest.id, numberPermutation(rows[0]!.key, 100)(2)],
    )
    await appendEntries(shop.draws)
    expect(await leavesOf(contest.id)).toHaveLength(4)
  })

  test.runIf(isExtended)(
    'gives its pack once for each state: to a crowd one file, and 304 to whoever has it',
    async () => {
      const contest = await newContest()
      await buy(contest.id, 2)
      await work()
      const address = `/draws/${contest.slug}/${contest.slug}-evidence.zip`
      const get = (headers: Record<string, string> = {}) =>
        shop.anonymous('GET', address, undefined, { headers })
      const folder = path.resolve(shop.config.dataDir, 'packs')
      const packs = () => readdirSync(folder).filter((name) => name.startsWith(`${contest.slug}.`))
      const crowd = await Promise.all([get(), get(), get()])
      const { etag } = crowd[0]!.headers as { etag: string }
      expect(new Set(crowd.map(({ status, headers }) => `${status} ${String(headers['etag'])}`))).toEqual(
        new Set([`200 ${etag}`]),
      )
      const [file, ...others] = packs()
      expect(others).toEqual([])
      const { mtimeMs, size } = statSync(path.join(folder, file!))
      expect(crowd[0]!.headers['content-length']).toBe(String(size))
      expect((await get({ 'if-none-match': `"other", W/${etag}` })).status).toBe(304)
      await get()
      expect(statSync(path.join(folder, file!)).mtimeMs).toBe(mtimeMs)
      await buy(contest.id, 1)
      await work()
      const next = await get({ 'if-none-match': etag })
      expect([next.status, next.headers['etag'] === etag, packs()]).toMatchObject([200, false, { length: 1 }])
      expect((await evidenceOf(contest.slug)).open.map(({ outcome }) => outcome)).not.toContain('failed')
    },
  )

  test('keeps its checkpoints by the day in `checkpoints.txt`, and reads no others', async () => {
    const contest = await newContest({
      end_date: new Date((time.seconds() + 9 * 86_400) * 1000),
      draw_at: new Date((time.seconds() + 11 * 86_400) * 1000),
    })
    // A busy sale of three days.
    await shop.pool.query(
      `INSERT INTO draw_checkpoints (log_id, size, root, at, note)
       SELECT $1, 1, sha256(''), date_trunc('second', clock_timestamp() + n * interval '2 minutes'), n::text
       FROM generate_series(1, 2160) AS n ORDER BY n + 0`,
      [contest.id],
    )
    await shop.pool.query('ANALYZE draw_checkpoints')
    const days = await shop.pool.query<{ note: string }>(
      `SELECT DISTINCT ON ((at AT TIME ZONE 'UTC')::date) note FROM draw_checkpoints WHERE log_id = $1
       ORDER BY (at AT TIME ZONE 'UTC')::date, id DESC`,
      [contest.id],
    )
    await transact(shop.db, async (trx) => {
      const logs = drawLogsRepository(trx)
      const { id } = (await logs.lastCheckpoint(contest.id))!
      const before = await rowsRead(trx, ['draw_checkpoints'])
      const notes = await logs.published(contest.id, id)
      expect((await rowsRead(trx, ['draw_checkpoints'])) - before).toBeLessThan(50)
      expect(notes.slice(1)).toEqual(days.rows.map(({ note }) => note))
      expect(notes).toHaveLength(days.rows.length + 1)
    })
  })

  test('of all draws has proofs by address, too', async () => {
    const { isIncluded, isConsistent, leafHash } = await import('#draw-protocol/merkle.ts')
    const { parseCheckpoints } = await import('#draw-protocol/checkpoints.ts')
    const { toBytes, fromHex } = await import('#draw-protocol/bytes.ts')
    const { sha256 } = await import('./sha256.ts')
    const get = async (path: string) => (await shop.anonymous('GET', `/draws/${path}`)).body
    const checkpoints = parseCheckpoints((await get('checkpoints.txt')) as unknown as Uint8Array)
    const [last] = parseCheckpoints((await get('checkpoint')) as unknown as Uint8Array)
    expect(checkpoints.at(-1)).toMatchObject({ size: last!.size, root: last!.root, time: last!.time })
    const index = (await leavesOf(0)).length - 2
    const { leaf, proof, size, checkpoint, last: newest } = await get(`leaf?index=${index}`)
    expect(leaf).toBe((await leavesOf(0))[index])
    const hash = leafHash(sha256, toBytes(leaf))
    // In the first checkpoint that contains it, with which the last one is consistent.
    const [since] = parseCheckpoints(toBytes(checkpoint))
    expect(isIncluded({ index, size, hash, root: since!.root, proof: proof.map(fromHex) }, sha256)).toBe(true)
    expect(newest.size).toBe(last!.size)
    expect(isConsistent(since!, last!, newest.proof.map(fromHex), sha256)).toBe(true)
    const [first] = checkpoints
    const consistency = await get(`consistency?first=${first!.size}&second=${last!.size}`)
    expect(isConsistent(first!, last!, consistency.proof.map(fromHex), sha256)).toBe(true)
    for (const path of [`leaf?index=${last!.size}`, `consistency?first=1&second=${last!.size + 1}`])
      expect((await shop.anonymous('GET', `/draws/${path}`)).status).toBe(404)
  })

  test.runIf(isExtended)('says why an entry became void', async () => {
    const contest = await newContest()
    const { ours: refunded } = await buy(contest.id, 1)
    const disputed = await buy(contest.id, 1)
    const { customer } = await buy(contest.id, 1)
    await work()
    const staff = { actor: { userId: customer.id, name: 'staff' } }
    const whole = { wanted: { kind: 'whole' as const }, reason: 'other' as const, note: 'asked for' }
    await requestStaffRefund(shop.checkout, refunded, whole, staff)
    await sendNow(shop.checkout, refunded.id)
    await providerSide(shop).giveBack(disputed.captureId, 'reverse')
    await reconcile(shop.checkout, disputed.ours.id, { includeFinal: true })
    await transact(shop.db, (trx) => giveUpTickets(trx, customer.id))
    await work()
    const voids = (await leavesOf(contest.id)).filter((leaf) => leaf.startsWith('volant-void-v1'))
    const reasons = voids.map((leaf) => leaf.split('\t')[3])
    expect(new Set(reasons)).toEqual(new Set(['disputed', 'refunded', 'withdrawn']))
    await goOn(contest, 'draw')
    expect((await evidenceOf(contest.slug)).open.map(({ outcome }) => outcome)).not.toContain('failed')
  })

  test('is signed again after an hour without entries', async () => {
    const contest = await newContest({
      end_date: new Date((time.seconds() + 4 * 86_400) * 1000),
      draw_at: new Date((time.seconds() + 6 * 86_400) * 1000),
    })
    const count = async () =>
      (await shop.pool.query('SELECT FROM draw_checkpoints WHERE log_id = $1', [contest.id])).rowCount
    const before = await count()
    await work()
    expect(await count()).toBe(before)
    await time.goTo(time.seconds() + 3_601)
    await Promise.all([work(), work()])
    expect(await count()).toBe((before ?? 0) + 1)
  })

  test('is refused by another key than that of its terms', async () => {
    const contest = await newContest()
    await buy(contest.id, 1)
    const other = { ...shop.draws, key: logKeyOf('ab'.repeat(32)) }
    await expect(appendEntries(other)).rejects.toThrow('LOG_KEY is not the key of the log')
    await work()
    expect(await leavesOf(contest.id)).toHaveLength(2)
  })

  test.runIf(isExtended)(
    'has a key that another one is found not to be, until its contest is over',
    async () => {
      const own = await testShop()
      onTestFinished(() => own.close())
      const { key } = own.draws
      const foreign = logKeyOf('ab'.repeat(32))
      const log = (id: number, origin: string, by = key) =>
        own.pool.query('INSERT INTO draw_logs (id, origin, key) VALUES ($1, $2, $3)', [
          id,
          origin,
          by.verifierKey(origin.split('/')[0]!),
        ])
      await log(0, 'shop.example/register')
      expect(await logOfAnotherKey(own.db, key)).toBeUndefined()
      for (const seed of ['ab'.repeat(32), '5f'.repeat(32), '0'.repeat(64)])
        expect(await logOfAnotherKey(own.db, logKeyOf(seed)), seed).toBe('shop.example/register')
      // Each log is compared in the name that the shop had when it began.
      await log(await own.newOffer(), 'former.example/one')
      expect(await logOfAnotherKey(own.db, key)).toBeUndefined()
      // A former version named the same key otherwise.
      await own.pool.query('INSERT INTO draw_logs (id, origin, key) VALUES ($1, $2, $3)', [
        await own.newOffer(),
        'former.example/draws/one',
        key.verifierKey('former.example').replace(/^[^+]+\+[^+]+/, 'former.example+00000000'),
      ])
      expect(await logOfAnotherKey(own.db, key)).toBeUndefined()
      const contest = await own.newOffer()
      await log(contest, 'former.example/two', foreign)
      expect(await logOfAnotherKey(own.db, key)).toBe('former.example/two')
      await own.pool.query(`UPDATE offers SET state = 'awarded' WHERE id = $1`, [contest])
      expect(await logOfAnotherKey(own.db, key)).toBeUndefined()
    },
  )

  test.runIf(isExtended)(
    'of a busy contest takes turns with others: what is sold meanwhile waits for the next run',
    async () => {
      const [busy, other] = [await newContest(), await newContest()]
      await buy(busy.id, 1)
      await buy(other.id, 1)
      let sales = 0
      const batches: number[] = []
      await appendEntries(shop.draws, 100, async (id) => {
        batches.push(id)
        // As if somebody bought at each moment.
        if (id !== busy.id || sales === 3) return
        sales += 1
        await buy(busy.id, 1)
      })
      expect(batches).toEqual([busy.id, other.id])
      await appendEntries(shop.draws)
      expect(await leavesOf(busy.id)).toHaveLength(3)
    },
  )

  test('that cannot grow holds up no other one', async () => {
    const [broken, other] = [await newContest(), await newContest()]
    await buy(broken.id, 1)
    await buy(other.id, 1)
    const stopping = appendEntries(shop.draws, 100, async (id) => {
      if (id === broken.id) throw new Error('stopped before its commit')
    })
    await expect(stopping).rejects.toThrow('stopped before its commit')
    expect([await leavesOf(broken.id), await leavesOf(other.id)]).toMatchObject([
      { length: 1 },
      { length: 2 },
    ])
    await work()
  })
})

test('what is published cannot be changed or deleted, not even by a statement', async () => {
  const contest = await newContest()
  const { ours } = await buy(contest.id, 2)
  await goOn(contest, 'draw')
  await shop.pool.query(`UPDATE tickets SET status = 'void', void_reason = 'disputed' WHERE order_id = $1`, [
    ours.id,
  ])
  await work()
  const changes = {
    draws: 'draw_at = draw_at',
    draw_logs: 'size = size - 1',
    draw_leaves: 'leaf = leaf',
    draw_tiles: 'root = root',
    draw_checkpoints: 'note = note',
    draw_entries: 'salt = salt',
    draw_voids: `reason = 'refunded'`,
    draw_files: 'bytes = bytes',
    draw_file_parts: 'content = content',
    draw_lists: 'valid = valid',
    draw_list_tiles: 'index = index',
    draw_attempts: 'round = round + 1',
  }
  for (const [table, change] of Object.entries(changes)) {
    const { rowCount } = await shop.pool.query(`SELECT FROM ${table} LIMIT 1`)
    expect([table, rowCount]).toEqual([table, 1])
    for (const statement of [
      `UPDATE ${table} SET ${change}`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table} CASCADE`,
    ])
      await expect(shop.pool.query(statement), statement).rejects.toThrow('is refused by')
  }
  for (const statement of [
    `UPDATE tickets SET status = 'valid', void_reason = NULL WHERE order_id = '${ours.id}'`,
    `UPDATE offers SET tickets_sold = tickets_sold + 1 WHERE id = ${contest.id}`,
    `UPDATE offers SET draw_at = draw_at + interval '1 day' WHERE id = ${contest.id}`,
  ])
    await expect(shop.pool.query(statement), statement).rejects.toThrow('is refused by')
  for (const statement of [
    `DELETE FROM tickets WHERE order_id = '${ours.id}'`,
    `UPDATE tickets SET number = number + 50 WHERE order_id = '${ours.id}'`,
    `UPDATE tickets SET id = gen_random_uuid() WHERE order_id = '${ours.id}'`,
  ])
    await expect(shop.pool.query(statement), statement).rejects.toThrow(
      'the log has an entry for this ticket',
    )
  await expect(
    shop.pool.query(
      `INSERT INTO draw_entries (offer_id, number, leaf_index, salt)
       SELECT $1, n, 50 + n, sha256('salt') FROM generate_series(1, 100) AS n ON CONFLICT DO NOTHING`,
      [contest.id],
    ),
  ).rejects.toThrow('an entry needs its ticket')
  await expect(
    shop.pool.query(`INSERT INTO draw_leaves (log_id, index, leaf) VALUES (999999, 0, 'a leaf')`),
  ).rejects.toThrow('a leaf needs its log')
  expect(
    await checkInvariants(
      shop.db,
      (await shopInvariants()).filter(({ name }) => ['I13', 'I14'].includes(name)),
    ),
  ).toEqual([])
})

describe('the proofs of a ticket', () => {
  const secretsOf = async (offerId: number) => {
    const { rows } = await shop.pool.query<{ number: number; id: string; salt: Buffer; terms: string }>(
      `SELECT t.number, t.id, e.salt, encode(d.terms_hash, 'hex') AS terms
       FROM draw_entries e JOIN tickets t USING (offer_id, number) JOIN draws d USING (offer_id)
       WHERE offer_id = $1 ORDER BY number`,
      [offerId],
    )
    return rows.map(({ number, id, salt, terms }) => ({ number, salt, ticketId: id, termsHash: terms }))
  }
  /** What the page of a ticket finds by the leaf call and the terms alone. */
  async function ticketAt(slug: string, secret: Parameters<typeof proofFragment>[0]) {
    const [response, terms] = await Promise.all([
      shop.anonymous('GET', `/draws/${slug}/leaf?number=${secret.number}`),
      shop.anonymous('GET', `/draws/${slug}/terms.txt`),
    ])
    expect(response.status).toBe(200)
    const question = {
      contest: slug,
      terms: terms.body as unknown as Uint8Array,
      response: response.body as unknown as LeafResponse,
      proof: proofFragment(secret),
    }
    return checkLeaf(question, sha256)
  }

  test.runIf(isExtended)(
    'hold from its issue to the draw, since the first checkpoint, in a list of several tiles',
    async () => {
      const contest = await newContest({ total_tickets: 1_000 })
      const { ours } = await buy(contest.id, 50)
      const bought = time.seconds()
      await work()
      const logged = time.seconds()
      const [early] = await secretsOf(contest.id)
      const first = await ticketAt(contest.slug, early!)
      expect(first).toMatchObject({ listed: null, voided: null, end: 'undrawn' })
      const since = 'since' in first ? (first.since ?? 0) : 0
      expect(since).toBeGreaterThanOrEqual(bought)
      expect(since).toBeLessThanOrEqual(logged)
      // Void before the seal.
      await shop.pool.query(
        `UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE order_id = $1 AND number = $2`,
        [ours.id, early!.number],
      )
      await time.goTo(logged + 100)
      for (let orders = 0; orders < 5; orders += 1) await buy(contest.id, 50)
      await work()
      expect(await ticketAt(contest.slug, early!)).toMatchObject({
        listed: null,
        voided: 'refunded',
        end: 'out',
      })
      const found = async (ticket: (typeof all)[number]) => await ticketAt(contest.slug, ticket)
      await goOn(contest, 'seal')
      const all = await secretsOf(contest.id)
      expect(all).toHaveLength(300)
      // The first and the last row of each tile.
      const looked = [0, 255, 256, 299].map((at) => all[at]!)
      for (const ticket of looked.filter(({ number }) => number !== early!.number))
        expect(await found(ticket)).toMatchObject({ outcome: 'found', listed: 'valid', end: 'undrawn' })
      expect(await found(early!)).toMatchObject({ since, listed: 'refunded', end: 'out' })
      await time.goTo(contest.draw + 3)
      await work()
      const { number } = await shop.db
        .selectFrom('draw_attempts')
        .select('number')
        .where('offer_id', '=', contest.id)
        .executeTakeFirstOrThrow()
      const winner = all.find((one) => one.number === number)!
      expect(await found(winner)).toMatchObject({ end: 'won' })
      for (const ticket of looked.filter((one) => one.number !== early!.number && one !== winner))
        expect(await found(ticket)).toMatchObject({ end: 'lost' })
    },
  )

  test('are of published numbers alone', async () => {
    const contest = await newContest()
    await buy(contest.id, 1)
    await work()
    const statusOf = async (query: string): Promise<number> =>
      (await shop.anonymous('GET', `/draws/${contest.slug}/${query}`)).status
    for (const query of ['number=0', 'number=9999', 'index=2', 'index=2147483647', 'number=9007199254740991'])
      expect(await statusOf(`leaf?${query}`), query).toBe(404)
    const malformed = [
      '',
      'index=',
      'index=00',
      'index=01',
      'index=%2B1',
      'index=1.0',
      'index=1e0',
      'index=0x1',
    ]
    for (const query of [
      ...malformed,
      'index=-1',
      'index=9007199254740992',
      'index=1&number=1',
      'number=&index=1',
    ])
      expect(await statusOf(`leaf?${query}`), query).toBe(400)
    expect(await statusOf('consistency?first=01&second=2')).toBe(400)
    // A file that never changes is not sent again.
    const { headers } = await shop.anonymous('GET', `/draws/${contest.slug}/terms.txt`)
    // A verifier on another page can read it.
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    const again = await shop.anonymous('GET', `/draws/${contest.slug}/terms.txt`, undefined, {
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect([again.status, again.headers['etag']]).toEqual([304, headers['etag']])
    const { status, body } = await shop.anonymous('GET', `/draws/${contest.slug}/leaf?index=0`)
    expect([status, body['leaf'].split('\t')[0], body['last'].size]).toEqual([200, 'volant-open-v1', 2])
  })
})

describe('a draw', () => {
  const BAD = ['behind', 'missing', 'wrong-round', 'old-round', 'bad-signature', 'other-chain'] as const

  test.runIf(isExtended)(
    'waits for the valid signature of its round, whatever relays respond before',
    async () => {
      const contest = await newContest()
      await buy(contest.id, 3)
      await goOn(contest, 'seal')
      await time.goTo(contest.draw + 3)
      for (const behaviour of BAD) {
        beacon.behave(behaviour)
        await work()
        expect([behaviour, await stateOf(contest.id)]).toEqual([behaviour, 'sealed'])
      }
      beacon.behave('honest')
      await work()
      expect((await evidenceOf(contest.slug)).open).toMatchObject(OPEN)
    },
  )

  test('is not made before its round, even if the beacon gives it', async () => {
    const contest = await newContest()
    await buy(contest.id, 3)
    await goOn(contest, 'seal')
    beacon.behave('early')
    await time.goTo(contest.draw - 2)
    await work()
    beacon.behave('honest')
    expect(await stateOf(contest.id)).toBe('sealed')
  })

  test('by a worker whose clock is behind that of the database is made all the same', async () => {
    const contest = await newContest()
    await buy(contest.id, 2)
    await goOn(contest, 'seal')
    await time.goTo(contest.draw + 3)
    await work({ ...shop.draws, beacon: clientOf([beacon.url], () => new Date(0)) })
    expect(await stateOf(contest.id)).toBe('drawn')
  })

  test.runIf(isExtended)(
    'whose relay hangs holds up neither the draw nor the steps of another contest',
    async () => {
      const later = (seconds: number) => new Date((time.seconds() + seconds) * 1000)
      const slow = await newContest()
      const other = await newContest({ draw_at: new Date((slow.draw + 30) * 1000) })
      await buy(slow.id, 1)
      await buy(other.id, 1)
      await goOn(slow, 'seal')
      await time.goTo(slow.sealed + 31)
      await work()
      const closing = await newContest({ end_date: later(30), draw_at: later(7200) })
      await time.goTo(slow.draw + 33)
      await moveDueOffers({ ...shop.draws, publishTerms: shop.publishTerms })
      const others = Promise.withResolvers<void>()
      const made: string[] = []
      const hanging: typeof shop.draws.beacon = {
        ...shop.draws.beacon,
        async round(round, options) {
          const { rows } = await shop.pool.query(
            'SELECT FROM draw_attempts WHERE offer_id = $1 AND round = $2',
            [slow.id, round],
          )
          if (rows.length > 0) await others.promise
          return shop.draws.beacon.round(round, options)
        },
      }
      await drawAdvance({ ...shop.draws, beacon: hanging }, async (step, id) => {
        made.push(`${step} ${id}`)
        if (id === other.id) others.resolve()
      })()
      expect(made).toEqual([
        `close ${closing.id}`,
        `list ${closing.id}`,
        `draw ${other.id}`,
        `draw ${slow.id}`,
      ])
    },
  )

  test('in live mode is made with a public chain only, whatever the terms name', async () => {
    const contest = await newContest()
    await buy(contest.id, 1)
    await goOn(contest, 'seal')
    await time.goTo(contest.draw + 3)
    await expect(work({ ...shop.draws, isDemo: false })).rejects.toThrow('with a public chain only')
    expect(await stateOf(contest.id)).toBe('sealed')
    await work()
    expect(await stateOf(contest.id)).toBe('drawn')
  })

  test('whose list is not sealed while half of the margin is left is cancelled before the round', async () => {
    const contest = await newContest()
    await buy(contest.id, 2)
    await goOn(contest, 'list')
    await time.goTo(contest.draw - TIMES.sealMargin / 2)
    await work()
    expect(await stateOf(contest.id)).toBe('cancelled')
    expect(await stepsOf(contest.id)).toBe('open close list cancel')
    const { open, remarks } = await evidenceOf(contest.slug)
    expect(open.map(({ outcome }) => outcome)).not.toContain('failed')
    expect(remarks).toEqual(REMARKS)
  })

  test.runIf(isExtended)(
    'whose worker was down has at least half of the objections, and the verifiers say so',
    async () => {
      const contest = await newContest()
      await buy(contest.id, 2)
      const listed = contest.draw - TIMES.sealMargin / 2 - TIMES.objections / 2 - 20
      await time.goTo(listed)
      await work()
      await time.goTo(listed + TIMES.objections / 2 - 2)
      await work()
      expect(await stateOf(contest.id)).toBe('listed')
      await time.goTo(listed + TIMES.objections / 2 + 1)
      await work()
      expect(await stateOf(contest.id)).toBe('sealed')
      const { remarks } = await evidenceOf(contest.slug)
      expect(remarks).toEqual([...REMARKS, 'close-late', 'seal-late', 'objections-short'])
    },
  )

  test('without room for objections and seal has no terms, and an alert says so', async () => {
    const end = time.seconds() + 3600
    const dates = { end_date: new Date(end * 1000), draw_at: new Date((end + 899) * 1000) }
    const contest = await newContest(dates)
    const { status } = await shop.anonymous('GET', `/draws/${contest.slug}/checkpoint`)
    expect(status).toBe(404)
    const open = await shop.db
      .selectFrom('alerts')
      .select('subject')
      .where('kind', '=', 'drawWithoutTerms')
      .execute()
    expect(open).toEqual([{ subject: contest.slug }])
    await time.goTo(end + 900)
    await work()
    await publishTerms(shop.draws)
  })

  test('none once a contest has ended without: staff are told, and may cancel it', async () => {
    const end = time.seconds() + 3600
    const dates = { end_date: new Date(end * 1000), draw_at: new Date((end + 86_400) * 1000) }
    const id = await shop.newOffer({ slug: 'ended-without-terms', ...dates })
    await time.goTo(end + 60)
    await work()
    expect([await stateOf(id), await leavesOf(id)]).toEqual(['closed', []])
    const alerts = await shop.db.selectFrom('alerts').select(['kind', 'subject']).execute()
    expect(alerts).toContainEqual({ kind: 'drawWithoutTerms', subject: 'ended-without-terms' })
    await cancelAndRefund(shop.checkout, 'ended-without-terms', 'Volé.')
    await publishTerms(shop.draws)
  })
})

describe('a cancellation', () => {
  test('stands in the log and the register, after the entries so far', async () => {
    const contest = await newContest()
    await buy(contest.id, 2)
    await cancelAndRefund(shop.checkout, contest.slug, 'Volé.')
    expect(await stepsOf(contest.id)).toBe('open cancel')
    expect(await leavesOf(contest.id)).toHaveLength(4)
    expect((await leavesOf(0)).at(-2)).toBe(`volant-cancel-v1\t${contest.slug}\tshop`)
    const { open } = await evidenceOf(contest.slug)
    expect(open.map(({ outcome }) => outcome)).not.toContain('failed')
  })

  test('of a contest that never had terms stands in the register and among the draws', async () => {
    const end = time.seconds() + 3600
    const dates = { end_date: new Date(end * 1000), draw_at: new Date((end + 899) * 1000) }
    const contest = await newContest(dates)
    await cancelAndRefund(shop.checkout, contest.slug, 'Volé.')
    expect((await leavesOf(0)).at(-1)).toBe(`volant-cancel-v1\t${contest.slug}\tshop`)
    await time.goTo(end + 1000)
    const { items } = (await shop.anonymous('GET', '/api/draws/?limit=50')).body
    const listed = items.find((one: { contest: { slug: string } }) => one.contest.slug === contest.slug)
    expect(listed).toMatchObject({
      state: 'cancelled',
      terms: null,
      cancelled: { reason: 'shop', words: 'Volé.' },
    })
  })

  /** A contest with tickets, and a cancellation that waits for a second person. */
  async function askedToCancel() {
    const contest = await newContest()
    await buy(contest.id, 2)
    const path = `/api/staff/offers/${contest.slug}`
    // New staff each time: the moved clock ends sessions.
    const manager = () => shop.newStaff('manager')
    const ask = async () => (await manager()).post(`${path}/cancel/`, { reason: 'Volé.' })
    const asked = await ask()
    expect(asked.status).toBe(202)
    const { id } = asked.body['approval'] as { id: number }
    return {
      contest,
      ask,
      preview: async () => (await manager()).get(`${path}/cancellation/preview/`),
      page: async () => (await (await manager()).get(`/api/staff/offers/${contest.id}/`)).body,
      approve: async () => (await manager()).post(`/api/staff/approvals/${id}/approve/`),
    }
  }
  const lastInstant = async (id: number): Promise<number> => {
    const { round_at } = await shop.db
      .selectFrom('draw_attempts')
      .select('round_at')
      .where('offer_id', '=', id)
      .executeTakeFirstOrThrow()
    return round_at.getTime() / 1000 - TIMES.notice
  }

  test.runIf(isExtended)(
    'approved while the list is sealed holds, up to the last instant that the terms allow',
    async () => {
      const sealing = await askedToCancel()
      await goOn(sealing.contest, 'list')
      await time.goTo(sealing.contest.sealed)
      const [approved] = await Promise.all([sealing.approve(), work()])
      expect(approved.status).toBe(200)
      expect(await stateOf(sealing.contest.id)).toBe('cancelled')
      expect((await evidenceOf(sealing.contest.slug)).open.map(({ outcome }) => outcome)).not.toContain(
        'failed',
      )

      const { contest, page, approve } = await askedToCancel()
      await goOn(contest, 'seal')
      const until = await lastInstant(contest.id)
      await time.goTo(until - 30)
      expect(await page()).toMatchObject({
        is_cancellable: true,
        cancel_until: new Date(until * 1000).toISOString(),
      })
      expect((await approve()).status).toBe(200)
      expect(await stepsOf(contest.id)).toMatch(/^open close list seal cancel/)
      const { open, remarks } = await evidenceOf(contest.slug)
      expect(open.map(({ outcome }) => outcome)).not.toContain('failed')
      expect(remarks).toEqual([...REMARKS, 'cancelled-after-seal'])
    },
  )

  test.runIf(isExtended)(
    'of a sealed contest is refused after that, to whoever asks, approves, or waited for a lock meanwhile',
    async () => {
      const { contest, ask, preview, page, approve } = await askedToCancel()
      await goOn(contest, 'seal')
      const until = await lastInstant(contest.id)
      await time.goTo(until - 30)
      const other = await shop.pool.connect()
      await other.query('BEGIN')
      await other.query('SELECT FROM offers WHERE id = $1 FOR UPDATE', [contest.id])
      const approved = approve()
      await expect
        .poll(async () => {
          const { rows } = await shop.pool.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
          return rows.length
        }, PATIENCE)
        .toBe(1)
      await time.goTo(until + 1)
      await other.query('COMMIT')
      other.release()
      const refused = { status: 409, body: { code: 'offer.beingDrawn' } }
      expect(await approved).toMatchObject(refused)
      expect(await ask()).toMatchObject(refused)
      expect(await preview()).toMatchObject(refused)
      expect(await page()).toMatchObject({ state: 'sealed', is_cancellable: false })
      await expect(cancelAndRefund(shop.checkout, contest.slug, 'Volé.')).rejects.toMatchObject({
        status: 409,
      })

      const late = await askedToCancel()
      await goOn(late.contest, 'seal')
      await time.goTo((await lastInstant(late.contest.id)) + 1)
      expect(await late.approve()).toMatchObject(refused)
      await time.goTo(late.contest.draw + 3)
      await work()
      expect(await stateOf(late.contest.id)).toBe('drawn')
      expect(await late.ask()).toMatchObject(refused)
      expect((await evidenceOf(late.contest.slug)).open).toMatchObject(OPEN)
    },
  )
})

describe('entries that come too late', () => {
  /** Two tickets whose payment the provider has not decided yet. */
  async function payPending(offerId: number): Promise<string> {
    const { customer, orderId } = await shop.approvedOrder(2, 'pending@buyer.test', offerId)
    await customer.capture(orderId)
    expect(await shop.orderState(orderId)).toBe('pending')
    return orderId
  }

  test('a payment after the list buys nothing and goes back', async () => {
    const contest = await newContest()
    await buy(contest.id, 1)
    await time.goTo(contest.closes - 10)
    const orderId = await payPending(contest.id)
    await time.goTo(contest.closes)
    await work()
    expect((await leavesOf(contest.id)).at(-1)).toMatch(/\t2$/)
    await work()
    expect(await stateOf(contest.id)).toBe('closed')
    await time.goTo(contest.draw - TIMES.sealMargin - TIMES.objections - 60)
    await work()
    expect(await stateOf(contest.id)).toBe('listed')
    await providerSide(shop).decideLast('release')
    await reconcile(shop.checkout, (await shop.orderOf(orderId)).id)
    expect(await shop.orderState(orderId)).toMatch(/^refund(ing|ed)$/)
    expect(await shop.counters(contest.id)).toEqual({ tickets_sold: 1, tickets_held: 0 })
    await goOn(contest, 'draw')
    expect((await evidenceOf(contest.slug)).open).toMatchObject(OPEN)
  })

  test('a payment between the end and the list takes part', async () => {
    const contest = await newContest()
    await time.goTo(contest.closes - 10)
    const orderId = await payPending(contest.id)
    await time.goTo(contest.closes)
    await work()
    await providerSide(shop).decideLast('release')
    await reconcile(shop.checkout, (await shop.orderOf(orderId)).id)
    await goOn(contest, 'draw')
    expect(await evidenceOf(contest.slug)).toMatchObject({ open: OPEN, remarks: REMARKS, winners: [{}] })
  })

  test.runIf(isExtended)(
    'a card that is registered after the seal is refused as one that missed the draw',
    async () => {
      const contest = await newContest()
      await buy(contest.id, 1)
      await goOn(contest, 'seal')
      expect(await post(contest.id, 'Anna One')).toMatchObject({
        status: 201,
        body: { refusal: 'registered_late' },
      })
    },
  )
})

// Last, since sessions of the tests above would be over.
describe('a silent beacon', () => {
  test('ends with all money back when the beacon stays silent for as long as the terms say', async () => {
    const contest = await newContest()
    const { orderId } = await buy(contest.id, 2)
    await goOn(contest, 'seal')
    beacon.behave('missing')
    await time.goTo(contest.draw + 200)
    await work()
    const alerts = () =>
      shop.db
        .selectFrom('alerts')
        .select(['subject', 'resolved_at'])
        .where('kind', '=', 'beaconSilent')
        .where('subject', '=', contest.slug)
        .execute()
    expect(await alerts()).toMatchObject([{ subject: contest.slug, resolved_at: null }])
    await time.goTo(contest.draw + 604_800 - 5)
    await work()
    expect(await stateOf(contest.id)).toBe('sealed')
    await time.goTo(contest.draw + 604_800 + 5)
    // Nobody responds to this worker: the beacon need not be silent.
    await work({ ...shop.draws, beacon: clientOf(['http://127.0.0.1:1']) })
    expect(await stateOf(contest.id)).toBe('sealed')
    await work()
    beacon.behave('honest')
    expect(await stateOf(contest.id)).toBe('cancelled')
    expect(await alerts()).toMatchObject([{ resolved_at: expect.any(Date) }])
    expect((await evidenceOf(contest.slug)).remarks).toEqual([...REMARKS, 'silence-claimed'])
    await refundCancelledOffers(shop.checkout)
    expect(await shop.orderState(orderId)).toBe('refunded')
  })
})

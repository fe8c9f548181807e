import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../../../test/support/database.ts'
import { drawNumber, sealContest } from '../../../../test/support/drawn-contests.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { logKeyOf } from './log-key.ts'
import { logWaitingClaims } from './claims/receipts.ts'
import { claimsRepository } from './claims/claims.repository.ts'
import { drawStepsRepository } from './draw-steps.repository.ts'
import { provenEntry } from './public/leaf-responses.ts'

const folder = path.resolve(import.meta.dirname, '../../../../db/migrations')
const draws = { key: logKeyOf('5e'.repeat(32)), host: 'shop.test' }

test('a shop with contests that the version before has sealed goes on: they count as older, and claims that wait get a leaf', async () => {
  const older = await testDatabase({ empty: true })
  onTestFinished(() => older.close())
  const { db, pool, url } = older
  const upTo = (version: number) => migrate({ url, folder, log: silentLog, upTo: version })
  const run = async (statement: string, values: unknown[] = []) => (await pool.query(statement, values)).rows
  const newContest = async (slug: string): Promise<number> => {
    const [{ id }] = await run(
      `INSERT INTO offers (slug, titles, descriptions, choices, price_cents, total_tickets, end_date, draw_at, number_key, published_at, state)
       VALUES ($1, '{"fr": "Coupé"}', '{"fr": "Rouge."}', '{}', 490, 100, now() + interval '1 day', now() + interval '3 days', $2, now(), 'open')
       RETURNING id`,
      [slug, Buffer.alloc(32, 7)],
    )
    await run(
      `INSERT INTO tickets (id, offer_id, number, source) SELECT gen_random_uuid(), $1, n, 'postal' FROM generate_series(1, 3) AS n`,
      [id],
    )
    return id
  }
  await upTo(43)
  const [sealed, claimed, awarded, open] = [
    await newContest('sealed'),
    await newContest('claimed'),
    await newContest('awarded'),
    await newContest('open'),
  ]
  for (const id of [sealed, claimed, awarded]) {
    await sealContest(pool, id, { draws })
    await run(
      `INSERT INTO draw_list_tiles (offer_id, level, index, hashes, first_number) VALUES ($1, 0, 0, $2, 1)`,
      [id, Buffer.alloc(96, 1)],
    )
  }
  await run('ALTER TABLE draw_claims DISABLE TRIGGER USER')
  const [{ id: staff }] = await run(
    `INSERT INTO users (username, email, password_hash) VALUES ('ada', 'ada@staff.test', 'none') RETURNING id`,
  )
  for (const id of [claimed, awarded]) {
    await drawNumber(pool, id, 2)
    await run(
      `INSERT INTO draw_claims (offer_id, attempt, token_hash, until, submitted_at, name, address, postcode, city, country)
       VALUES ($1::int, 0, sha256(convert_to($1::int::text, 'UTF8')), now() + interval '1 day', now(), 'Ada', '{Rue 1}', '5000', 'Namur', 'BE')`,
      [id],
    )
  }
  await run(
    `UPDATE draw_claims c SET identity_seen_at = now(), identity_seen_by = $2, identity_hash = draw_claim_hash(c),
       awarded_at = now(), awarded_by = $2, delivered_on = now()::date WHERE offer_id = $1`,
    [awarded, staff],
  )
  await run('ALTER TABLE draw_claims ENABLE TRIGGER USER')
  await run(
    `INSERT INTO draws (offer_id, terms_hash, draw_at, objections_seconds, seal_margin_seconds, beacon_patience_seconds,
                        claim_seconds, alternate_delay_seconds, alternates_decided, notice_seconds)
     SELECT id, sha256('terms'), draw_at, 60, 60, 60, 60, 60, 3, 60 FROM offers WHERE id = $1`,
    [open],
  )

  await migrate({ url, folder, log: silentLog })
  expect(await run('SELECT offer_id, terms_version FROM draws ORDER BY 1')).toEqual([
    { offer_id: sealed, terms_version: 1 },
    { offer_id: claimed, terms_version: 1 },
    { offer_id: awarded, terms_version: 1 },
    { offer_id: open, terms_version: 2 },
  ])
  // An alert names those that were to be drawn, and no job takes them on.
  const steps = drawStepsRepository(db)
  expect([await steps.notToDraw(0), await steps.toAdvance()]).toEqual([['open', 'sealed'], []])
  // The page of a ticket gets what there is; its check fails.
  expect(await provenEntry(db, claimed, 2)).toMatchObject({ row: { index: 1, size: 3 }, attempts: [] })
  for (const change of ['UPDATE draw_list_tiles SET index = 1', 'DELETE FROM draw_list_tiles'])
    await expect(run(change)).rejects.toThrow('is refused by')

  await logWaitingClaims({ db, key: draws.key })
  const leaves = await run(`SELECT log_id, leaf FROM draw_leaves WHERE leaf LIKE 'volant-claim%'`)
  expect(leaves).toEqual([{ log_id: claimed, leaf: expect.stringContaining('claimed\t0\t') }])
  expect(await claimsRepository(db).withoutLeaf()).toEqual([])
  // An award of the version before stays, and its claim can be erased.
  await run(
    'UPDATE draw_claims SET name = NULL, address = NULL, city = NULL, country = NULL, erased_at = now() WHERE offer_id = $1',
    [awarded],
  )
})

import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openTestDatabase } from '../../../test/support/database.ts'
import { proofOf } from '../../../test/support/proof.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { transact } from '#platform/transaction.ts'
import { PROOF_CHALLENGE } from '#shared/proof-headers.ts'
import type { Refusal } from '#shared/refusal.ts'
import { limitStore } from './limit-store.ts'
import { type Limiter, limiter } from './limiter.ts'
import { withSentProof } from './proof-of-work.ts'

const SECRET = 'a secret of the tests, long enough to sign with'

const database = await openTestDatabase()

beforeEach(async () => {
  await database.db.deleteFrom('limit_counters').execute()
})

/** A process of the shop as far as limits go. */
function process(log = silentLog, factor = 1): Limiter {
  const made = limiter({ db: database.db, secret: SECRET, factor, log })
  onTestFinished(() => made.close())
  return made
}

const THREE = { count: 3, seconds: 3_600 }
const limitOf = (one: Limiter, rules: Parameters<Limiter['limit']>[1] = { account: THREE }) =>
  one.limit('test', rules, 'errors.limit.tooMany')

const ACCOUNT = { account: 7 }
/** @returns how many of so many concurrent attempts were granted */
async function granted(count: number, take: (index: number) => Promise<unknown>): Promise<number> {
  const all = await Promise.allSettled(Array.from({ length: count }, (_, index) => take(index)))
  return all.filter((one) => one.status === 'fulfilled').length
}
const counts = async (): Promise<number[]> => {
  const rows = await database.db.selectFrom('limit_counters').select('count').orderBy('count').execute()
  return rows.map(({ count }) => count)
}

describe('counted exactly', () => {
  test('concurrent attempts in three processes are granted up to the limit', async () => {
    const limits = [process(), process(), process()].map((one) => limitOf(one))
    expect(await granted(99, (index) => limits[index % 3]!.take(ACCOUNT))).toBe(3)
    await limits[0]!.take({ account: 8 })
  })

  test('a refusal is a 429 with the time to wait, in words', async () => {
    const limit = limitOf(process())
    for (let free = 0; free < 3; free += 1) await limit.take(ACCOUNT)
    for (const _ of ['decided', 'remembered'])
      await expect(limit.take(ACCOUNT)).rejects.toMatchObject({
        code: 'limit.test',
        status: 429,
        options: { retryAfter: expect.closeTo(3_600, -2), values: { minutes: expect.closeTo(60, -1) } },
      })
  })

  test('the factor multiplies', async () => {
    const limit = limitOf(process(silentLog, 2.5))
    expect(await granted(20, () => limit.take(ACCOUNT))).toBe(8)
  })

  test('neither an address nor a name is stored', async () => {
    const limit = limitOf(process(), { account: THREE, address: THREE, accountAtAddress: THREE })
    await limit.take({ account: 'kim@example.test', address: '192.0.2.77' })
    const all = sql<{ row: string }>`SELECT limit_counters::text AS row FROM limit_counters`
    const { rows } = await all.execute(database.db)
    expect(rows).toHaveLength(3)
    for (const { row } of rows) expect(row).not.toMatch(/kim|192\.0\.2/)
  })

  test('successful logins give others no more attempts at the same network', async () => {
    const limit = limitOf(process(), { accountAtAddress: THREE, address: { count: 4, seconds: 3_600 } })
    const own = { account: 'own', address: '192.0.2.1' }
    for (let round = 0; round < 6; round += 1) await (await limit.take(own)).succeed()
    const address = '192.0.2.1'
    expect(await granted(9, (index) => limit.take({ account: `victim ${index}`, address }))).toBe(4)
  })

  test('an IPv6 /48 is counted as a whole, whatever its /64', async () => {
    const limit = limitOf(process(), { address: THREE })
    const from = (network: number, site = 1) => ({
      address: `2001:db8:${site}:${network.toString(16)}::7`,
    })
    expect(await granted(9, () => limit.take(from(1)))).toBe(3)
    expect(await granted(9, (index) => limit.take(from(index + 2))), 'its /56').toBe(3)
    expect(await granted(99, (index) => limit.take(from((index + 1) * 256))), 'its /48').toBe(18)
    await limit.take(from(1, 2))
  })

  test('without the database each process counts alone, and logs it', async () => {
    const log = { ...silentLog, error: vi.fn<(fields: object, message: string) => void>() }
    const limit = limitOf(process(log))
    await sql`ALTER TABLE limit_counters RENAME TO gone`.execute(database.db)
    try {
      expect(await granted(20, () => limit.take(ACCOUNT))).toBe(3)
      expect(log.error).toHaveBeenCalledTimes(1)
    } finally {
      await sql`ALTER TABLE gone RENAME TO limit_counters`.execute(database.db)
    }
  })
})

describe('with the count of all callers full', () => {
  const rules = { all: { count: 2, seconds: 3_600 }, address: THREE }
  const at = (last: number) => ({ address: `192.0.2.${last}` })

  const challengeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'granted',
      ({ options }: Refusal) => options.headers?.[PROOF_CHALLENGE],
    )

  test('a proof of work is asked for, and lets one call pass, in any process', async () => {
    const [one, other] = [process(), process()].map((each) => limitOf(each, rules))
    for (const last of [1, 1]) await one!.take(at(last))
    const challenge = await challengeOf(one!.take(at(2)))
    const proof = await proofOf(challenge!)
    await withSentProof(proof, () => one!.take(at(2)))
    for (const limit of [one!, other!]) {
      const refused = withSentProof(proof, () => limit.take(at(2)))
      expect(await challengeOf(refused), 'used before').not.toMatch(/granted|undefined/)
    }
    expect(await challengeOf(withSentProof('nonsense', () => other!.take(at(2))))).not.toBe('granted')
  })

  test('a full network gets none, and counts calls with a proof', async () => {
    const limit = limitOf(process(), rules)
    for (const last of [1, 1]) await limit.take(at(last))
    const proofs = await Promise.all([1, 2].map(async () => proofOf((await challengeOf(limit.take(at(1))))!)))
    await withSentProof(proofs[0]!, () => limit.take(at(1)))
    expect(await challengeOf(withSentProof(proofs[1]!, () => limit.take(at(1))))).toBeUndefined()
    const other = limitOf(process(), rules)
    expect(await challengeOf(other.take(at(1)))).toBeUndefined()
  })
})

describe('counted without waiting', () => {
  test('is exact in one process, and known in another later', async () => {
    const many = { account: { count: 5_000, seconds: 3_600 } }
    const [one, other] = [limitOf(process(), many), limitOf(process(), many)]
    const hits = (limit: typeof one, count = 1, who = ACCOUNT) => granted(count, async () => limit.hit(who))
    expect(await hits(one, 5_009)).toBe(5_000)
    // The other process does not know these counts yet.
    expect(await hits(other)).toBe(1)
    await expect.poll(() => hits(other)).toBe(0)
    expect(await hits(other, 1, { account: 8 })).toBe(1)
  })

  test('is stored when the process ends, added to the counts of others', async () => {
    const [one, other] = [process(), process()]
    for (const each of [one, other]) limitOf(each).hit(ACCOUNT)
    await one.close()
    await other.close()
    expect(await counts()).toEqual([2])
  })
})

describe('counted in a transaction', () => {
  test('of its own, by account and contest only; one that fails counts nothing', async () => {
    const accountAtContest = { count: 2, seconds: 60 }
    const limit = limitOf(process(), { accountAtContest, account: THREE, all: THREE })
    const guess = (contest: number, then?: () => never) =>
      transact(database.db, async (trx) => {
        const who = { account: 7, contest }
        const ledger = await limit.ledger(trx, [who])
        const refused = ledger.check(who)
        if (!refused) ledger.count(who)
        await ledger.store()
        then?.()
        return refused?.code
      })
    const fail = () => {
      throw new Error('on purpose')
    }
    await expect(guess(1, fail)).rejects.toThrow('on purpose')
    expect(await counts()).toEqual([])
    const seen = []
    for (const contest of [1, 1, 1, 2, 2]) seen.push(await guess(contest))
    expect(seen).toEqual([undefined, undefined, 'limit.test', undefined, 'limit.test'])
    expect(await counts()).toEqual([1, 2, 3])
  })
})

test('a sweep deletes expired counts only', async () => {
  await sql`INSERT INTO limit_counters (key, count, until)
    SELECT decode(md5(n::text), 'hex'), 1, now() + CASE WHEN n <= 2 THEN interval '1 hour' ELSE interval '-1 second' END
    FROM generate_series(1, 11000) n`.execute(database.db)
  await limitStore(database.db).sweep()
  expect(await counts()).toHaveLength(2)
})

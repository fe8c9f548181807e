import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { transact } from '#platform/transaction.ts'
import { limitStore } from './limit-store.ts'
import { type Limiter, limiter } from './limiter.ts'

const SECRET = 'a secret of the tests, long enough to sign with'

let database: TestDatabase
const open: Limiter[] = []

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  await database.db.deleteFrom('limit_counters').execute()
})

/** A process of the shop as far as limits go. */
function process(log = silentLog, factor = 1): Limiter {
  const made = limiter({ db: database.db, secret: SECRET, factor, log })
  open.push(made)
  return made
}

const THREE = { count: 3, seconds: 3_600 }
const limitOf = (one: Limiter, rules: Parameters<Limiter['limit']>[1] = { account: THREE }) =>
  one.limit('test', rules, 'errors.limit.tooMany')

const outcomes = async (attempts: readonly Promise<unknown>[]) => {
  const all = await Promise.allSettled(attempts)
  return all.filter((one) => one.status === 'fulfilled').length
}

describe('counted exactly', () => {
  test('a hundred at once in three processes are as many as allowed', async () => {
    const limits = [process(), process(), process()].map((one) => limitOf(one))
    const attempts = Array.from({ length: 99 }, (_, index) => limits[index % 3]!.take({ account: 7 }))
    expect(await outcomes(attempts)).toBe(3)
    await limits[0]!.take({ account: 8 })
  })

  test('a refusal is a 429 with the time to wait, in words', async () => {
    const limit = limitOf(process())
    for (let free = 0; free < 3; free += 1) await limit.take({ account: 7 })
    for (const _ of ['decided', 'remembered'])
      await expect(limit.take({ account: 7 })).rejects.toMatchObject({
        code: 'limit.test',
        status: 429,
        options: { retryAfter: expect.closeTo(3_600, -2), values: { minutes: expect.closeTo(60, -1) } },
      })
  })

  test('the factor multiplies', async () => {
    const limit = limitOf(process(silentLog, 2.5))
    expect(await outcomes(Array.from({ length: 20 }, () => limit.take({ account: 7 })))).toBe(8)
  })

  test('neither an address nor a name is stored', async () => {
    const limit = limitOf(process(), { account: THREE, address: THREE, accountAtAddress: THREE })
    await limit.take({ account: 'kim@example.test', address: '192.0.2.77' })
    const { rows } = await sql<{
      row: string
    }>`SELECT limit_counters::text AS row FROM limit_counters`.execute(database.db)
    expect(rows).toHaveLength(3)
    for (const { row } of rows) expect(row).not.toMatch(/kim|192\.0\.2/)
  })

  test('who logs in now and then does not give strangers more tries at the same network', async () => {
    const limit = limitOf(process(), { accountAtAddress: THREE, address: { count: 4, seconds: 3_600 } })
    const own = { account: 'own', address: '192.0.2.1' }
    for (let round = 0; round < 6; round += 1) {
      await (await limit.take(own)).succeed()
    }
    const tries = Array.from({ length: 9 }, (_, index) =>
      limit.take({ account: `victim ${index}`, address: '192.0.2.1' }),
    )
    expect(await outcomes(tries)).toBe(4)
  })

  test('without the database it goes on counting in the process alone, and says so', async () => {
    const log = { ...silentLog, error: vi.fn<(fields: object, message: string) => void>() }
    const limit = limitOf(process(log))
    await sql`ALTER TABLE limit_counters RENAME TO gone`.execute(database.db)
    try {
      expect(await outcomes(Array.from({ length: 20 }, () => limit.take({ account: 7 })))).toBe(3)
      expect(log.error).toHaveBeenCalledTimes(1)
    } finally {
      await sql`ALTER TABLE gone RENAME TO limit_counters`.execute(database.db)
    }
  })
})

describe('counted without waiting', () => {
  const passes = (work: () => void): boolean => {
    try {
      work()
      return true
    } catch {
      return false
    }
  }

  test('one process is exact, another one hears of it', async () => {
    const many = { account: { count: 5_000, seconds: 3_600 } }
    const [one, other] = [limitOf(process(), many), limitOf(process(), many)]
    const hits = Array.from({ length: 5_009 }, () => passes(() => one.hit({ account: 7 })))
    expect(hits.filter(Boolean)).toHaveLength(5_000)
    // The other one knows nothing yet and lets its first through; it hears of all of them long before its own are as many.
    expect(passes(() => other.hit({ account: 7 }))).toBe(true)
    await vi.waitUntil(() => !passes(() => other.hit({ account: 7 })), { timeout: 20_000 })
    expect(passes(() => other.hit({ account: 8 }))).toBe(true)
  })

  test('what was counted is stored at the end at the latest, added to what others have counted', async () => {
    const [one, other] = [process(), process()]
    for (const each of [one, other]) limitOf(each).hit({ account: 7 })
    await one.close()
    await other.close()
    const rows = await database.db.selectFrom('limit_counters').select('count').execute()
    expect(rows).toEqual([{ count: 2 }])
  })
})

describe('counted in a transaction', () => {
  test('of its own, by account and contest only', async () => {
    const limit = limitOf(process(), {
      accountAtContest: { count: 2, seconds: 60 },
      account: THREE,
      all: THREE,
    })
    const guess = (contest: number) =>
      transact(database.db, async (trx) => {
        const ledger = await limit.ledger(trx, [{ account: 7, contest }])
        const refused = ledger.check({ account: 7, contest })
        if (!refused) ledger.count({ account: 7, contest })
        await ledger.store()
        return refused?.code
      })
    const seen = []
    for (const contest of [1, 1, 1, 2, 2]) seen.push(await guess(contest))
    expect(seen).toEqual([undefined, undefined, 'limit.test', undefined, 'limit.test'])
    const rows = await database.db.selectFrom('limit_counters').select('count').execute()
    expect(rows.map((row) => row.count).toSorted((a, b) => a - b)).toEqual([1, 2, 3])
  })

  test('that fails counts nothing', async () => {
    const limit = limitOf(process())
    const failing = transact(database.db, async (trx) => {
      const ledger = await limit.ledger(trx, [{ account: 7 }])
      ledger.count({ account: 7 })
      await ledger.store()
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    expect(await database.db.selectFrom('limit_counters').selectAll().execute()).toEqual([])
  })
})

test('what is over is swept, the rest stays', async () => {
  await sql`INSERT INTO limit_counters (key, count, until)
    SELECT decode(md5(n::text), 'hex'), 1, now() + CASE WHEN n <= 2 THEN interval '1 hour' ELSE interval '-1 second' END
    FROM generate_series(1, 11000) n`.execute(database.db)
  await limitStore(database.db).sweep()
  expect(await database.db.selectFrom('limit_counters').select('count').execute()).toHaveLength(2)
})

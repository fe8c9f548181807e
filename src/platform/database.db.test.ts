import { type RawBuilder, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openTestDatabase } from '../../test/support/database.ts'
import { onStatements } from '../../test/support/statements.ts'
import { anyOf } from './any-of.ts'
import { byIds } from './by-ids.ts'
import { databaseTrouble } from './database-errors.ts'
import { PreparingClient } from './database-dialect.ts'
import { type Database, type Trx, openDatabase } from './database.ts'
import { silentLog } from './postgres/log.ts'
import { type TransactOptions, onCommit, transact, withCommit } from './transaction.ts'

const logged: string[] = []
const remember = (_fields: object, message: string) => void logged.push(message)
const log = { info: remember, warn: remember, error: remember }
const base = await openTestDatabase({ hasShopsLockTimeout: true, log })

beforeAll(async () => {
  await sql`create table shelf (id int primary key, n bigint not null check (n >= 0))`.execute(base.db)
})
beforeEach(async () => {
  logged.length = 0
  await sql`truncate shelf`.execute(base.db)
  await sql`insert into shelf values (1, 0), (2, 0)`.execute(base.db)
})

/** A pool of one connection, closed at the end of the test. */
function ownDatabase(change: (url: URL) => void = () => {}): Database {
  const url = new URL(base.url)
  change(url)
  const own = openDatabase({ url: url.href, max: 1, log: silentLog, applicationName: 'own' })
  onTestFinished(() => own.close())
  return own.db
}
const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)
const one = () => sql`select 1 as one`.execute(base.db)
const add = (trx: Trx, id: number) => sql`update shelf set n = n + 1 where id = ${id}`.execute(trx)
const total = async () =>
  (await sql<{ n: string }>`select sum(n)::text n from shelf`.execute(base.db)).rows[0]?.n
const raise = (trx: Trx, code: string) =>
  sql`do $$ begin raise exception using errcode = ${sql.lit(code)}; end $$`.execute(trx)

/** Resolves once two callers have arrived; later callers pass at once. */
const meeting = () => {
  const gate = Promise.withResolvers<void>()
  let arrived = 0
  return () => {
    arrived += 1
    if (arrived === 2) gate.resolve()
    return gate.promise
  }
}

describe('a connection', () => {
  test('returns number, text, Date and calendar day', async () => {
    const { rows } = await sql`
      select 9007199254740991::int8 big, 12.50::numeric exact,
             timestamptz '2026-03-01 12:00:00+02' as moment, date '2026-03-29' as day`.execute(base.db)
    expect(rows).toEqual([
      { big: 9007199254740991, exact: '12.50', moment: new Date('2026-03-01T10:00:00Z'), day: '2026-03-29' },
    ])
  })

  test('rejects a number that JavaScript cannot represent', async () => {
    await expect(sql`select 9007199254740993::int8 big`.execute(base.db)).rejects.toThrow(RangeError)
    expect((await one()).rows).toEqual([{ one: 1 }])
  })

  test('has its timeouts and its name', async () => {
    const { rows } = await sql`
      select current_setting('lock_timeout') lock, current_setting('statement_timeout') statement,
             current_setting('application_name') = current_database() named`.execute(base.db)
    expect(rows).toEqual([{ lock: '3s', statement: '15s', named: true }])
  })
})

/** Cuts connections of the pool from another one. @returns how many */
async function cut(condition: RawBuilder<unknown>): Promise<number | undefined> {
  const pids = sql`select count(pg_terminate_backend(pid))::int n from pg_stat_activity`
  return (await sql<{ n: number }>`${pids} where ${condition}`.execute(ownDatabase())).rows[0]?.n
}

test('the pool serves again after the server has cut all its connections', async () => {
  const name = new URL(base.url).pathname.slice(1)
  const running = caught(sql`select pg_sleep(10)`.execute(base.db))
  await expect.poll(() => cut(sql`application_name = ${name} and query like '%pg_sleep%'`)).toBe(1)
  expect(databaseTrouble(await running)).toBe('down')
  await cut(sql`application_name = ${name}`)
  await expect.poll(async () => (await one().catch(() => ({ rows: [] }))).rows).toEqual([{ one: 1 }])
})

test('an unreachable server is reported as down, an ordinary error is no trouble of the database', async () => {
  const gone = ownDatabase((url) => url.searchParams.set('host', '/nowhere'))
  expect(databaseTrouble(await caught(sql`select 1`.execute(gone)))).toBe('down')
  expect(databaseTrouble(await caught(sql`select 1 / 0`.execute(base.db)))).toBeUndefined()
  expect(databaseTrouble(undefined)).toBeUndefined()
})

describe('a prepared statement', () => {
  const book = (id: number) => sql<{ id: number }>`select * from shelf where id = ${id}`
  const repeat = async () => {
    for (let turn = 0; turn < 5; turn++) await book(1).execute(base.db)
  }

  test('is planned once when it recurs; a text that occurs once is not kept', async () => {
    await repeat()
    await sql`select id as only_once from shelf where id = ${1}`.execute(base.db)
    const prepared = async (like: string) => {
      const count = sql`select count(*)::int n from pg_prepared_statements where statement like ${like}`
      return (await count.execute(base.db)).rows
    }
    // The pool hands the connection that was used last to the next query.
    expect(await prepared('select * from shelf%')).toEqual([{ n: 1 }])
    expect(await prepared('select id as only_once%')).toEqual([{ n: 0 }])
  })

  test('survives a change of its table, alone and in a transaction', async () => {
    await repeat()
    await sql`alter table shelf add column color text not null default 'red'`.execute(base.db)
    expect((await book(1).execute(base.db)).rows).toEqual([{ id: 1, n: 0, color: 'red' }])
    await repeat()
    await sql`alter table shelf drop column color`.execute(base.db)
    let runs = 0
    const found = await transact(base.db, async (trx) => {
      runs += 1
      return (await book(1).execute(trx)).rows
    })
    expect([found, runs]).toEqual([[{ id: 1, n: 0 }], 2])
  })

  test('by ids is built once and executed with the ids of each call, in a transaction and outside', async () => {
    const { db } = base
    const userOf = (username: string) => ({ username, email: `${username}@x.test`, password_hash: 'none' })
    const users = ['a', 'b', 'c'].map(userOf)
    const made = await db.insertInto('users').values(users).returning('id').execute()
    const all = made.map(({ id }) => id)
    let built = 0
    const namesOf = byIds((on, ids: readonly number[]) => {
      built += 1
      return on
        .selectFrom('users')
        .select(['id', 'username'])
        .where('id', '=', anyOf(ids, 'bigint'))
        .where('username', '<>', 'c')
        .where(sql<boolean>`id = ANY(${[...ids]}::bigint[])`)
        .orderBy('id')
    })
    const names = async (ids: readonly number[]) => (await namesOf(db, ids)).map(({ username }) => username)
    expect(await names(all)).toEqual(['a', 'b'])
    expect(await names(all.slice(1))).toEqual(['b'])
    expect(await names([])).toEqual([])
    const first = await transact(db, (trx) => namesOf(trx, all.slice(0, 1)))
    expect(first).toEqual([{ id: all[0], username: 'a' }])
    expect(built).toBe(1)
  })
})

describe('transact', () => {
  test('repeats a deadlocked transaction: both succeed', async () => {
    const bothHoldOne = meeting()
    let runs = 0
    const crossing = (first: number, second: number) =>
      transact(base.db, async (trx) => {
        runs += 1
        await add(trx, first)
        await bothHoldOne()
        await add(trx, second)
      })
    await Promise.all([crossing(1, 2), crossing(2, 1)])
    expect([await total(), runs > 2]).toEqual(['4', true])
  })

  test('repeats a serialization failure', async () => {
    const bothHaveRead = meeting()
    const countUp = async (trx: Trx) => {
      const found = await sql<{ n: number }>`select n from shelf where id = 1`.execute(trx)
      await bothHaveRead()
      await sql`update shelf set n = ${(found.rows[0]?.n ?? 0) + 1} where id = 1`.execute(trx)
    }
    const isolation = 'repeatable read'
    await Promise.all([transact(base.db, countUp, { isolation }), transact(base.db, countUp, { isolation })])
    expect(await total()).toBe('2')
  })

  test.each([
    ['a deadlock that never ends', 4, (trx: Trx) => raise(trx, '40P01'), { code: '40P01' }],
    ['any other error', 1, () => Promise.reject(new Error('changed')), { message: 'changed' }],
  ] as const)('gives up after %s in run %i and rolls back', async (_what, most, fail, error) => {
    let runs = 0
    const attempt = transact(base.db, async (trx) => {
      runs += 1
      await add(trx, 1)
      await fail(trx)
    })
    await expect(attempt).rejects.toMatchObject(error)
    expect([runs, await total()]).toEqual([most, '0'])
  })

  test('waits for a locked row without holding another', async () => {
    const released = Promise.withResolvers<void>()
    const holder = transact(base.db, async (trx) => {
      await add(trx, 2)
      await released.promise
    })
    const both = transact(base.db, async (trx) => {
      await add(trx, 1)
      await add(trx, 2)
    })
    // Others get the first row, time and again, while that one waits for the second.
    for (let turn = 0; turn < 5; turn += 1)
      await transact(base.db, (trx) => add(trx, 1), { patienceMs: 1_000 })
    released.resolve()
    await Promise.all([holder, both])
    expect(await total()).toBe('8')
  })

  test('reports a lock timeout as busy', async () => {
    await transact(base.db, async (holder) => {
      await add(holder, 1)
      const error = await caught(transact(base.db, (trx) => add(trx, 1), { patienceMs: 50 }))
      expect(databaseTrouble(error)).toBe('busy')
    })
  })

  test('commits without waiting for the disk only when asked to, and only that transaction', async () => {
    // The server of the tests never waits; this connection does, as a shop's do.
    const own = ownDatabase((url) => url.searchParams.set('options', '-c synchronous_commit=on'))
    const setting = (options?: TransactOptions) =>
      transact(own, async (trx) => (await sql`show synchronous_commit`.execute(trx)).rows[0], options)
    const shown = [await setting(), await setting({ durable: false }), await setting()]
    expect(shown).toEqual(['on', 'off', 'on'].map((synchronous_commit) => ({ synchronous_commit })))
  })

  test('reports a BEGIN that was cancelled as an unknown outcome', async () => {
    // What a cancel from outside does to BEGIN; none of our statements is refused by itself.
    const nonsense = { isolation: 'nonsense' as 'serializable' }
    const error = await caught(transact(base.db, (trx) => add(trx, 1), nonsense))
    expect(error).toMatchObject({ message: 'a transaction was never begun', code: '08007' })
    // The statement ran alone, so a retry would repeat it.
    expect(databaseTrouble(error)).toBe('down')
    expect(await total()).toBe('1')
  })

  test('leaves a usable connection after a COMMIT that was cancelled', async () => {
    const own = ownDatabase()
    // A cancel before COMMIT begins leaves the transaction failed and open, as this does.
    onStatements(({ text, send }) => send(text === 'commit' ? 'commit now or never' : undefined))
    try {
      await expect(transact(own, (trx) => add(trx, 1))).rejects.toMatchObject({ code: '42601' })
    } finally {
      vi.restoreAllMocks()
    }
    await sql`update shelf set n = n + 10 where id = 2`.execute(own)
    expect(await total()).toBe('10')
  })

  test('sends statements that are executed together before the first gets a response', async () => {
    const sent = vi.spyOn(PreparingClient.prototype, 'query')
    const lock = sql`select pg_advisory_xact_lock(4711)`
    const texts = () => sent.mock.calls.map(([text]) => text)
    await transact(base.db, async (holder) => {
      await lock.execute(holder)
      sent.mockClear()
      void transact(base.db, async (trx) => {
        await Promise.all([lock.execute(trx), add(trx, 1)])
      })
      await expect.poll(texts).toContainEqual(expect.stringMatching('update'))
    })
    await expect.poll(total).toBe('1')
    sent.mockRestore()
  })

  test('runs statements that are sent together in order, all or nothing', async () => {
    const set = (n: number, id: number) => sql`update shelf set n = ${n} where id = ${id}`
    const run = (...changes: [n: number, id: number][]) =>
      transact(base.db, async (trx) => {
        await Promise.all(changes.map(([n, id]) => set(n, id).execute(trx)))
      })
    const rows = async () => (await sql`select n from shelf order by id`.execute(base.db)).rows
    await run([1, 1], [2, 1], [3, 2])
    expect(await rows()).toEqual([{ n: 2 }, { n: 3 }])
    await expect(run([9, 1], [-1, 1], [9, 2])).rejects.toThrow(/shelf_n_check/)
    await expect(run([-1, 1], [9, 2])).rejects.toThrow(/shelf_n_check/)
    expect(await rows()).toEqual([{ n: 2 }, { n: 3 }])
  })

  test('reports the statement that failed, not one that was sent with it and was refused for that', async () => {
    const block = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    const deep = async (depth: number, sent: Promise<unknown>): Promise<unknown> =>
      depth === 0 ? sent : await deep(depth - 1, sent)
    let runs = 0
    await transact(base.db, async (trx) => {
      runs += 1
      // Both responses are there when this process reads again.
      setImmediate(block)
      await Promise.all([runs === 1 && deep(20, raise(trx, '40001')), add(trx, 1)])
    })
    expect([runs, await total()]).toEqual([2, '1'])
  })

  test('sends the last statements with the commit; one that is refused or cannot be sent rolls back', async () => {
    const last = (act: (trx: Trx) => Promise<unknown>) =>
      transact(base.db, async (trx) =>
        withCommit(Promise.all([add(trx, 1), act(trx)]).then((done) => done.length)),
      )
    const toPostgres = () => {
      throw new Error('cannot be written')
    }
    const refused = (trx: Trx) => sql`insert into shelf values (1, 0)`.execute(trx)
    const unsendable = (trx: Trx) => sql`update shelf set n = ${{ toPostgres }}`.execute(trx)
    await expect(last(refused)).rejects.toThrow(/duplicate key/)
    await expect(last(unsendable)).rejects.toThrow(/cannot be written/)
    expect(await total()).toBe('0')
    expect(await last((trx) => add(trx, 2))).toBe(2)
    expect(await total()).toBe('2')
  })

  test('refuses a statement after the end of its transaction', async () => {
    let late: Trx | undefined
    await transact(base.db, async (trx) => void (late = trx))
    await expect(add(late as Trx, 1)).rejects.toThrow('after the end')
  })
})

describe('a commit hook', () => {
  test('runs once, after the commit, also of a repeated transaction', async () => {
    const seen: unknown[] = []
    let runs = 0
    await transact(base.db, async (trx) => {
      runs += 1
      await add(trx, 1)
      onCommit(trx, async () => void seen.push(await total()))
      if (runs === 1) await raise(trx, '40001')
      expect(seen).toEqual([])
    })
    expect([runs, seen]).toEqual([2, ['1']])
  })

  test('does not run after a rollback, not even when the commit itself fails', async () => {
    await sql`create table late (id int references shelf deferrable initially deferred)`.execute(base.db)
    const seen: string[] = []
    const attempt = transact(base.db, async (trx) => {
      onCommit(trx, () => void seen.push('hook'))
      await sql`insert into late values (99)`.execute(trx)
    })
    await expect(attempt).rejects.toMatchObject({ code: '23503' })
    expect(seen).toEqual([])
    await sql`drop table late`.execute(base.db)
  })

  test('that fails is logged, and the committed result is returned', async () => {
    const seen: string[] = []
    const result = await transact(base.db, async (trx) => {
      onCommit(trx, () => {
        throw new Error('mail is down')
      })
      onCommit(trx, () => void seen.push('the next one'))
      return 'sold'
    })
    expect([result, seen]).toEqual(['sold', ['the next one']])
    expect(logged).toContain('a step after a commit failed')
  })

  test('is refused outside a transaction', () => {
    expect(() => onCommit(base.db as unknown as Trx, () => {})).toThrow('transact()')
  })
})

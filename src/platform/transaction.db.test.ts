import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestDatabase } from '../../test/support/database.ts'
import { onStatements } from '../../test/support/statements.ts'
import { type Trx, openDatabase } from './database.ts'
import { databaseTrouble } from './database-errors.ts'
import { PreparingClient } from './database-dialect.ts'
import { silentLog } from './postgres/log.ts'
import { type TransactOptions, onCommit, transact, withCommit } from './transaction.ts'

const logged: string[] = []
const remember = (_fields: object, message: string) => void logged.push(message)
const base = await openTestDatabase({ empty: true, log: { info: remember, warn: remember, error: remember } })

beforeAll(async () => {
  await sql`create table shelf (id int primary key, n bigint not null)`.execute(base.db)
})
beforeEach(async () => {
  logged.length = 0
  await sql`truncate shelf`.execute(base.db)
  await sql`insert into shelf values (1, 0), (2, 0)`.execute(base.db)
})

const add = (trx: Trx, id: number) => sql`update shelf set n = n + 1 where id = ${id}`.execute(trx)
const total = async () =>
  (await sql<{ n: string }>`select sum(n)::text n from shelf`.execute(base.db)).rows[0]?.n

/** Resolves for both once two callers have arrived; later callers pass at once. */
const meeting = () => {
  let arrived = 0
  let open: () => void = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  return () => {
    arrived += 1
    if (arrived === 2) open()
    return gate
  }
}

test('two transactions that lock each other out both succeed in the end', async () => {
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
  expect(await total()).toBe('4')
  expect(runs).toBe(3)
})

test('only a transaction that says so may be answered before it lies on the disk, and the next one not', async () => {
  // The server of the tests promises nothing by itself; this one connection does, as a shop's do.
  const url = new URL(base.url)
  url.searchParams.set('options', '-c synchronous_commit=on')
  const own = openDatabase({ url: url.href, max: 1, log: silentLog, applicationName: 'durable' })
  const setting = (options?: TransactOptions) =>
    transact(
      own.db,
      async (trx) =>
        (await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(trx)).rows[0]
          ?.synchronous_commit,
      options,
    )
  const shown = [await setting(), await setting({ durable: false }), await setting()]
  await own.close()
  expect(shown).toEqual(['on', 'off', 'on'])
})

test('a serialization failure is repeated', async () => {
  const bothHaveRead = meeting()
  const countUp = () =>
    transact(
      base.db,
      async (trx) => {
        const found = await sql<{ n: number }>`select n from shelf where id = 1`.execute(trx)
        await bothHaveRead()
        await sql`update shelf set n = ${(found.rows[0]?.n ?? 0) + 1} where id = 1`.execute(trx)
      },
      { isolation: 'repeatable read' },
    )
  await Promise.all([countUp(), countUp()])
  expect(await total()).toBe('2')
})

test('a deadlock that never ends is given up after three repetitions', async () => {
  let runs = 0
  const attempt = transact(base.db, async (trx) => {
    runs += 1
    await sql`do $$ begin raise exception using errcode = '40P01'; end $$`.execute(trx)
  })
  await expect(attempt).rejects.toMatchObject({ code: '40P01' })
  expect(runs).toBe(4)
})

test('any other error rolls back at once', async () => {
  let runs = 0
  const attempt = transact(base.db, async (trx) => {
    runs += 1
    await add(trx, 1)
    throw new Error('changed my mind')
  })
  await expect(attempt).rejects.toThrow('changed my mind')
  expect(runs).toBe(1)
  expect(await total()).toBe('0')
})

test('a hook runs once, after the commit, and sees its work', async () => {
  const seen: unknown[] = []
  let runs = 0
  await transact(base.db, async (trx) => {
    runs += 1
    await add(trx, 1)
    onCommit(trx, async () => void seen.push(await total()))
    if (runs === 1) await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(trx)
    expect(seen).toEqual([])
  })
  expect(runs).toBe(2)
  expect(seen).toEqual(['1'])
})

test('no hook runs after a rollback, not even when the commit itself fails', async () => {
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

test('a transaction that was never begun is not told as done, nor as undone', async () => {
  // What a cancel from outside does to BEGIN; no text of ours is refused by itself.
  const nonsense = { isolation: 'nonsense' as 'serializable' }
  const error = await transact(base.db, (trx) => add(trx, 1), nonsense).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ message: 'a transaction was never begun', code: '08007' })
  // It ran by itself, so whoever would run it once more would do it twice.
  expect(databaseTrouble(error)).toBe('down')
  expect(await total()).toBe('1')
})

test('a connection whose COMMIT never came to be serves the next one as if nothing had been', async () => {
  const own = openDatabase({ url: base.url, max: 1, log: silentLog, applicationName: 'cancelled' })
  // A cancel that meets COMMIT before it begins leaves the transaction failed and open, as this does.
  onStatements(({ text, send }) => send(text === 'commit' ? 'commit now or never' : undefined))
  try {
    await expect(transact(own.db, (trx) => add(trx, 1))).rejects.toMatchObject({ code: '42601' })
  } finally {
    vi.restoreAllMocks()
  }
  await sql`update shelf set n = n + 10 where id = 2`.execute(own.db)
  await own.close()
  expect(await total()).toBe('10')
})

test('a hook that fails is logged and the committed result still comes back', async () => {
  const seen: string[] = []
  const result = await transact(base.db, async (trx) => {
    await add(trx, 1)
    onCommit(trx, () => {
      throw new Error('mail is down')
    })
    onCommit(trx, () => void seen.push('the next one'))
    return 'sold'
  })
  expect(result).toBe('sold')
  expect(seen).toEqual(['the next one'])
  expect(logged).toContain('a step after a commit failed')
})

test('a lock that is not given in time is reported as busy', async () => {
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let locked: () => void = () => {}
  const isLocked = new Promise<void>((resolve) => (locked = resolve))
  const holder = transact(base.db, async (trx) => {
    await add(trx, 1)
    locked()
    await held
  })
  await isLocked
  // The three seconds of a shop (database.db.test.ts) would be waited for.
  const error = await transact(base.db, async (trx) => {
    await sql`set local lock_timeout = '50ms'`.execute(trx)
    await add(trx, 1)
  }).catch((reason: unknown) => reason)
  release()
  await holder
  expect(databaseTrouble(error)).toBe('busy')
})

test('onCommit outside a transaction is refused', () => {
  expect(() => onCommit(base.db as unknown as Trx, () => {})).toThrow('transact()')
})

test('statements that are executed together are sent together, before the first is answered', async () => {
  const sent = vi.spyOn(PreparingClient.prototype, 'query')
  const lock = sql`select pg_advisory_xact_lock(4711)`
  await transact(base.db, async (holder) => {
    await lock.execute(holder)
    sent.mockClear()
    const waiting = transact(base.db, async (trx) => {
      await Promise.all([lock.execute(trx), add(trx, 1)])
    })
    await expect
      .poll(() => sent.mock.calls.map(([text]) => text))
      .toContainEqual(expect.stringMatching('update'))
    void waiting
  })
  await expect.poll(total).toBe('1')
  sent.mockRestore()
})

test('the last statements travel with the commit, and their answer is the result', async () => {
  const counted = await transact(base.db, async (trx) =>
    withCommit(Promise.all([add(trx, 1), add(trx, 2)]).then((done) => done.length)),
  )
  expect(counted).toBe(2)
  expect(await total()).toBe('2')
})

test('of last statements that fail nothing stays, whether the server refuses them or they cannot be sent', async () => {
  const refused = sql`insert into shelf values (1, 0)`
  const unsendable = sql`update shelf set n = ${{
    toPostgres: () => {
      throw new Error('cannot be written')
    },
  }}`
  for (const [last, why] of [
    [refused, /duplicate key/],
    [unsendable, /cannot be written/],
  ] as const) {
    const failing = transact(base.db, async (trx) =>
      withCommit(Promise.all([add(trx, 1), last.execute(trx)])),
    )
    await expect(failing).rejects.toThrow(why)
    expect(await total()).toBe('0')
  }
  // The connection serves on.
  await transact(base.db, (trx) => add(trx, 1))
  expect(await total()).toBe('1')
})

test('a statement that comes after the end of its transaction is refused', async () => {
  let late: Trx | undefined
  await transact(base.db, async (trx) => void (late = trx))
  await expect(add(late as Trx, 1)).rejects.toThrow('after the end')
})

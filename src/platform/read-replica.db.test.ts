import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, afterAll, expect, onTestFinished, test } from 'vitest'
import { hasPgbouncer, describePooler } from '../../tools/testbed/pgbouncer.ts'
import { type Replicated, replicatedDatabase } from '../../test/support/replicated.ts'
import { testDatabase } from '../../test/support/database.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { databaseClient } from './database-client.ts'
import type { ReadDatabase } from './database.ts'
import { createMetrics } from './metrics.ts'
import type { PlatformLog } from './postgres/log.ts'
import type { Reading, ReadReplica } from './read-replica.ts'
import { transact } from './transaction.ts'

/** A standby is told of after a second and not read after three. */
const LIMITS = { told: 1_000, far: 3_000 }

let servers: Replicated
beforeAll(async () => {
  servers = await replicatedDatabase(LIMITS)
  await servers.database.pool.query('CREATE TABLE marks (mark text NOT NULL)')
}, 120_000)
afterAll(() => servers.database.close())

const mark = (text: string) => servers.database.pool.query('INSERT INTO marks VALUES ($1)', [text])

const marks = async (db: ReadDatabase): Promise<string[]> => {
  const { rows } = await sql<{ mark: string }>`SELECT mark FROM marks WHERE mark LIKE ${'%'}`.execute(db)
  return rows.map((row) => row.mark)
}

/** A replica with what it logs, and a reader of it with what it read. */
function replicaAt(url = servers.standby.urlOf(servers.database.url), statementMs?: number) {
  const lines: string[] = []
  const note = (_: object, message?: string) => void lines.push(message ?? '')
  const log: PlatformLog = { info: note, warn: note, error: note }
  const metrics = createMetrics()
  const replica = servers.replicaAt(url, {
    log,
    metrics,
    ...(statementMs !== undefined && { statementMs }),
  })
  const read: Reading[] = []
  const db = replica.reader({ onRead: (reading) => read.push(reading) })
  const figure = async (name: string) =>
    (await metrics.registry.getMetricsAsJSON()).find((one) => one.name === name)?.values ?? []
  return { replica, db, read, lines, figure }
}

/** Looks until it is so. */
async function until(replica: ReadReplica, state: ReturnType<ReadReplica['view']>['state']) {
  for (let turn = 0; turn < 100 && (await replica.look()).state !== state; turn += 1) await sleep(100)
  expect(replica.view().state).toBe(state)
}

test('what is read comes from the standby, with its age, and says so by the figures', async () => {
  await mark('one')
  await servers.standby.catchUp()
  const { replica, db, read, figure } = replicaAt()
  // Nothing is known of it yet.
  expect(await marks(db)).toContain('one')
  expect(read).toEqual([{ from: undefined, reached: undefined }])
  await until(replica, 'follows')

  await servers.standby.pause()
  onTestFinished(() => servers.standby.resume())
  await mark('two')
  const before = Date.now()
  expect(await marks(db)).not.toContain('two')
  const from = read.at(-1)!.from!
  expect([from > before - 60_000, replica.isTold(from)]).toEqual([true, false])
  // Everything that the standby has seen by then, and no more.
  await sleep(LIMITS.told + 500)
  await replica.look()
  expect(await marks(db)).not.toContain('two')
  expect([read.at(-1)!.from, replica.isTold(read.at(-1)!.from)]).toEqual([expect.any(Number), true])
  expect(replica.view().behind).toBeGreaterThan(LIMITS.told)
  expect(await figure('volant_reads_total')).toEqual([
    { labels: { server: 'primary' }, value: 1 },
    { labels: { server: 'replica' }, value: 2 },
  ])
  expect((await figure('volant_replica_behind_seconds'))[0]?.value).toBeGreaterThan(1)
  expect((await figure('volant_replica_in_use'))[0]?.value).toBe(1)

  await servers.standby.resume()
  await servers.standby.catchUp()
  await replica.look()
  expect(await marks(db)).toContain('two')
  expect(replica.isTold(read.at(-1)!.from)).toBe(false)
})

test('a primary at rest makes no standby old, and a broken connection does once it writes', async () => {
  await servers.standby.catchUp()
  const { replica, db, read } = replicaAt()
  await until(replica, 'follows')
  // Nothing is written for longer than is told of.
  await sleep(LIMITS.told + 1_000)
  await replica.look()
  await marks(db)
  expect(replica.isTold(read.at(-1)!.from)).toBe(false)

  // The standby has replayed all that it has received.
  await servers.standby.cutOff()
  onTestFinished(() => servers.standby.reconnect())
  await mark('unseen')
  await sleep(LIMITS.told + 1_000)
  await replica.look()
  expect(await marks(db)).not.toContain('unseen')
  expect(replica.isTold(read.at(-1)!.from)).toBe(true)
  await servers.standby.reconnect()
  await servers.standby.catchUp()
})

test('a standby that is too far behind is not read until it is near again', async () => {
  const { replica, db, read, lines } = replicaAt()
  await until(replica, 'follows')
  await servers.standby.pause()
  onTestFinished(() => servers.standby.resume())
  await mark('far')
  for (let seconds = 0; seconds < LIMITS.far / 1_000 + 1; seconds += 1) {
    await sleep(1_000)
    await replica.look()
  }
  expect(replica.view()).toMatchObject({ state: 'behind' })
  expect(await marks(db)).toContain('far')
  expect(read.at(-1)!.from).toBeUndefined()
  await servers.standby.resume()
  await servers.standby.catchUp()
  await until(replica, 'follows')
  expect(lines).toEqual([
    'the read replica is read',
    'the read replica is too far behind the primary: the primary answers lists, reports and public pages',
    'the read replica is read',
  ])
}, 60_000)

test('whoever has changed something reads from the primary until the standby has it', async () => {
  const { replica } = replicaAt()
  await until(replica, 'follows')
  await servers.standby.pause()
  onTestFinished(() => servers.standby.resume())
  await mark('own')
  const least = await replica.written()
  const read: Reading[] = []
  const own = replica.reader({ least, onRead: (reading) => read.push(reading) })
  const other = replica.reader({ onRead: () => undefined })
  expect([await marks(own), await marks(other)]).toEqual([
    expect.arrayContaining(['own']),
    expect.not.arrayContaining(['own']),
  ])
  expect(read.at(-1)!.from).toBeUndefined()
  await servers.standby.resume()
  await servers.standby.catchUp()
  await replica.look()
  expect(await marks(own)).toContain('own')
  expect(read.at(-1)!.from).toBeGreaterThan(0)
})

test('nothing can be changed through it: not by its type, and not at the standby or the primary', async () => {
  const { replica, db } = replicaAt()
  const count = async () => (await servers.database.pool.query('SELECT count(*) FROM marks')).rows[0]
  const before = await count()
  const planted = () => sql`INSERT INTO marks VALUES ('planted')`.execute(db)
  const locking = () => db.selectFrom('offers').select('id').forUpdate().execute()
  for (const state of ['away', 'follows'] as const) {
    if (state === 'follows') await until(replica, state)
    await expect(planted()).rejects.toMatchObject({ code: '25006' })
    await expect(locking()).rejects.toMatchObject({ code: '25006' })
    expect([state, replica.view().state]).toEqual([state, state])
  }
  expect(await count()).toEqual(before)
  const types = {
    // @ts-expect-error -- because it has no changes
    insert: db.insertInto,
    // @ts-expect-error -- because it has no transactions
    transaction: db.transaction,
    // @ts-expect-error -- because what changes something asks for a Database
    change: (): Promise<void> => transact(db, async () => undefined),
  }
  expect(Object.keys(types)).toEqual(['insert', 'transaction', 'change'])
})

test('a statement that the standby refuses goes to the primary, and a slow one to nobody', async () => {
  const { replica, db, read, lines } = replicaAt()
  await until(replica, 'follows')
  await servers.standby.pause()
  onTestFinished(() => servers.standby.resume())
  await servers.database.pool.query(
    'CREATE TABLE IF NOT EXISTS newer (one int); TRUNCATE newer; INSERT INTO newer VALUES (1)',
  )
  const { rows } = await sql`SELECT one FROM newer`.execute(db)
  expect([rows, read.at(-1)!.from]).toEqual([[{ one: 1 }], undefined])
  expect(lines.at(-1)).toBe('the read replica refused a statement: the primary answers it')
  // Refused by both.
  await expect(sql`SELECT 1 / 0`.execute(db)).rejects.toMatchObject({ code: '22012' })
  expect(replica.view().state).toBe('follows')

  const { replica: patient, db: hurried, figure } = replicaAt(undefined, 200)
  await until(patient, 'follows')
  await expect(sql`SELECT pg_sleep(30)`.execute(hurried)).rejects.toMatchObject({ code: '57014' })
  expect([patient.view().state, await figure('volant_reads_total')]).toEqual(['follows', []])
})

test('a server that is no standby, or one of another primary or database, is not read', async () => {
  const other = await testDatabase()
  onTestFinished(() => other.close())
  const admin = replicaAt(servers.standby.urlOf(servers.server.adminUrl))
  const itself = replicaAt(servers.database.url)
  const foreign = replicaAt(other.url)
  for (const [{ replica, db, read }, state] of [
    [itself, 'writes'],
    [foreign, 'writes'],
    [admin, 'foreign'],
  ] as const) {
    expect((await replica.look()).state).toBe(state)
    await marks(db)
    expect(read).toEqual([{ from: undefined, reached: expect.any(Number) as number }])
  }
  const second = await replicatedDatabase(LIMITS)
  onTestFinished(() => second.database.close())
  const strange = replicaAt(second.standby.urlOf(second.database.url))
  expect((await strange.replica.look()).state).toBe('foreign')
}, 60_000)

test('a standby that takes over is not read, and another one is looked for', async () => {
  const { database, standby, replicaAt: at } = await replicatedDatabase(LIMITS)
  onTestFinished(() => database.close())
  const both = new URL(standby.urlOf(database.url))
  const folders = [database.url, standby.urlOf(database.url)].map((url) => databaseClient(url).host)
  both.searchParams.set('host', folders.join(','))
  both.searchParams.set('target_session_attrs', 'standby')
  const replicas = [at(standby.urlOf(database.url)), at(both.href)]
  await standby.catchUp()
  for (const replica of replicas) await until(replica, 'follows')
  await standby.promote()
  const [single, several] = replicas
  await until(single!, 'writes')
  await until(several!, 'away')
  expect(several!.view().reason).toMatch(/not of the kind that the address asks for/)
  const read: Reading[] = []
  const { rows } = await sql`SELECT 1 AS one`.execute(
    single!.reader({ onRead: (reading) => read.push(reading) }),
  )
  expect([rows, read]).toEqual([[{ one: 1 }], [{ from: undefined, reached: expect.any(Number) as number }]])
}, 60_000)

test('a standby that dies makes nobody wait, and is read again once it is back', async () => {
  const { replica, db, read, lines } = replicaAt()
  await until(replica, 'follows')
  await marks(db)
  expect(read.at(-1)!.from).toBeDefined()
  const asleep = sql<{ one: number }>`SELECT 1 AS one FROM (SELECT pg_sleep(1)) AS slept`.execute(db)
  await sleep(300)
  await servers.standby.kill()
  // What was under way as well.
  expect((await asleep).rows).toEqual([{ one: 1 }])
  expect(await marks(db)).toContain('one')
  expect((await replica.look()).state).toBe('away')
  expect(read.at(-1)!.from).toBeUndefined()
  await servers.standby.start()
  await until(replica, 'follows')
  await marks(db)
  expect(read.at(-1)!.from).toBeDefined()
  expect(lines.filter((line) => !line.startsWith('an idle'))).toEqual([
    'the read replica is read',
    'the read replica does not answer: the primary answers lists, reports and public pages',
    'the read replica is read',
  ])
}, 60_000)

test('a standby that hangs is given up, also by what waits for it', async () => {
  const { host } = databaseClient(servers.standby.urlOf(servers.database.url))
  let isHanging = false
  const open = new Set<net.Socket>()
  const relay = net.createServer((client) => {
    open.add(client)
    const upstream = net.connect(path.join(host, '.s.PGSQL.5432'))
    for (const one of [client, upstream]) one.on('error', () => {})
    client.on('close', () => upstream.destroy())
    client.on('data', (part) => (isHanging ? undefined : upstream.write(part)))
    upstream.on('data', (part) => (isHanging ? undefined : client.write(part)))
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    relay.close()
    // What hangs would be waited for when the file ends.
    for (const one of open) one.destroy()
  })
  const { port } = relay.address() as net.AddressInfo
  const { replica, db, read } = replicaAt(`postgres://volant@127.0.0.1:${port}/volant`)
  await until(replica, 'follows')
  isHanging = true
  const waiting = marks(db)
  expect((await replica.look()).state).toBe('away')
  expect(await waiting).toContain('one')
  expect(await marks(db)).toContain('one')
  expect(read.map(({ from }) => from)).toEqual([undefined, undefined])
}, 30_000)

test.runIf(hasPgbouncer())(
  'a pooler in transaction mode leads to the standby, too',
  async () => {
    const pooler = await describePooler({
      url: servers.standby.urlOf(servers.database.url),
      folder: temporaryFolder('volant-pooler-', 'test'),
      mode: 'transaction',
      size: 2,
    })
    await pooler.start()
    onTestFinished(() => pooler.kill())
    const { replica, db, read } = replicaAt(pooler.urlOf(servers.database.url))
    await until(replica, 'follows')
    await Promise.all(Array.from({ length: 30 }, () => marks(db)))
    expect(read.every(({ from }) => from !== undefined)).toBe(true)
    await expect(sql`DELETE FROM marks`.execute(db)).rejects.toMatchObject({ code: '25006' })
  },
  60_000,
)

import net from 'node:net'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../test/support/database.ts'
import { databaseClient } from './database-client.ts'
import { openDatabase } from './database.ts'
import { silentLog } from './postgres/log.ts'

const HEAD_BYTES = 8
const TIMEOUT = /^(?:statement|lock|idle_in_transaction_session)_timeout$/

/** Parameters of a new connection, as the protocol sends them, without those that a pooler does not know. */
function withoutTimeouts(startup: Buffer): Buffer {
  const words = startup.subarray(HEAD_BYTES).toString().split('\0')
  const kept = words.filter((_word, index) => !TIMEOUT.test(words[index - (index % 2)] ?? ''))
  const body = Buffer.from(kept.join('\0'))
  const head = Buffer.from(startup.subarray(0, HEAD_BYTES))
  head.writeUInt32BE(HEAD_BYTES + body.length)
  return Buffer.concat([head, body])
}

/** An error of the protocol, with PgBouncer's words. */
function refusal(words: string): Buffer {
  const body = Buffer.from(`SFATAL\0C08P01\0M${words}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Stands between a shop and its PostgreSQL, and treats new connections as a pooler does. @returns its address */
async function likePooler(url: string, way: 'refuses' | 'ignores'): Promise<string> {
  const { host, database } = databaseClient(url)
  const server = net.createServer((client) => {
    client.on('error', () => {})
    client.once('data', (startup) => {
      const asked = withoutTimeouts(startup)
      if (way === 'refuses' && asked.length < startup.length)
        return client.end(refusal('unsupported startup parameter: statement_timeout'))
      const upstream = net.connect(path.join(host, '.s.PGSQL.5432'))
      upstream.on('error', () => client.destroy())
      upstream.write(asked)
      client.pipe(upstream).pipe(client)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  return `postgres://volant@127.0.0.1:${port}/${database}`
}

const TIMEOUTS = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
  current_setting('idle_in_transaction_session_timeout') AS idle,
  (SELECT count(*)::int FROM pg_prepared_statements) AS prepared`

function open(url: string) {
  const told: string[] = []
  const log = { ...silentLog, info: (_fields: object, words: string) => void told.push(words) }
  const database = openDatabase({ url, max: 1, log, applicationName: 'sessions' })
  onTestFinished(() => database.close())
  const ask = async () => (await sql`${sql.raw(TIMEOUTS)} WHERE ${1}::int = 1`.execute(database.db)).rows[0]
  return { ...database, ask, told }
}

const LIMITS = { statement: '15s', lock: '3s', idle: '1min' }
const TOLD = [expect.stringContaining('a pooler shares the sessions')]

test('PostgreSQL itself keeps prepared statements and the timeouts of a session', async () => {
  const { ask, told } = open((await testDatabase()).url)
  for (let turn = 0; turn < 4; turn += 1) await ask()
  expect(await ask()).toEqual({ ...LIMITS, prepared: 1 })
  expect(told).toEqual([])
})

test.each(['refuses', 'ignores'] as const)('what %s timeouts of a session is a pooler', async (way) => {
  const { ask, told, pool } = open(await likePooler((await testDatabase()).url, way))
  for (let turn = 0; turn < 4; turn += 1) await ask()
  expect(await ask()).toEqual({ ...LIMITS, prepared: 0 })
  expect(told).toEqual(TOLD)
  // The pool sends a text as it is.
  expect((await pool.query(TIMEOUTS)).rows).toEqual([
    { statement: '0', lock: '0', idle: '1min', prepared: 0 },
  ])
})

test('a pooler that comes later is noticed by a statement that its session does not know', async () => {
  const { ask, told, pool } = open((await testDatabase()).url)
  for (let turn = 0; turn < 4; turn += 1) await ask()
  await pool.query('DEALLOCATE ALL; SET statement_timeout = 0; SET lock_timeout = 0')
  await ask()
  expect(told).toEqual(TOLD)
  expect(await ask()).toEqual({ ...LIMITS, prepared: 0 })
})

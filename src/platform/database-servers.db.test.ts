import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import tls from 'node:tls'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { startFault } from '#server/start-faults.ts'
import { testDatabase } from '../../test/support/database.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { databaseClient } from './database-client.ts'
import { databaseTrouble } from './database-errors.ts'
import { type Database, openDatabase } from './database.ts'
import { silentLog } from './postgres/log.ts'
import { startThrowAwayPostgres } from './postgres/throw-away.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')

function open(url: string, max = 1) {
  const database = openDatabase({ url, max, log: silentLog, applicationName: 'servers' })
  onTestFinished(() => database.close())
  return database
}

/** A PostgreSQL of its own, which may become one that takes no writes, as a former primary does. */
async function startServer() {
  const server = await startThrowAwayPostgres({ projectDir, log: silentLog })
  onTestFinished(() => server.stop())
  const run = async (statement: string): Promise<void> => {
    const client = databaseClient(server.url)
    await client.connect()
    // A former primary is made one again.
    await client.query(`begin read write; ${statement}; commit`)
    await client.end()
  }
  const folder = databaseClient(server.url).host
  await run(`create table place as select '${folder}' as folder`)
  return {
    folder,
    become: (kind: 'primary' | 'standby') =>
      run(`alter role volant set default_transaction_read_only = ${kind === 'standby' ? 'on' : 'off'}`),
  }
}

const addressOf = (folders: readonly string[], more = ''): string =>
  `postgres://volant@localhost/volant?host=${encodeURIComponent(folders.join(','))}${more}`

const place = async (db: Database): Promise<string | undefined> =>
  (await sql<{ folder: string }>`select folder from place`.execute(db)).rows[0]?.folder

test('connections follow the one of several servers that takes writes', async () => {
  const [one, other] = await Promise.all([startServer(), startServer()])
  const both = [one.folder, other.folder]
  await other.become('standby')
  const { db, pool } = open(addressOf(both), 2)
  const closeAll = async () => {
    const clients = await Promise.all([pool.connect(), pool.connect()])
    for (const client of clients) client.release(true)
  }
  expect(await place(db)).toBe(one.folder)

  // A failover, after which the former primary responds again, as a standby.
  await closeAll()
  await Promise.all([one.become('standby'), other.become('primary')])
  const refused = await place(db).catch((error: unknown) => error)
  expect(databaseTrouble(refused)).toBe('down')
  expect(await place(db)).toBe(other.folder)
  await sql`create table written (n int)`.execute(db)

  // Nobody takes writes, and then the first one again.
  await closeAll()
  await other.become('standby')
  for (let turn = 0; turn < 2; turn += 1)
    await expect(place(db)).rejects.toThrow(/not of the kind that the address asks for/)
  await one.become('primary')
  expect(await place(db)).toBe(one.folder)

  expect(await place(open(addressOf(both, '&target_session_attrs=standby')).db)).toBe(other.folder)
})

test('a single server is held against the kind that the address asks for, if it asks', async () => {
  const server = await startServer()
  const outcomeOf = (target: string) =>
    place(open(addressOf([server.folder], target && `&target_session_attrs=${target}`)).db).catch(
      (error: unknown) => databaseTrouble(error),
    )
  const fits = { primary: ['', 'any', 'primary', 'read-write'], standby: ['', 'any', 'standby', 'read-only'] }
  for (const kind of ['primary', 'standby'] as const) {
    await server.become(kind)
    for (const target of new Set([...fits.primary, ...fits.standby]))
      expect([kind, target, await outcomeOf(target)]).toEqual([
        kind,
        target,
        fits[kind].includes(target) ? server.folder : 'down',
      ])
  }
})

test('a server that vanishes without a word is given up, except in a transaction that takes its time', async () => {
  const { url } = await testDatabase()
  const { host, database } = databaseClient(url)
  let isGone = false
  const server = net.createServer((client) => {
    const upstream = net.connect(path.join(host, '.s.PGSQL.5432'))
    for (const one of [client, upstream]) one.on('error', () => {})
    client.on('close', () => upstream.destroy())
    client.on('data', (part) => (isGone ? undefined : upstream.write(part)))
    upstream.on('data', (part) => (isGone ? undefined : client.write(part)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  const own = openDatabase({
    url: `postgres://volant@127.0.0.1:${port}/${database}`,
    max: 1,
    log: silentLog,
    applicationName: 'servers',
    statementMs: 1_000,
    answerMarginMs: 1_000,
  })
  onTestFinished(() => own.close())
  const { db } = own
  const slept = await db.transaction().execute(async (trx) => {
    await sql`select set_config('statement_timeout', ${'60000'}, true)`.execute(trx)
    return (await sql<{ one: number }>`select 1 as one from pg_sleep(3)`.execute(trx)).rows
  })
  expect(slept).toEqual([{ one: 1 }])

  isGone = true
  const asked = [sql`select 1`, sql`select ${1}::int`].map((one) =>
    one.execute(db).catch((error: unknown) => error),
  )
  for (const error of await Promise.all(asked)) expect(databaseTrouble(error)).toBe('down')
  isGone = false
  // The connection that was given up may still be handed out once.
  const responded = () => sql<{ one: number }>`select 1 as one`.execute(db)
  expect((await responded().catch(responded)).rows).toEqual([{ one: 1 }])
})

interface Authority {
  /** Its own certificate, which clients trust. */
  file: string
  key: string
  cert: string
}

/** An authority and a certificate of it for this machine, or for another one. */
function authority(name: string, host = 'DNS:localhost,IP:127.0.0.1'): Authority {
  const folder = temporaryFolder()
  const file = (end: string): string => path.join(folder, end)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const fresh = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(...fresh, '-subj', `/CN=${name}`, '-keyout', file('ca.key'), '-out', file('ca.pem'))
  const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-addext', `subjectAltName=${host}`]
  openssl(...fresh, '-subj', '/CN=server', ...signed, '-keyout', file('key.pem'), '-out', file('cert.pem'))
  return {
    file: file('ca.pem'),
    key: readFileSync(file('key.pem'), 'utf8'),
    cert: readFileSync(file('cert.pem'), 'utf8'),
  }
}

/** Stands in front of a PostgreSQL and speaks TLS with clients, as its `ssl = on` does. @returns host and port */
async function withTls(url: string, { key, cert }: Authority): Promise<string> {
  const { host } = databaseClient(url)
  const server = net.createServer((client) => {
    client.on('error', () => {})
    client.once('data', () => {
      client.write('S')
      const secure = new tls.TLSSocket(client, { isServer: true, key, cert })
      const upstream = net.connect(path.join(host, '.s.PGSQL.5432'))
      secure.on('error', () => upstream.destroy())
      upstream.on('error', () => secure.destroy())
      secure.pipe(upstream).pipe(secure)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as net.AddressInfo).port}`
}

test('a certificate is checked with the authority that the address names, of each server', async () => {
  const { url } = await testDatabase()
  const { database } = databaseClient(url)
  const [ours, stranger, elsewhere] = [
    authority('ours'),
    authority('stranger'),
    authority('elsewhere', 'DNS:db.example'),
  ]
  const [good, foreign, misnamed] = await Promise.all(
    [ours, stranger, elsewhere].map((one) => withTls(url, one)),
  )
  const outcomeOf = async (hosts: string, file: string | undefined, mode = 'verify-full') => {
    const databaseUrl = `postgres://volant@${hosts}/${database}?sslmode=${mode}${file ? `&sslrootcert=${file}` : ''}`
    const asked = sql<{ one: number }>`select 1 as one`.execute(open(databaseUrl).db)
    const places = { databaseUrl, dataDir: '/srv/data', host: '', port: 0 }
    return asked.then(
      ({ rows }) => rows[0]?.one,
      (error: unknown) => startFault(error, places),
    )
  }
  const insecure = (hosts: string) =>
    expect.stringContaining(`DATABASE_URL: no secure connection to the PostgreSQL server at ${hosts}`)
  expect(await outcomeOf(good!, ours.file)).toBe(1)
  expect(await outcomeOf(good!, stranger.file)).toEqual(insecure(good!))
  expect(await outcomeOf(good!, undefined)).toEqual(insecure(good!))
  expect(await outcomeOf(misnamed!, elsewhere.file)).toEqual(insecure(misnamed!))
  expect(await outcomeOf(good!, '/no/such/ca.pem')).toEqual(
    expect.stringContaining('a file that the address names cannot be read'),
  )
  // One that nobody may trust is never asked, and one that is away is passed over.
  expect(await outcomeOf(`${foreign},${good}`, ours.file)).toBe(1)
  expect(await outcomeOf(`127.0.0.1:1,${good}`, ours.file)).toBe(1)
  expect(await outcomeOf(`${foreign},${foreign}`, ours.file)).toEqual(insecure(`${foreign}, ${foreign}`))
})

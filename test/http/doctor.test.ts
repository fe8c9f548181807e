import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { type RequestListener, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { createServer as createTlsServer } from 'node:tls'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { Client } from 'pg'
import { SMTPServer } from 'smtp-server'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { logKeyOf } from '#features/draws/server/index.ts'
import { noteBackupRun } from '#platform/backups.ts'
import { openDatabase } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { paypalClient } from '#platform/payment/paypal/paypal-client.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { readConfig } from '#server/config.ts'
import {
  backupCheck,
  clockCheck,
  connectionsCheck,
  databaseAhead,
  databaseCheck,
  logKeyCheck,
  poolerCheck,
  secretKeyCheck,
  webAhead,
  withTables,
} from '#server/doctor/database.ts'
import { examine, told } from '#server/doctor/doctor.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { markAsDemonstration } from '../../db/demo/demo.repository.ts'
import { enqueueEmail } from '#features/emails/server/index.ts'
import { type Check, ok } from '#server/doctor/findings.ts'
import { dataDirCheck, demoValuesCheck } from '#server/doctor/machine.ts'
import { mailServerCheck, providerCheck, webhookCheck } from '#server/doctor/partners.ts'
import { addressRoute, certificateCheck, judge, proxyCheck } from '#server/doctor/public-address.ts'
import { CHECKS, type CheckName } from '#features/system/system.contract.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { describePooler, hasPgbouncer } from '../../tools/testbed/pgbouncer.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { testDatabase } from '../support/database.ts'
import { startMailServer } from '../support/mail-server.ts'
import { testShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const post = await startMailServer()
const shop = await testShop({ env: { SMTP_URL: post.url } })
/** Behind a proxy, with a mail server that is away. */
const other = await testShop({
  env: { TRUST_PROXY: '1', SMTP_URL: `smtp://127.0.0.1:${await freePort()}` },
})
afterAll(async () => {
  await shop.close()
  await other.close()
  await post.close()
})
const run = async (text: string, values: readonly unknown[] = []) =>
  (await shop.pool.query(text, [...values])).rows

/** `state: says` of a check, which has a whole sentence in each language. */
async function found(check: CheckName, run: Check): Promise<string> {
  const [finding] = await examine({ [check]: run })
  for (const language of LANGUAGES) {
    const { title, text } = told(finding!, language)
    expect(title, language).not.toBe('')
    expect(text, language).toMatch(/^[^{}]{10,}$/s)
  }
  return `${finding!.state}: ${finding!.says}`
}

async function listening(respond: RequestListener): Promise<string> {
  const server = createServer(respond)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a mail server: a login, a wrong one, a wrong port, no TLS, a refusal', async () => {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'shop' }) : done(new Error('who are you')),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  server.on('error', () => {})
  const { port } = server.server.address() as AddressInfo
  const check = (login: string, at: number = port, demo = true) =>
    found('mailServer', mailServerCheck({ smtpUrl: `smtp://${login}127.0.0.1:${at}`, demo }))
  expect(await check('shop:right@')).toBe('ok: takes')
  expect(await check('shop:wrong@')).toBe('fault: login')
  expect(await check('shop:right@', await freePort())).toBe('fault: unreachable')
  expect(await check('shop:right@', port, false)).toBe('fault: tls')
  expect(await found('mailServer', mailServerCheck({ smtpUrl: undefined, demo: true }))).toBe('skipped: none')
})

describe('PayPal', () => {
  const settings = {
    baseUrl: shop.config.paypalBaseUrl,
    clientId: shop.config.paypalClientId,
    clientSecret: shop.config.paypalClientSecret,
    timeoutMs: 5_000,
  }
  const login = (change: Partial<typeof settings>) => {
    const used = { ...settings, ...change }
    return found('provider', providerCheck(paypalClient(used), { paypalBaseUrl: used.baseUrl }))
  }

  test('takes the keys of its app, and no others', async () => {
    expect(await login({})).toBe('ok: knows')
    expect(await login({ clientSecret: 'wrong' })).toBe('fault: refused')
    expect(await login({ baseUrl: `http://127.0.0.1:${await freePort()}` })).toBe('fault: silent')
    expect(await login({ baseUrl: await listening((_, response) => void response.end('<html>')) })).toBe(
      'fault: silent',
    )
  })

  const webhook = (
    change: Partial<typeof settings>,
    id = shop.config.paypalWebhookId,
    publicUrl = shop.config.publicUrl,
  ) => {
    const used = { ...settings, ...change }
    return found(
      'webhook',
      webhookCheck(paypalClient(used), { paypalWebhookId: id, paypalBaseUrl: used.baseUrl, publicUrl }),
    )
  }

  test('sends what the shop has to know to the shop', async () => {
    expect(await webhook({})).toBe('ok: sends')
    expect(await webhook({}, 'WH-ANOTHER')).toBe('fault: unknown')
    expect(await webhook({ clientSecret: 'wrong' })).toBe('fault: refused')
    expect(await webhook({ baseUrl: `http://127.0.0.1:${await freePort()}` })).toBe('fault: silent')
    const responding = (url: string, names: readonly string[]) =>
      listening(({ url: asked }, response) => {
        const token = { access_token: 'x', expires_in: 300 }
        const one = { id: 'WH-1', url, event_types: names.map((name) => ({ name })) }
        if (asked?.endsWith('malformed')) response.statusCode = 400
        response.end(JSON.stringify(asked?.startsWith('/v1/oauth2') ? token : one))
      })
    const all = ['*']
    const own = 'https://shop.example/api/paypal/webhook/'
    const ask = async (url: string, names: readonly string[]) =>
      webhook({ baseUrl: await responding(url, names) }, 'WH-1', 'https://shop.example')
    expect(await ask(own, all)).toBe('ok: sends')
    expect(await ask(own.replace(/\/$/, ''), all)).toBe('ok: sends')
    expect(await ask('https://shop.example/paypal/', all)).toBe('fault: elsewhere')
    expect(await ask(own, ['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.COMPLETED'])).toBe('fault: events')
    expect(await ask(own, [])).toBe('fault: events')
    // Apps differ in the name of a capture that is declined.
    const each = (declined: string) => [
      'CHECKOUT.ORDER.APPROVED',
      ...['COMPLETED', 'PENDING', 'REFUNDED', 'REVERSED', declined].map((name) => `PAYMENT.CAPTURE.${name}`),
      ...['CREATED', 'UPDATED', 'RESOLVED'].map((name) => `CUSTOMER.DISPUTE.${name}`),
    ]
    for (const name of ['DECLINED', 'DENIED']) expect(await ask(own, each(name)), name).toBe('ok: sends')
    expect(await ask(own, each('EXPIRED'))).toBe('fault: events')
    expect(await webhook({ baseUrl: await responding(own, all) }, 'malformed')).toBe('fault: unknown')
  })
})

const hasOpenssl = spawnSync('openssl', ['version']).error === undefined
test.skipIf(!hasOpenssl)('a certificate: trusted or not, of this name, and how long', async () => {
  const folder = temporaryFolder()
  const made = (days: number, host: string) => {
    const [key, cert] = ['key', 'cert'].map((name) => path.join(folder, `${name}-${days}.pem`)) as [
      string,
      string,
    ]
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const about = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-days', String(days)]
    execFileSync('openssl', [...kind, ...about, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  }
  const at = async (days: number, host = 'localhost') => {
    const pair = made(days, host)
    const server = createTlsServer(pair, (socket) => socket.on('error', () => {}))
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    onTestFinished(() => void server.close())
    return { ca: pair.cert, port: (server.address() as AddressInfo).port }
  }
  const check = (port: number, trust: object, host = 'localhost') =>
    found('certificate', certificateCheck({ publicUrl: `https://${host}:${port}` }, trust))
  const [tomorrow, soon, long] = [await at(1), await at(10), await at(400)]
  expect(await check(tomorrow.port, tomorrow)).toBe('fault: ends')
  expect(await check(soon.port, soon)).toBe('warning: soon')
  expect(await check(long.port, long)).toBe('ok: valid')
  // Nobody vouches for it; another one does.
  expect(await check(tomorrow.port, {})).toBe('fault: untrusted')
  expect(await check(long.port, soon)).toBe('fault: untrusted')
  const foreign = await at(300, 'other.example')
  expect(await check(foreign.port, foreign)).toBe('fault: untrusted')
  const later = { ca: tomorrow.ca, now: () => Date.now() + 3 * 86_400_000 }
  expect(await check(tomorrow.port, later)).toBe('fault: over')
  expect(await check(await freePort(), {})).toBe('fault: away')
  expect(await check(shop.port, {}, '127.0.0.1')).toBe('fault: away')
  expect(await found('certificate', certificateCheck({ publicUrl: 'http://localhost' }))).toBe(
    'skipped: plain',
  )
})

describe('the addresses of visitors', () => {
  /** A proxy that appends the caller to X-Forwarded-For, or passes on what came. */
  const proxyTo = (port: number, adds = true) =>
    listening((asked, response) => {
      const came = asked.headers['x-forwarded-for']
      const host = `127.0.0.1:${port}`
      const headers = {
        ...asked.headers,
        host,
        ...(adds && { 'x-forwarded-for': `${String(came)}, 198.51.100.9` }),
      }
      asked.pipe(
        request({ port, host: '127.0.0.1', path: asked.url, method: asked.method, headers }, (got) => {
          response.writeHead(got.statusCode ?? 500, got.headers)
          got.pipe(response)
        }),
      )
    })
  const check = (publicUrl: string, trustProxy: false | number, keys: SecretKeys = shop) =>
    found('proxy', proxyCheck({ publicUrl, trustProxy }, keys))

  test('are asked of the shop itself, behind and without a proxy', async () => {
    const own = shop.config.publicUrl
    expect(await check(own, false)).toBe('ok: direct')
    expect(await check(await proxyTo(shop.port), false)).toBe('fault: untold')
    expect(await check(await proxyTo(other.port), 1)).toBe('ok: proxied')
    expect(await check(other.config.publicUrl, 1)).toBe('fault: forged')
    // A proxy that passes on what came, as if it were the truth.
    expect(await check(await proxyTo(other.port, false), 1)).toBe('fault: forged')
    expect(await check(`http://127.0.0.1:${await freePort()}`, 1)).toBe('warning: away')
    expect(await check(await listening((_, response) => void response.end('hello')), 1)).toMatch(/^warning: /)
    const secret = 'another secret of the tests, long enough'
    expect(await check(own, false, { secret })).toBe('warning: other')
    // While a key is changed, each process accepts what the other makes.
    const process = Fastify()
    onTestFinished(() => process.close())
    await process.register(addressRoute({ secret, previousSecret: shop.secret }))
    expect(await check(await process.listen({ port: 0, host: '127.0.0.1' }), false)).toBe('ok: direct')
  })

  test('are told to nobody else', async () => {
    for (const pass of ['', 'x', 'x'.repeat(43)])
      expect(
        (
          await shop.anonymous('GET', '/api/health/address', undefined, {
            headers: { 'x-volant-doctor': pass },
          })
        ).status,
      ).toBe(404)
  })

  test.each([
    [{ address: '10.0.0.9', forwarded: ['203.0.113.7', '198.51.100.1', '10.0.0.9'] }, 1, 'warning: inner'],
    [{ address: '::ffff:172.20.0.3', forwarded: ['203.0.113.7', '172.20.0.3'] }, 1, 'warning: inner'],
    [{ address: '198.51.100.1', forwarded: ['203.0.113.7', '198.51.100.1', '10.0.0.9'] }, 2, 'ok: proxied'],
    [{ address: '203.0.113.7', forwarded: ['203.0.113.7', '198.51.100.1'] }, 2, 'fault: forged'],
    [{ address: '10.0.0.9', forwarded: ['198.51.100.1'] }, false, 'fault: untold'],
    // TLS ends somewhere, and nobody says who came.
    [{ address: '127.0.0.1', forwarded: ['203.0.113.7'] }, false, 'fault: unheard'],
  ] as const)('%j with %s trusted is %s', async (seen, trusted, expected) => {
    const finding = judge({ ...seen, forwarded: [...seen.forwarded] }, trusted, 'https://shop.example')
    expect(await found('proxy', async () => finding)).toBe(expected)
  })
})

test('the clock: beside the database and beside the web', async () => {
  const by = (seconds: number) => () => Date.now() - seconds * 1_000
  const check = (seconds: number, web = shop.config.paypalBaseUrl) =>
    found(
      'clock',
      clockCheck([
        { name: 'postgres', read: databaseAhead(shop.db, by(seconds)) },
        { name: 'provider', read: webAhead(web, by(seconds)) },
      ]),
    )
  expect(await check(0)).toBe('ok: right')
  for (const seconds of [60, -60, 3_600]) expect(await check(seconds), String(seconds)).toBe('fault: wrong')
  for (const seconds of [5, -5]) expect(await check(seconds), String(seconds)).toBe('warning: off')
  const away = `http://127.0.0.1:${await freePort()}`
  expect(await check(60, away)).toBe('fault: wrong')
  expect(await found('clock', clockCheck([{ name: 'provider', read: webAhead(away) }]))).toBe(
    'warning: unknown',
  )
  // A database on the same machine shows the same wrong time; the web does not.
  const same = { name: 'postgres', read: databaseAhead(shop.db) } as const
  const web = { name: 'provider', read: webAhead(shop.config.paypalBaseUrl, by(60)) } as const
  expect(await found('clock', clockCheck([same, web]))).toBe('fault: wrong')
})

test('the folder: a file in its way, and too little room', async () => {
  const dataDir = temporaryFolder()
  expect(await found('dataDir', dataDirCheck({ dataDir }))).toMatch(/^(ok|warning): /)
  expect(await found('dataDir', dataDirCheck({ dataDir }, Number.MAX_SAFE_INTEGER))).toBe('warning: tight')
  expect(await found('dataDir', dataDirCheck({ dataDir }, 1, Number.MAX_SAFE_INTEGER))).toBe('fault: full')
  const file = path.join(dataDir, 'file')
  writeFileSync(file, '')
  expect(await found('dataDir', dataDirCheck({ dataDir: file }))).toBe('fault: unwritable')
  expect(await found('dataDir', dataDirCheck({ dataDir: path.join(file, 'below') }))).toBe(
    'fault: unwritable',
  )
  // One that the first start would make.
  const later = path.join(dataDir, 'not', 'yet')
  expect(await found('dataDir', dataDirCheck({ dataDir: later }))).toMatch(/^(ok|warning): /)
  expect(readdirSync(dataDir)).toEqual(['file'])
})

test('the database: away, empty, older, newer, without writes, without room', async () => {
  const [{ version }] = await run('SELECT max(version)::int AS version FROM schema_migration')
  const check = (database: typeof shop.db, migration: number = version) =>
    found('database', databaseCheck(database, migration))
  expect(await check(shop.db)).toBe('ok: answers')
  expect(await check(shop.db, version + 1)).toBe('warning: older')
  expect(await check(shop.db, version - 1)).toBe('warning: newer')
  const empty = await testDatabase({ empty: true })
  onTestFinished(() => empty.close())
  expect(await check(empty.db)).toBe('warning: empty')
  const skips = withTables(databaseCheck(empty.db, version), logKeyCheck(empty.db, shop.draws.key))
  expect(await found('logKey', skips)).toBe('skipped: noDatabase')
  const room = withTables(databaseCheck(empty.db, version), connectionsCheck(empty.db, 1), ['away'])
  expect(await found('connections', room)).toBe('ok: enough')
  expect(await check(open('-c default_transaction_read_only=on'))).toBe('fault: readOnly')
  const nowhere = `postgres://nobody@127.0.0.1:${await freePort()}/x`
  expect(await check(open('', nowhere))).toBe('fault: away')
})

/** The same database with other options of its sessions, or another one. */
function open(options: string, address = shop.url) {
  const url = new URL(address)
  if (options) url.searchParams.set('options', options)
  const opened = openDatabase({ url: url.href, max: 2, log: silentLog, applicationName: 'doctor' })
  onTestFinished(() => opened.close())
  return opened.db
}

test('the connections: of server, database and role, as an ordinary role sees them too', async () => {
  const check = (db: typeof shop.db, pool = 1) => found('connections', connectionsCheck(db, pool))
  expect(await check(shop.db)).toBe('ok: enough')
  expect(await check(shop.db, 100_000)).toBe('warning: few')
  const { database } = new Client({ connectionString: shop.url })
  await run(`ALTER DATABASE ${database} CONNECTION LIMIT 3`)
  expect(await check(shop.db)).toBe('fault: none')
  await run(`ALTER DATABASE ${database} CONNECTION LIMIT -1`)
  const admin = new Client({ connectionString: inject('databaseAdminUrl') })
  await admin.connect()
  const plain = `${database}_plain`
  onTestFinished(async () => {
    await admin.query(`DROP ROLE ${plain}`)
    await admin.end()
  })
  await admin.query(`CREATE ROLE ${plain} CONNECTION LIMIT 5`)
  await admin.query(`GRANT ${plain} TO volant`)
  const db = open(`-c role=${plain}`)
  expect(await check(db, 5)).toBe('ok: enough')
  expect(await check(db, 6)).toBe('warning: few')
  await admin.query(`ALTER ROLE ${plain} CONNECTION LIMIT -1`)
  const [finding] = await examine({ connections: connectionsCheck(db, 1) })
  const seen = `SELECT count(*)::int AS used FROM pg_stat_activity WHERE backend_type = 'client backend'`
  const { used } = (await admin.query(seen)).rows[0]
  // Files that run at the same time open and close some.
  expect(Number(finding!.values?.['used'])).toBeGreaterThan(used / 2)
})

describe.skipIf(!hasPgbouncer())('a pooler', () => {
  test('is not there', async () => {
    expect(await found('pooler', poolerCheck(shop.db))).toBe('ok: direct')
  })

  test.each([
    { mode: 'transaction', isIgnoring: true },
    { mode: 'transaction', isIgnoring: false },
    { mode: 'session', isIgnoring: true },
    { mode: 'statement', isIgnoring: true },
  ] as const)(
    'of mode $mode, ignoring settings: $isIgnoring, is at fault if buyers would be',
    async (kind) => {
      const folder = temporaryFolder('volant-pooler-', 'file')
      const pooler = await describePooler({ url: inject('databaseAdminUrl'), folder, ...kind })
      await pooler.start()
      onTestFinished(() => pooler.stop())
      const opened = openDatabase({
        url: pooler.urlOf(shop.url),
        max: 4,
        log: silentLog,
        applicationName: 'doctor',
      })
      onTestFinished(() => opened.close())
      const verdict = await found('pooler', poolerCheck(opened.db))
      const buyers = Array.from({ length: 40 }, (_, at) =>
        transact(opened.db, async (trx) => {
          await sql`SELECT pg_sleep(0.01) WHERE ${at}::int >= 0`.execute(trx)
          return sql`SELECT count(*) FROM offers WHERE id > ${at}`.execute(trx)
        }),
      )
      const failed = (await Promise.allSettled(buyers)).some(({ status }) => status === 'rejected')
      expect(failed).toBe(kind.mode === 'statement')
      expect(verdict).toBe(failed ? 'fault: fails' : 'ok: works')
    },
  )
})

/** Gives the shop a log of draws, as a contest with terms would. */
const addLog = () =>
  run(
    `INSERT INTO draw_logs (id, origin, key) VALUES (0, 'shop.example/register', $1) ON CONFLICT DO NOTHING`,
    [shop.draws.key.verifierKey('shop.example')],
  )

test('the keys: of the logs, and of the authenticators', async () => {
  await addLog()
  expect(await found('logKey', logKeyCheck(shop.db, shop.draws.key))).toBe('ok: fits')
  expect(await found('logKey', logKeyCheck(shop.db, logKeyOf('ab'.repeat(32))))).toBe('fault: other')

  const staff = await shop.newStaff('support')
  await staff.post('/api/staff/self/authenticator/')
  const other = 'another secret of the tests, long enough to sign'
  const check = (secret: string, previousSecret?: string) =>
    found('secretKey', secretKeyCheck(shop.db, { secret, previousSecret }))
  expect(await check(shop.secret)).toBe('ok: fits')
  expect(await check(shop.secret, other)).toBe('warning: previous')
  expect(await check(other, shop.secret)).toBe('warning: renew')
  expect(await check(other)).toBe('fault: lost')
})

test('the backup: never made, and how old it is', async () => {
  const check = (isDemo: boolean) => found('backup', backupCheck(shop.db, isDemo))
  expect([await check(false), await check(true)]).toEqual(['fault: never', 'skipped: demo'])
  for (const [hours, expected] of [
    [80, 'fault: old'],
    [30, 'warning: late'],
    [2, 'ok: fresh'],
  ] as const) {
    await run(`INSERT INTO backups VALUES (now() - make_interval(hours => $1))`, [hours])
    expect(await check(false), expected).toBe(expected)
  }
  await run('DELETE FROM backups')
  // The clock of the database may be ahead of that of its former server.
  await run(`INSERT INTO backups VALUES (now() + interval '5 hours')`)
  expect(await check(false)).toBe('ok: fresh')
  await run('DELETE FROM backups')
})

test('the backup: whether its last run went well, whatever else is fresh', async () => {
  const check = () => found('backup', backupCheck(shop.db, false))
  const well = { bytes: 1, seconds: 1, isEncrypted: false, isMade: true, isCopied: null, fault: null }
  for (const [outcome, expected] of [
    [{ isMade: false, fault: 'No backup was written: ENOSPC' }, 'fault: failed'],
    [{}, 'ok: fresh'],
    [{ isCopied: false, fault: 'The backup was written and not copied: quota exceeded' }, 'fault: failed'],
    [{ fault: 'Old backups stay: EACCES' }, 'fault: failed'],
    [{ isMade: false, fault: 'No backup was written: ECONNREFUSED' }, 'fault: failed'],
    [{ isCopied: true }, 'ok: fresh'],
  ] as const) {
    await noteBackupRun(shop.db, 'volant-2026-01-31T034012Z', { ...well, ...outcome })
    expect(await check(), JSON.stringify(outcome)).toBe(expected)
  }
  await run('DELETE FROM backups')
})

const LIVE = {
  MODE: 'live',
  SECRET_KEY: shop.secret,
  LOG_KEY: '5e'.repeat(32),
  PAYPAL_BASE_URL: 'https://api-m.paypal.com',
  PAYPAL_CLIENT_ID: 'id',
  PAYPAL_CLIENT_SECRET: 'secret',
  PAYPAL_WEBHOOK_ID: 'webhook',
  COMPANY_NAME: 'Real Cars Ltd',
  COMPANY_NUMBER: '12345678',
  COMPANY_ADDRESS: '2 Real Street, London',
  POSTAL_ADDRESS: 'Freepost, London',
  PUBLIC_URL: 'https://shop.real-cars.eu',
  CONTACT_EMAIL: 'help@real-cars.eu',
  PARTNER_EMAIL: 'partners@real-cars.eu',
  SMTP_URL: 'smtps://mail.real-cars.eu',
}

test('addresses that nobody has, and contests of the demonstration, in live mode', async () => {
  const check = (change: Record<string, string>) =>
    examine({ demoValues: demoValuesCheck(readConfig({ ...LIVE, ...change }), shop.db) })
  expect(await check({})).toMatchObject([{ state: 'ok' }])
  for (const [name, value] of [
    ['CONTACT_EMAIL', 'contact@my.example'],
    ['PARTNER_EMAIL', 'partners@volant.example'],
    ['ALERT_EMAIL', 'me@example.com'],
    ['MAIL_FROM', 'shop@mail.test'],
    ['PUBLIC_URL', 'https://shop.invalid'],
  ] as const)
    expect(await check({ [name]: value }), name).toMatchObject([
      { state: 'fault', says: 'left', values: { names: expect.stringContaining(name) } },
    ])
  for (const harmless of ['help@example-cars.eu', 'help@testing.eu', 'example@cars.eu'])
    expect(await check({ CONTACT_EMAIL: harmless }), harmless).toMatchObject([{ state: 'ok' }])
  await transact(shop.db, markAsDemonstration)
  const filled = await found('demoValues', demoValuesCheck(readConfig(LIVE), shop.db))
  await run('DELETE FROM demonstration')
  expect(filled).toBe('fault: filled')
})

test('a check that fails or hangs is a fault of its own and stops no other', async () => {
  const findings = await examine(
    {
      clock: () => new Promise(() => {}),
      logKey: () => Promise.reject(new Error('no such table\nand more')),
      backup: async () => ok('fresh', { hours: 1 }),
    },
    50,
  )
  expect(findings.map(({ check, state, says }) => [check, state, says])).toEqual([
    ['clock', 'fault', 'broken'],
    ['logKey', 'fault', 'broken'],
    ['backup', 'ok', 'fresh'],
  ])
  expect(told(findings[1]!, 'en').text).toBe('The check itself failed: no such table')
})

describe('the command', () => {
  /** Beside the partners of this test, which respond meanwhile. */
  const command = async (env: Record<string, string>) => {
    const child = spawn(process.execPath, ['tools/doctor.ts'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...bareEnvironment(), ...env },
    })
    const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    return { stdout, status: status as number }
  }

  test('has one line for each check, and its exit code tells of a fault', async () => {
    const env = {
      DATABASE_URL: shop.url,
      DATA_DIR: temporaryFolder(),
      SECRET_KEY: shop.secret,
      PUBLIC_URL: shop.config.publicUrl,
      PAYPAL_BASE_URL: shop.config.paypalBaseUrl,
      SMTP_URL: 'smtp://127.0.0.1:9',
    }
    await addLog()
    const { status, stdout } = await command(env)
    expect(readdirSync(env.DATA_DIR)).toEqual([])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.replace(/^(\w+) +([^:]+):.*/, '$2'))).toEqual([
      'Settings',
      'Values of the demonstration',
      'Data folder',
      'PostgreSQL',
      'Disk of PostgreSQL',
      'Standby servers',
      'Read replica',
      'Pooler',
      'Connections to PostgreSQL',
      'Clock',
      'Secret key',
      'Key of the draws',
      'Witnesses of the draws',
      'Time stamps of the draws',
      'Mail server',
      'Login at PayPal',
      'PayPal notifications',
      'Certificate',
      'Addresses of visitors',
      'Backup',
      'Messages about alerts',
    ])
    // Without LOG_KEY and without a file of one: none is made.
    expect(lines.filter((line) => line.startsWith('fault'))).toEqual([
      expect.stringMatching(/^fault +Key of the draws: LOG_KEY is not the key of the log shop\.example/),
      expect.stringMatching(/^fault +Mail server: 127\.0\.0\.1:9 does not answer/),
    ])
    expect(status).toBe(1)
  })

  test('lists every wrong setting', async () => {
    const { status, stdout } = await command({ PORT: 'x', LOG_LEVEL: 'loud' })
    expect(status).toBe(1)
    expect(stdout.match(/^fault {4}Settings: (PORT|LOG_LEVEL): expected/gm)).toHaveLength(2)
  })

  test.runIf(process.geteuid?.() === 0)('looks at nothing as root, as which no live shop runs', async () => {
    const { status, stdout } = await command({ ...LIVE, DATABASE_URL: shop.url })
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^fault +Settings: MODE: .* as root\..*\n$/)])
  })

  test('goes on without the database', async () => {
    const { status, stdout } = await command({
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/shop`,
      DATA_DIR: temporaryFolder(),
    })
    expect(status).toBe(1)
    expect(stdout).toMatch(/^fault +PostgreSQL: PostgreSQL does not answer: .*ECONNREFUSED/m)
    for (const title of ['Pooler', 'Connections to PostgreSQL', 'Secret key', 'Key of the draws', 'Backup'])
      expect(stdout, title).toMatch(new RegExp(`^skipped +${title}: `, 'm'))
  })
})

describe('the console', () => {
  test('runs some or all checks, in the language of whoever asks', async () => {
    const manager = await shop.newStaff('manager')
    const ask = (body: object, language: Language = 'en') =>
      manager.post('/api/staff/system/doctor/', body, { headers: { 'accept-language': language } })
    const { status, body } = await ask({ checks: ['provider', 'webhook'] })
    expect([status, body['findings'].map((one: { check: string }) => one.check)]).toEqual([
      200,
      ['provider', 'webhook'],
    ])
    expect((await ask({})).body['findings']).toHaveLength(CHECKS.length)
    expect((await ask({ checks: [] })).status).toBe(400)
    expect((await ask({ checks: ['moon'] })).status).toBe(400)
    const support = await shop.newStaff('support')
    expect((await support.post('/api/staff/system/doctor/', {})).status).toBe(403)
    const [entry] = await run(
      `SELECT entry FROM audit_log WHERE action = 'system.examine' ORDER BY id LIMIT 1`,
    )
    expect(JSON.stringify(entry)).toContain('provider')
  })

  test('sends an email to whoever asks, and says what became of it', async () => {
    const owner = await shop.newStaff('owner')
    const ask = () => owner.post('/api/staff/system/test-email/')
    post.taken.length = 0
    expect((await ask()).body).toEqual({ to: owner.email, state: 'sent', error: null })
    expect(post.taken.map(({ envelopeTo, subject }) => [envelopeTo, subject])).toEqual([
      [[owner.email], 'Test email of Volant'],
    ])
    post.refuse.set(owner.email, { code: 451, text: 'later' })
    expect((await ask()).body).toMatchObject({ state: 'queued', error: expect.stringContaining('later') })
    post.refuse.set(owner.email, { code: 550, text: 'never' })
    expect((await ask()).body).toMatchObject({ state: 'failed', error: expect.stringContaining('never') })
    const support = await shop.newStaff('support')
    expect((await support.post('/api/staff/system/test-email/')).status).toBe(403)
  })

  test('names the mail server that is away, also when older emails have met it instead', async () => {
    const owner = await other.newStaff('owner')
    const ask = async () => (await owner.post('/api/staff/system/test-email/')).body
    const away = { to: owner.email, state: 'queued', error: expect.stringContaining('ECONNREFUSED') }
    expect(await ask()).toEqual(away)
    const older = Array.from({ length: 20 }, (_, at) => enqueueAlert(other.db, `older-${at}`))
    await Promise.all(older)
    expect(await ask()).toEqual(away)
  })
})

const enqueueAlert = (db: typeof shop.db, key: string) =>
  transact(db, (trx) =>
    enqueueEmail(trx, {
      key,
      kind: 'alert',
      to: 'staff@shop.test',
      language: 'en',
      subject: key,
      text: key,
      html: key,
    }),
  )

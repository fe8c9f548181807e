import { hostname } from 'node:os'
import { type Socket, connect } from 'node:net'
import { afterAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { Client } from 'pg'
import type { AlertKind } from '#features/alerts/alerts.rules.ts'
import { openDatabase } from '#platform/database.ts'
import { createMetrics } from '#platform/metrics.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { startThrowAwayPostgres } from '#platform/postgres/throw-away.ts'
import { holdsName, watchDatabase } from '#server/database-watch.ts'
import { databaseDiskCheck, standbyCheck } from '#server/doctor/database.ts'
import { examine } from '#server/doctor/doctor.ts'
import { type Check, fault, ok, skipped, warning } from '#server/doctor/findings.ts'
import { roomIn } from '#server/doctor/machine.ts'
import { WATCHED, watchSurroundings } from '#server/surroundings.ts'
import type { CheckName } from '#features/system/system.contract.ts'
import { projectDir } from '../../tools/testbed/program.ts'
import { startMailServer } from '../support/mail-server.ts'
import { startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { openShop, testShop } from '../support/shop.ts'
import { startShopProcess } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'
import { startWebhookReceiver, withStatus } from '../support/webhook-receiver.ts'

const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())
const mailServer = await startMailServer()
afterAll(() => mailServer.close())
const shop = await openShop({
  env: {
    ALERT_EMAIL: 'operator@shop.test',
    ALERT_WEBHOOK_URL: `${receiver.url}/topic`,
    ALERT_WEBHOOK_FORMAT: 'ntfy',
    ALERT_LANGUAGE: 'nl',
    SMTP_URL: mailServer.url,
  },
})
const run = async (statement: string) => (await shop.pool.query(statement)).rows
const open = () =>
  run(
    `SELECT kind, subject, details -> 'finding' ->> 'key' AS says FROM alerts WHERE resolved_at IS NULL ORDER BY kind, subject`,
  )
const HOST = hostname()
const MINUTE = 60_000

beforeEach(async () => {
  receiver.taken.length = 0
  receiver.always(withStatus(200))
  mailServer.taken.length = 0
  await run('TRUNCATE alert_messages; DELETE FROM alerts')
})

describe('what a process sees around it', () => {
  let found: Partial<Record<CheckName, Check>> = {}
  let now = 0
  const asked: CheckName[] = []
  const fine = Object.fromEntries(
    Object.keys(WATCHED).map((name) => [
      name,
      async () => {
        asked.push(name as CheckName)
        return ok('room', { folder: '/', megabytes: 1 })
      },
    ]),
  ) as unknown as Record<CheckName, Check>
  const watcher = (isWorker = true, host?: typeof shop.db) =>
    watchSurroundings({
      db: host ?? shop.db,
      alerts: shop.checkout.alerts,
      checks: () => ({ ...fine, ...found }),
      isWorker,
      now: () => now,
    })
  beforeEach(() => {
    found = {}
    asked.length = 0
  })

  test.each<[AlertKind, CheckName, Check]>([
    ['diskLow', 'dataDir', async () => warning('tight', { folder: '/srv', megabytes: 900 })],
    ['diskLow', 'databaseDisk', async () => fault('full', { folder: '/pg', megabytes: 9 })],
    ['databaseDegraded', 'standby', async () => fault('missing')],
    ['databaseDegraded', 'pooler', async () => fault('fails', { reason: 'statement' })],
    ['databaseDegraded', 'connections', async () => fault('none', { most: 97, used: 96, pool: 10 })],
    ['clockSkew', 'clock', async () => warning('off', { seconds: 5, side: 'behind', than: 'postgres' })],
    ['providerDown', 'provider', async () => fault('silent', { host: 'api', reason: 'ECONNREFUSED' })],
    ['mailDown', 'mailServer', async () => fault('login', { host: 'mail', reason: '535' })],
    ['logKeyWrong', 'logKey', async () => fault('other', { log: 'shop/register' })],
    ['backupOld', 'backup', async () => warning('late', { hours: 30 })],
  ])('%s is raised by %s at the second time, and ends once it is well', async (kind, check, finding) => {
    const look = watcher()
    await look()
    found = { [check]: finding }
    now += 60 * MINUTE
    await look()
    expect(await open()).toEqual([])
    await look()
    await look()
    expect(await open()).toMatchObject([
      { kind, subject: `${HOST}/${check}`, says: expect.stringMatching(`^doctor.${check}.`) },
    ])
    found = {}
    await look()
    expect(await open()).toEqual([])
  })

  test('is not what cannot be known: a finding that was skipped for want of a database ends nothing', async () => {
    const look = watcher()
    found = { logKey: async () => fault('other', { log: 'x' }) }
    await look()
    await look()
    found = { logKey: async () => skipped('noDatabase') }
    await look()
    expect(await open()).toHaveLength(1)
  })

  test('is asked less often while nothing is wrong, and of a web process of its own machine alone', async () => {
    const look = watcher()
    await look()
    expect(asked.toSorted()).toEqual(Object.keys(WATCHED).toSorted())
    asked.length = 0
    now += MINUTE
    await look()
    expect(asked.toSorted()).toEqual(['connections', 'dataDir', 'databaseDisk', 'readReplica', 'standby'])
    asked.length = 0
    await watcher(false)()
    expect(asked.toSorted()).toEqual(['clock', 'dataDir', 'logKey', 'pooler'])
  })

  test('ends for a machine that has said nothing for half an hour', async () => {
    await shop.checkout.alerts.raise(shop.db, { kind: 'diskLow', subject: 'web-9/dataDir' })
    await watcher()()
    expect(await open()).toHaveLength(1)
    await run(`UPDATE alerts SET last_seen = last_seen - interval '31 minutes'`)
    await watcher(false)()
    expect(await open()).toHaveLength(1)
    await watcher()()
    expect(await open()).toEqual([])
  })

  test('is the checks of the doctor, all of which exist', async () => {
    const { shopChecks } = await import('#server/doctor/doctor.ts')
    const checks = shopChecks({ ...shop, logKey: shop.draws.key, migration: 0 })
    for (const name of Object.keys(WATCHED)) expect(checks).toHaveProperty(name)
  })
})

/** A gate in front of PostgreSQL that can be shut. */
async function gated() {
  const { createServer } = await import('node:net')
  const { host, port } = new Client({ connectionString: shop.url })
  const sockets = new Set<Socket>()
  let isShut = false
  const server = createServer((near) => {
    if (isShut) return void near.destroy()
    const far = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: bound } = server.address() as { port: number }
  const url = new URL(shop.url)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String(bound)
  const database = openDatabase({ url: url.href, max: 2, log: silentLog, applicationName: 'gated' })
  onTestFinished(async () => {
    isShut = false
    await database.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    db: database.db,
    shut: () => {
      isShut = true
      for (const socket of sockets) socket.destroy()
    },
    open: () => void (isShut = false),
  }
}

describe('a database that takes no writes', () => {
  let now = Date.now()
  const by = (database: typeof shop.db, isMine: () => Promise<boolean> = async () => true) => {
    const metrics = createMetrics()
    const watch = watchDatabase({
      db: database,
      alerts: shop.checkout.alerts,
      sender: shop.alertSender(),
      metrics,
      name: 'a shop of the tests',
      isMine,
      now: () => now,
      writeMs: 1_000,
    })
    return {
      ...watch,
      figure: async (kind: string) =>
        new RegExp(`volant_database_fault\\{kind="${kind}"\\} (\\d)`).exec(
          await metrics.registry.metrics(),
        )?.[1],
    }
  }
  const told = () => receiver.taken.map(({ body }) => body.title)
  const mailed = () => mailServer.taken.map(({ subject }) => subject)
  const AWAY = 'Volant: PostgreSQL antwoordt niet'
  const OVER = 'Volant: voorbij: PostgreSQL antwoordt niet'

  test('is told after half a minute by webhook and by email, without it, and noted once it is back', async () => {
    const gate = await gated()
    const watch = by(gate.db)
    await watch.run()
    expect([await watch.fault(), await watch.figure('databaseAway')]).toEqual([undefined, '0'])
    gate.shut()
    await watch.run()
    expect([(await watch.fault())?.kind, await watch.figure('databaseAway')]).toEqual(['databaseAway', '1'])
    now += 29_000
    await watch.run()
    expect(told()).toEqual([])
    now += 2_000
    await watch.run()
    await watch.run()
    expect([told(), mailed()]).toEqual([[AWAY], [AWAY]])
    expect(receiver.taken[0]?.body).toMatchObject({ priority: 5, message: expect.stringContaining(HOST) })
    gate.open()
    await watch.run()
    await watch.run()
    expect([told(), mailed()]).toEqual([
      [AWAY, OVER],
      [AWAY, OVER],
    ])
    const [row, ...others] = await run('SELECT kind, subject, resolved_at, told_at FROM alerts')
    expect(others).toEqual([])
    expect(row).toMatchObject({
      kind: 'databaseAway',
      subject: HOST,
      resolved_at: expect.any(Date),
      told_at: expect.any(Date),
    })
    await shop.alertSender().send()
    expect(told()).toHaveLength(2)
  })

  test('is told by one process of a machine, and by its successor', async () => {
    const gate = await gated()
    let holder = 'one'
    const [one, other] = ['one', 'other'].map((name) => by(gate.db, async () => holder === name))
    gate.shut()
    for (const seconds of [0, 31]) {
      now += seconds * 1_000
      await one?.run()
      await other?.run()
    }
    expect(told()).toEqual([AWAY])
    holder = 'other'
    await other?.run()
    expect(told()).toEqual([AWAY, AWAY])
    // A telephone shows them as one.
    expect(new Set(receiver.taken.map(({ body }) => body.sequence_id)).size).toBe(1)
  })

  test('is a name that one process of the machine holds until it ends', async () => {
    const { execFileSync, spawn } = await import('node:child_process')
    const program = `import { holdsName } from '#server/database-watch.ts'; console.log(await holdsName('held by the tests')); if (process.argv[1] === 'stay') setInterval(() => {}, 1e6)`
    const args = ['--input-type=module', '-e', program]
    const ask = (): string => execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
    const child = spawn(process.execPath, [...args, 'stay'], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    expect([ask(), await holdsName('held by the tests')]).toEqual(['false', false])
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    expect(ask()).toBe('true')
  })

  test('is told to each channel until that has taken it', async () => {
    const gate = await gated()
    const watch = by(gate.db)
    gate.shut()
    receiver.always(withStatus(503))
    await watch.run()
    now += 31_000
    await watch.run()
    expect([told().length, mailed()]).toEqual([1, [AWAY]])
    await watch.run()
    expect(told()).toHaveLength(1)
    now += 11_000
    receiver.always(withStatus(200))
    await watch.run()
    now += 60_000
    await watch.run()
    expect([told().length, mailed()]).toEqual([2, [AWAY]])
  })

  test('is over for readiness with the first write that succeeds, before the next look', async () => {
    const gate = await gated()
    const watch = by(gate.db)
    gate.shut()
    await watch.run()
    expect(await watch.fault()).toMatchObject({ kind: 'databaseAway' })
    gate.open()
    await expect.poll(() => watch.fault()).toBeUndefined()
    expect(await watch.figure('databaseAway')).toBe('0')
  })

  test('is told as one that takes no writes when it is a standby or full; a short restart is not told', async () => {
    const options = new URL(shop.url)
    options.searchParams.set('options', '-c default_transaction_read_only=on')
    const standby = openDatabase({ url: options.href, max: 1, log: silentLog, applicationName: 'standby' })
    onTestFinished(() => standby.close())
    const watch = by(standby.db)
    await watch.run()
    expect(await watch.fault()).toMatchObject({
      kind: 'databaseReadOnly',
      finding: { key: 'doctor.database.readOnly' },
    })
    now += 31_000
    await watch.run()
    expect(told()).toEqual(['Volant: PostgreSQL aanvaardt niets om te bewaren'])

    const gate = await gated()
    const short = by(gate.db)
    gate.shut()
    await short.run()
    gate.open()
    now += 10_000
    await short.run()
    await short.run()
    expect([told().length, (await run('SELECT 1 FROM alerts')).length]).toEqual([1, 0])
  })

  test('hangs: a write that is not confirmed counts as no response, and is not joined by others', async () => {
    const holder = new Client({ connectionString: shop.url })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE job_runs IN ACCESS EXCLUSIVE MODE')
    const watch = by(shop.db)
    await watch.run()
    await watch.run()
    expect(await watch.fault()).toMatchObject({
      kind: 'databaseAway',
      finding: { key: 'doctor.database.slow' },
    })
    const [{ writes }] = (await run(
      `SELECT count(*)::int AS writes FROM pg_stat_activity WHERE query LIKE '%INSERT INTO job_runs%' AND wait_event_type = 'Lock' AND datname = current_database()`,
    )) as [{ writes: number }]
    expect(writes).toBe(1)
    await holder.query('ROLLBACK')
    await holder.end()
    await expect.poll(() => watch.fault()).toBeUndefined()
  })

  test('is no fault of a program’s own statement', async () => {
    const { readFault } = await import('#server/database-watch.ts')
    const codes: [string, string | undefined][] = [
      ['53100', 'databaseReadOnly'],
      ['25006', 'databaseReadOnly'],
      ['57P01', 'databaseAway'],
      ['53300', 'databaseAway'],
      ['42P01', undefined],
      ['23505', undefined],
    ]
    for (const [code, kind] of codes)
      expect(readFault(Object.assign(new Error('x'), { code }))?.kind, code).toBe(kind)
  })
})

describe('ready', () => {
  const ready = (at = shop) => at.anonymous('GET', '/api/health/ready')

  test('names what is wrong around the shop, and stays ready for it', async () => {
    const own = await openShop()
    expect((await ready(own)).body).toEqual({ status: 'ok', warnings: [] })
    const other = await openShop()
    for (const kind of ['providerDown', 'mailDown', 'dispute'] as const)
      await other.checkout.alerts.raise(other.db, { kind, subject: 'x' })
    expect(await ready(other)).toMatchObject({
      status: 200,
      body: { status: 'ok', warnings: ['providerDown', 'mailDown'] },
    })
  })

  test('is not what signs draws by another key, takes no writes, or lacks migrations', async () => {
    const { buildApp } = await import('#server/build-app.ts')
    const { logKeyOf } = await import('#features/draws/server/index.ts')
    await shop.pool.query(`INSERT INTO draw_logs (id, origin, key) VALUES (0, 'shop.example/register', $1)`, [
      shop.draws.key.verifierKey('shop.example'),
    ])
    const parts = {
      config: shop.config,
      secret: shop.secret,
      logKey: shop.draws.key,
      db: shop.db,
      log: shop.app.log,
    }
    const readiness = async (change: object) => {
      const app = await buildApp({ ...parts, ...change })
      onTestFinished(() => app.close())
      const { statusCode, body } = await app.inject({ url: '/api/health/ready' })
      return [statusCode, JSON.parse(body).status]
    }
    expect(await readiness({})).toEqual([200, 'ok'])
    expect(await readiness({ logKey: logKeyOf('ab'.repeat(32)) })).toEqual([
      503,
      'another LOG_KEY than that of the logs',
    ])
    expect(await readiness({ migration: 9_999 })).toEqual([503, 'migrations missing'])
    const full = { kind: 'databaseReadOnly', finding: { key: 'doctor.database.full', values: {} } }
    expect(await readiness({ databaseFault: async () => full })).toEqual([503, 'database takes no writes'])
  })
})

describe('the doctor', () => {
  const says = async (check: CheckName, found: Check): Promise<string> => {
    const [finding] = await examine({ [check]: found })
    return `${finding?.state}: ${finding?.says}`
  }
  test('knows the room of PostgreSQL’s disk where it is of this machine and tells where its files are', async () => {
    const admin = openDatabase({
      url: inject('databaseAdminUrl'),
      max: 1,
      log: silentLog,
      applicationName: 'admin',
    })
    onTestFinished(() => admin.close())
    expect(await says('databaseDisk', databaseDiskCheck(admin.db))).toMatch(/^(ok: room|warning: tight)$/)
    expect(await says('databaseDisk', databaseDiskCheck(admin.db, { tight: 1e18 }))).toBe('warning: tight')
    expect(await says('databaseDisk', databaseDiskCheck(admin.db, { full: 1e18 }))).toBe('fault: full')
    // The shop's own role owns its tables and nothing else.
    expect(await says('databaseDisk', databaseDiskCheck(shop.db))).toBe('skipped: unknown')
    await expect(roomIn('/no/such/folder')).rejects.toThrow('ENOENT')
  })

  test('knows whether the standby servers are there, and the log that is kept for one', async () => {
    // A server of its own: commits of others would wait for the standby as well.
    const server = await startThrowAwayPostgres({ projectDir, log: silentLog })
    onTestFinished(() => server.stop())
    const openedAs = (options = '') => {
      const url = new URL(server.adminUrl)
      if (options) url.searchParams.set('options', options)
      const opened = openDatabase({
        url: url.href,
        max: 1,
        log: silentLog,
        applicationName: 'one',
      })
      onTestFinished(() => opened.close())
      return opened
    }
    const { db, pool } = openedAs('-c synchronous_commit=on')
    expect(await says('standby', standbyCheck(db))).toBe('skipped: none')
    await pool.query(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
    await pool.query('SELECT pg_reload_conf()')
    await expect.poll(() => says('standby', standbyCheck(db))).toBe('fault: missing')
    // Commits that wait for nobody.
    expect(await says('standby', standbyCheck(openedAs('-c synchronous_commit=off').db))).toBe(
      'skipped: none',
    )
    await pool.query('ALTER SYSTEM RESET synchronous_standby_names')
    await pool.query('SELECT pg_reload_conf()')
    await pool.query(`SELECT pg_create_physical_replication_slot('away', true)`)
    await expect.poll(() => says('standby', standbyCheck(db))).toBe('skipped: none')
    expect(await says('standby', standbyCheck(db, 0))).toBe('warning: lagging')
  })

  test('says whether somebody is told of alerts', async () => {
    const { alertsCheck } = await import('#server/doctor/partners.ts')
    const check = (alertEmail?: string, alertWebhookUrl?: string, demo = false) =>
      says('alerts', alertsCheck(shop.db, { demo, alertEmail, alertWebhookUrl }))
    const [email, url] = ['operator@shop.test', receiver.url]
    expect(await check()).toBe('fault: nobody')
    expect(await check(undefined, undefined, true)).toBe('skipped: demo')
    expect(await check(email)).toBe('warning: emailOnly')
    expect(await check(undefined, url)).toBe('warning: webhookOnly')
    expect(await check(email, url)).toBe('ok: both')
    await run(`INSERT INTO alert_messages (kind, event, facts, state, attempts, tried_at, error)
      VALUES ('test', 'test', '{}', 'refused', 1, now(), 'status 403')`)
    expect(await check(email, url)).toBe('fault: failing')
  })
})

describe.runIf(isExtended)('a process of its own', () => {
  test(
    'tells of PayPal and of a database that are away, and of their ends',
    { timeout: 600_000 },
    async () => {
      const own = await testShop()
      onTestFinished(() => own.close())
      const process = await startShopProcess({
        env: {
          DATABASE_URL: own.url,
          DATA_DIR: temporaryFolder(),
          SECRET_KEY: own.secret,
          LOG_KEY: '5e'.repeat(32),
          PAYPAL_BASE_URL: own.config.paypalBaseUrl,
          ALERT_WEBHOOK_URL: `${receiver.url}/process`,
          ALERT_WEBHOOK_FORMAT: 'slack',
          ALERT_LANGUAGE: 'en',
        },
      })
      onTestFinished(async () => void (await process.end('SIGTERM')))
      await process.whenReady()
      const told = (what: string) =>
        vi.waitUntil(
          () =>
            receiver.taken.some(
              ({ path: to, body }) => to === '/process' && String(body.text).startsWith(what),
            ),
          { timeout: 240_000, interval: 250 },
        )
      const { port } = new URL(own.config.paypalBaseUrl)
      await own.paypal.close()
      await told('*Volant: PayPal does not answer, or refuses the shop*')
      const again = await startPaypalEmulator({ port: Number(port), webhookUrl: own.config.publicUrl })
      onTestFinished(() => again.close())
      await told('*Volant: over: PayPal does not answer, or refuses the shop*')

      const name = new Client({ connectionString: own.url }).database
      await asAdmin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
      await asAdmin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
      await told('*Volant: PostgreSQL does not answer*')
      expect(await process.readiness()).toEqual([503, 'database away'])
      await asAdmin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
      await told('*Volant: over: PostgreSQL does not answer*')
      await process.whenReady()
    },
  )
})

async function asAdmin(statement: string): Promise<void> {
  const admin = new Client({ connectionString: inject('databaseAdminUrl') })
  await admin.connect()
  await admin.query(statement)
  await admin.end()
}

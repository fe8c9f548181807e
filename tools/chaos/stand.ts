import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { accessTokens } from '#features/accounts/server/index.ts'
import { insertOffer } from '#features/offers/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { socketUrl } from '#platform/postgres/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { freePort } from '../run/free-port.ts'
import type { Dice } from './dice.ts'
import { type FaultProxy, faultProxy } from './fault-proxy.ts'
import { answers, program } from './processes.ts'
import { shopsOf } from './shops.ts'

/** A customer who buys; the token is made anew when it grows old. */
export interface Customer {
  userId: number
  cartId: number
  token(): Promise<string>
}

export type Stand = Awaited<ReturnType<typeof buildStand>>

const SOCKET = '.s.PGSQL.5432'
const TOKEN_AGE_MS = 120_000

export interface StandOptions {
  /** How many shops share the database. */
  processes: number
  /** Roles apart behind HAProxy, with so many workers. */
  behindProxy?: { workers: number } | undefined
}

/** Everything a run shakes: database, emulator, shops, and a line with faults from the shops to each of the two. */
export async function buildStand({ processes, behindProxy }: StandOptions, dice: Dice) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'volant-chaos-'))
  // Root's database runs under another account, which must pass through.
  chmodSync(folder, 0o711)
  for (const name of ['data', 'shop', 'line', 'log']) mkdirSync(path.join(folder, name), { mode: 0o711 })
  const logFile = (name: string): string => path.join(folder, 'log', `${name}.log`)

  let server: { url: string; dataDir: string } | undefined
  const keeper = program({
    name: 'database',
    args: ['tools/chaos/database-keeper.ts', path.join(folder, 'data')],
    env: {},
    logFile: logFile('database'),
    onFirstLine: (line) => void (server = JSON.parse(line) as typeof server),
    isReady: async () => server !== undefined,
  })
  await keeper.start()
  const { url, dataDir } = server!
  const socketDir = new URL(url).searchParams.get('host') ?? ''
  const toDatabase = await faultProxy(
    { path: path.join(folder, 'line', SOCKET) },
    { path: path.join(socketDir, SOCKET) },
    dice.fork('line to the database'),
  )
  const shopDatabase = socketUrl({
    user: 'volant',
    database: 'volant',
    socketDir: path.join(folder, 'line'),
    port: 5432,
  })

  const emulatorPort = await freePort()
  const toProvider = await faultProxy({ port: 0 }, { port: emulatorPort }, dice.fork('line to the provider'))
  const emulatorUrl = `http://127.0.0.1:${emulatorPort}`
  const secret = randomBytes(32).toString('base64')
  const shops = await shopsOf({
    processes,
    behindProxy,
    folder,
    logFile,
    env: {
      PAYPAL_BASE_URL: `http://127.0.0.1:${toProvider.port}`,
      PAYPAL_TIMEOUT_MS: '2000',
      DATABASE_URL: shopDatabase,
      DATA_DIR: path.join(folder, 'shop'),
      SECRET_KEY: secret,
      LOG_LEVEL: 'warn',
      LIMITS_FACTOR: '100000',
    },
  })
  const emulator = program({
    name: 'emulator',
    args: ['emulators/paypal/main.ts'],
    env: {
      PORT: String(emulatorPort),
      // What the shops know it by: the far end of the line.
      API_URL: `http://127.0.0.1:${toProvider.port}`,
      PUBLIC_URL: emulatorUrl,
      WEBHOOK_URL: `${shops.urls[0]}/api/paypal/webhook/`,
      ...shops.trust,
      WEBHOOK_RETRY_MS: '250',
      HANG_MS: '2500',
      STATE_FILE: path.join(folder, 'shop/emulator.json'),
    },
    logFile: logFile('emulator'),
    isReady: () => answers(`${emulatorUrl}/_emulator/health`),
  })

  await emulator.start()
  const programs = [...shops.web, ...shops.workers, ...(shops.proxy ? [shops.proxy] : [])]
  for (const one of programs) await one.start()
  const database = openDatabase({ url, max: 3, log: silentLog, applicationName: 'volant chaos' })
  const tokens = accessTokens({ secret })
  const postmaster = (): number =>
    Number.parseInt(readFileSync(path.join(dataDir, 'cluster/postmaster.pid'), 'utf8'), 10)
  let killed: number | undefined
  let offers = 0

  return {
    folder,
    db: database.db,
    keeper,
    shops,
    toDatabase,
    toProvider,
    emulatorUrl,

    /** Kills PostgreSQL's first process; its keeper starts another. */
    killPostgres(): void {
      killed = postmaster()
      process.kill(killed, 'SIGKILL')
    },
    /** Resolves when PostgreSQL answers, after a kill the next one. */
    async databaseAnswers(): Promise<void> {
      const end = performance.now() + 60_000
      for (;;) {
        try {
          if (postmaster() === killed) throw new Error('PostgreSQL was not started again')
          await sql`SELECT 1`.execute(database.db)
          return
        } catch (error) {
          if (performance.now() > end) throw error
          await sleep(30)
        }
      }
    },
    restartKeeper: async (): Promise<void> => {
      server = undefined
      await keeper.start()
    },

    /** Stores a contest without a question. @returns its id */
    newOffer(total: number): Promise<number> {
      offers += 1
      const name = `chaos-${offers}`
      return database.db.transaction().execute((trx) =>
        insertOffer(trx, {
          offer: {
            slug: name,
            title: name,
            price_cents: 490 + offers,
            total_tickets: total,
            end_date: new Date(Date.now() + 86_400_000),
            number_key: createHash('sha256').update(name).digest(),
            choices: [],
          },
          pictures: [],
        }),
      )
    },

    /** Makes customers with a cart each. */
    async customers(count: number): Promise<Customer[]> {
      const { rows } = await sql<{ user_id: number; id: number }>`
        WITH made AS (
          INSERT INTO users (username, email, password_hash, language)
          SELECT 'chaos ' || n, 'chaos' || n || '@chaos.test', 'none', 'en' FROM generate_series(1, ${count}) n
          RETURNING id
        )
        INSERT INTO carts (user_id) SELECT id FROM made RETURNING user_id, id`.execute(database.db)
      return rows.map(({ user_id, id }) => {
        let made = { at: -Infinity, token: '' }
        return {
          userId: user_id,
          cartId: id,
          async token() {
            if (performance.now() - made.at > TOKEN_AGE_MS) {
              const who = { userId: user_id, sessionId: randomUUID() }
              made = { at: performance.now(), token: await tokens.issue(who) }
            }
            return made.token
          },
        }
      })
    },

    /** Programs that ended although nobody had killed them. */
    deaths: (): string[] => [keeper, emulator, ...programs].flatMap((one) => one.diedOfItself() ?? []),

    /** Changes the faults of the emulator; names as in its README. */
    async faults(change: Record<string, number>): Promise<void> {
      const answer = await fetch(`${emulatorUrl}/_emulator/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
      })
      if (!answer.ok) throw new Error(`the emulator refused the faults: ${await answer.text()}`)
    },

    /** @param keep leaves the database and the logs for a look */
    async close(keep: boolean): Promise<void> {
      await database.close()
      await Promise.all(programs.map((one) => one.stop()))
      await emulator.stop()
      await keeper.stop()
      await toDatabase.close()
      await toProvider.close()
      if (!keep) rmSync(folder, { recursive: true, force: true })
    },
  } satisfies Record<string, unknown> & { toDatabase: FaultProxy }
}

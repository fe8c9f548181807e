import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { insertOffer } from '#features/offers/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { migrate } from '#platform/migrations.ts'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { makeCustomers } from '../customers/make-customers.ts'
import { freePort } from '../run/free-port.ts'
import { processSeconds, serverSeconds } from './processor-time.ts'
import { countStatements } from './statements.ts'
import type { Door } from './wire.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')

/** A customer who is ready to buy. */
export interface HotCustomer {
  token: string
  cartId: number
  userId: number
}

/** One process of the shop. */
export interface HotShop {
  door: Door
  /** Seconds of processor time used so far. */
  processorSeconds(): number
  /** Resident memory in MB. */
  memoryMb(): number
}

interface StandOptions {
  /** Folder for CPU profiles of the emulator and the shop, written when they end. */
  profiles?: string | undefined
  /** Whether PostgreSQL counts statements, which costs it a little. */
  statements?: boolean
}

export type HotStand = Awaited<ReturnType<typeof buildStand>>

/** A whole shop on this machine, made for one measurement: durable database, emulator, shop processes as asked for. */
export async function buildStand({ profiles, statements = false }: StandOptions = {}) {
  const emulatorPort = await freePort()
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'volant-hot-'))
  chmodSync(dataDir, 0o711)
  const start = () => ensureEmbeddedPostgres({ projectDir, dataDir, log: silentLog })
  let postgres = await start()
  if (statements) {
    await countStatements.prepare(postgres.adminUrl)
    await postgres.stop()
    postgres = await start()
  }
  await migrate({ url: postgres.url, folder: path.join(projectDir, 'db/migrations'), log: silentLog })
  const database = openDatabase({ url: postgres.url, max: 4, log: silentLog, applicationName: 'volant-hot' })
  const secret = randomBytes(32).toString('base64')
  const children: ChildProcess[] = []

  function run(file: string, env: Record<string, string>): ChildProcess {
    const profile = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
    const child = spawn(process.execPath, [...profile, path.join(projectDir, file)], {
      cwd: projectDir,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.push(child)
    return child
  }
  async function ready(url: string): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      const answer = await fetch(url).catch(() => undefined)
      if (answer?.ok) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${url} did not answer`)
  }

  const emulatorUrl = `http://127.0.0.1:${emulatorPort}`
  const emulator = run('emulators/paypal/main.ts', {
    PORT: String(emulatorPort),
    API_URL: emulatorUrl,
    PUBLIC_URL: emulatorUrl,
  })
  await ready(`${emulatorUrl}/`)

  let offers = 0
  return {
    url: postgres.url,
    adminUrl: postgres.adminUrl,
    emulator: { port: emulatorPort } satisfies Door,
    emulatorUrl,
    folder: dataDir,
    db: database.db,
    emulatorSeconds: () => processSeconds(emulator.pid),
    databaseSeconds: () => serverSeconds(postgres.dataDir),

    /** Starts a process of the shop; several share the database. */
    async shop(env: Record<string, string> = {}): Promise<HotShop> {
      const port = await freePort()
      const { pid } = run('src/server/main.ts', {
        PORT: String(port),
        PUBLIC_URL: `http://localhost:${port}`,
        PAYPAL_BASE_URL: emulatorUrl,
        DATABASE_URL: postgres.url,
        DATA_DIR: dataDir,
        SECRET_KEY: secret,
        LOG_LEVEL: 'warn',
        // Everybody comes from one address, and a customer buys again and again. The limits count all the same.
        LIMITS_FACTOR: '1000000',
        ...env,
      })
      await ready(`http://127.0.0.1:${port}/api/health/ready`)
      return {
        door: { port },
        processorSeconds: () => processSeconds(pid),
        memoryMb() {
          const status = readFileSync(`/proc/${pid}/status`, 'utf8')
          return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
        },
      }
    },

    /** Stores a contest without a question. */
    async newOffer(total: number): Promise<{ id: number; key: Buffer; total: number }> {
      offers += 1
      const key = createHash('sha256').update(`hot ${offers}`).digest()
      const offer = {
        slug: `hot-${offers}`,
        title: `Hot ${offers}`,
        price_cents: 490,
        total_tickets: total,
        end_date: new Date(Date.now() + 86_400_000),
        number_key: key,
        choices: [],
      }
      const id = await database.db.transaction().execute((trx) => insertOffer(trx, { offer, pictures: [] }))
      return { id, key, total }
    },

    /** Makes customers with a cart and an access token each; they cannot log in. */
    async customers(count: number): Promise<HotCustomer[]> {
      const made = await makeCustomers(database.db, count, { secret, passwordHash: 'none' })
      return made.map(({ access, cartId, userId }) => ({ token: access, cartId, userId }))
    },

    async close(): Promise<void> {
      await Promise.all(
        children.map(
          (child) =>
            new Promise<void>((resolve) => {
              if (child.exitCode !== null) return resolve()
              child.once('exit', () => resolve())
              child.kill('SIGTERM')
            }),
        ),
      )
      await database.close()
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

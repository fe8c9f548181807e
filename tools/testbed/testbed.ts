import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { insertOffer } from '#features/offers/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { type MadeCustomer, makeCustomers } from '../customers/make-customers.ts'
import { buildIfNeeded } from '../run/build.ts'
import { atEnd, endingSignal } from '../run/ending.ts'
import { freePort } from '../run/free-port.ts'
import { LIBRARY_LIMITS, NODE_LIMITS } from '../run/memory-limits.ts'
import { respondsOk } from '../run/children.ts'
import { type Program, processorSecondsWithChildren, program, projectDir } from './program.ts'

const DAY_MS = 86_400_000

/** A program that listens on a port of its own. */
export interface Server extends Program {
  port: number
  url: string
}

interface TestbedOptions {
  /** Names the folder, the connections, the offers: "chaos". */
  name: string
  /** Faster, and lost with the machine. */
  isDurable?: boolean
  /** Options of Node for shop and emulator, for example for profiles. */
  nodeArgs?: readonly string[]
}

type NewOffer = Parameters<typeof insertOffer>[1]

/** All customers are new and come from one address. The limits count all the same. */
export const WIDE_LIMITS = {
  LIMITS_FACTOR: '1000000',
  HOLD_MAX_TICKETS: '1000000',
  HOLD_MAX_PERCENT: '100',
  HOLD_NETWORK_PERCENT: '100',
  HOLD_NEWCOMERS_PERCENT: '100',
  HOLD_UNPAID_MINUTES: '1440',
  WAITING_ROOM_REQUESTS: '0',
}

export type Testbed = Awaited<ReturnType<typeof startTestbed>>

/**
 * A whole shop on this machine for one run of a tool: a database with the tables of the shop runs, emulator and
 * processes of the shop are described and started by the tool. Everything goes away with `close`.
 */
export async function startTestbed({ name, isDurable = true, nodeArgs = [] }: TestbedOptions) {
  await buildIfNeeded(projectDir, endingSignal())
  const folder = mkdtempSync(path.join(os.tmpdir(), `volant-${name}-`))
  // Root's database runs under another account, which must pass through.
  chmodSync(folder, 0o711)
  const dataDir = path.join(folder, 'shop')
  for (const part of ['database', 'shop', 'log']) mkdirSync(path.join(folder, part), { mode: 0o711 })
  const logFile = (program: string): string => path.join(folder, 'log', `${program}.log`)
  const programs: Program[] = []

  let postgres: { url: string; dataDir: string } | undefined
  const keeper = program({
    name: 'database',
    args: ['tools/testbed/database-keeper.ts', path.join(folder, 'database'), isDurable ? 'durable' : 'fast'],
    env: {},
    logFile: logFile('database'),
    onFirstLine: (line) => void (postgres = JSON.parse(line) as typeof postgres),
    isReady: async () => postgres !== undefined,
  })
  /** Stops everything. @param keep leaves the database and the logs */
  async function close(keep = false): Promise<void> {
    await database?.close()
    await Promise.all(programs.map((one) => one.stop()))
    await keeper.stop()
    if (!keep) rmSync(folder, { recursive: true, force: true })
  }
  let database: ReturnType<typeof openDatabase> | undefined
  const done = atEnd(() => close())
  await keeper.start()
  const { url, dataDir: postgresFolder } = postgres!
  await migrate({ url, folder: path.join(projectDir, 'db/migrations'), log: silentLog })
  const opened = openDatabase({ url, max: 4, log: silentLog, applicationName: `volant ${name}` })
  database = opened
  const postmaster = (): number =>
    Number.parseInt(readFileSync(path.join(postgresFolder, 'cluster/postmaster.pid'), 'utf8'), 10)
  const secret = randomBytes(32).toString('base64')
  let offers = 0

  /** Describes a program that listens on a port: a free one, or PORT of the given settings. */
  async function server(
    about: { name: string; file: string; readyPath: string; limits?: readonly string[] },
    given: Record<string, string>,
    defaults: (url: string) => Record<string, string>,
  ): Promise<Server> {
    const port = Number(given.PORT ?? (await freePort()))
    const address = `http://127.0.0.1:${port}`
    const described = program({
      name: about.name,
      args: [about.file],
      nodeArgs: [...(about.limits ?? []), ...nodeArgs],
      env: { ...defaults(address), ...given, PORT: String(port) },
      logFile: logFile(about.name),
      isReady: () => respondsOk(address + about.readyPath),
    })
    const made = { ...described, port, url: address }
    programs.push(made)
    return made
  }

  return {
    folder,
    logFile,
    url,
    secret,
    dataDir,
    db: opened.db,
    keeper,
    databaseSeconds: () => processorSecondsWithChildren(postmaster()),
    /** Process of PostgreSQL itself, which the keeper starts again when it is killed. */
    postmaster,
    restartKeeper: (): Promise<void> => {
      postgres = undefined
      return keeper.start()
    },

    /** Describes a process of the shop; several share the database. @param file of a release, when it is not this tree */
    shop: (
      shopName: string,
      settings: Record<string, string> = {},
      file = 'src/server/main.ts',
    ): Promise<Server> =>
      server(
        {
          name: shopName,
          file,
          readyPath: '/api/health/ready',
          limits: NODE_LIMITS,
        },
        settings,
        (address) => ({
          PUBLIC_URL: address,
          DATABASE_URL: url,
          DATA_DIR: dataDir,
          SECRET_KEY: secret,
          LOG_LEVEL: 'warn',
          ...LIBRARY_LIMITS,
          ...WIDE_LIMITS,
        }),
      ),

    /** Describes a PayPal emulator. */
    emulator: (settings: Record<string, string> = {}): Promise<Server> =>
      server(
        { name: 'emulator', file: 'emulators/paypal/main.ts', readyPath: '/_emulator/health' },
        settings,
        // The ledgers of a whole sale are compared at its end.
        (address) => ({ API_URL: address, PUBLIC_URL: address, KEEP_ORDERS: '1000000000' }),
      ),

    /** Stores a contest without a question. */
    newOffer: async (
      total: number,
      more: Partial<NewOffer['offer']> = {},
      pictures: NewOffer['pictures'] = [],
    ): Promise<{ id: number; slug: string }> => {
      offers += 1
      const slug = `${name}-${offers}`
      const offer = {
        slug,
        titles: { fr: slug },
        price_cents: 490,
        total_tickets: total,
        end_date: new Date(Date.now() + DAY_MS),
        number_key: createHash('sha256').update(slug).digest(),
        choices: [],
        ...more,
      }
      const id = await opened.db.transaction().execute((trx) => insertOffer(trx, { offer, pictures }))
      return { id, slug }
    },

    /** How many entries the public log of a contest has; null before there is one. */
    logEntries: async (offerId: number): Promise<number | null> => {
      const log = await opened.db
        .selectFrom('draw_logs')
        .select('entries')
        .where('id', '=', offerId)
        .executeTakeFirst()
      return log?.entries ?? null
    },

    /** Makes customers with a cart and a session each; they cannot log in. */
    customers: (count: number): Promise<MadeCustomer[]> =>
      makeCustomers(opened.db, count, { secret, passwordHash: 'none' }),

    /** Stops this program, too, when the testbed is closed. */
    track<Tracked extends Program>(one: Tracked): Tracked {
      programs.push(one)
      return one
    },

    /** Programs that ended although nobody had stopped them. */
    unexpectedExits: (): string[] => [keeper, ...programs].flatMap((one) => one.unexpectedExit() ?? []),

    /** @param keep leaves the database and the logs */
    async close(keep = false): Promise<void> {
      await close(keep)
      done()
    },
  }
}

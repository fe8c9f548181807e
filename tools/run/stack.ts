import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Client } from 'pg'
import { hasOpenssl } from '../../emulators/tsa/authority.ts'
import { databaseClient } from '#platform/database-client.ts'
import { databaseTrouble } from '#platform/database-errors.ts'
import { refuseUnreleasedDatabase, UnreleasedDatabaseError } from '#platform/migrations.ts'
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import type { PlatformLog } from '#platform/postgres/log.ts'
import { type Config, demoToken } from '#server/config.ts'
import { startFault } from '#server/start-faults.ts'
import { type Child, startChild, waitUntilReady } from './children.ts'
import { keepSendingPayments } from './demo-payments.ts'
import { claimInstance, type InstanceFile } from './instance.ts'
import { logToFile, printEverything } from './log.ts'
import { reachable, requireFreePort } from './free-port.ts'
import { LIBRARY_LIMITS, NODE_LIMITS } from './memory-limits.ts'
import { choosePorts, PORT_NAMES, type Ports } from './ports.ts'
import { PlainError, say } from './say.ts'
import {
  drandSettings,
  drawSettings,
  emulatorSettings,
  readRunSettings,
  type RunSettings,
  stampSettings,
  witnessSettings,
  witnessStateFile,
  withPorts,
} from './settings.ts'

export interface StackOptions {
  projectDir: string
  config: Config
  instance: InstanceFile
  /** Port of the PayPal emulator; nothing when the settings name a PayPal of their own. */
  emulatorPort: number | undefined
  /** Port of the drand emulator; nothing when the settings name a beacon of their own. */
  drandPort: number | undefined
  /** The witness emulator; nothing when the settings name a policy of their own. */
  witness: ReturnType<typeof witnessSettings> | undefined
  /** The time stamp emulator; nothing when the settings name an authority of their own, or this machine lacks its program. */
  stamp: ReturnType<typeof stampSettings> | undefined
  /** Environment of the shop beyond this process's own. */
  shopEnv: NodeJS.ProcessEnv
  /** Folder for the logs of the shop and the emulator; left out, they are printed. */
  logFolder: string | undefined
}

/**
 * Reads the settings, ends leftover processes, and checks the ports. A demonstration logs into its data folder; a live shop
 * and `npm run dev` print their log.
 */
export async function prepareStack(projectDir: string, shopEnv: NodeJS.ProcessEnv) {
  const first = readRunSettings(process.env, projectDir)
  const instance = await claimInstance(first.config.dataDir).catch((error: unknown) => {
    const fault = startFault(error, first.config)
    throw fault ? new PlainError(fault) : error
  })
  const ports = await freePorts(first).catch((error: unknown) => {
    instance.clear()
    throw error
  })
  // The folder is ours from here on.
  if (first.config.demo) demoToken(first.config)
  const { config, emulatorPort, drandPort, witnessPort, stampPort } = readRunSettings(
    withPorts(process.env, ports),
    projectDir,
  )
  instance.announce({ address: config.publicUrl, ports })
  const emulator = emulatorPort ? emulatorSettings(config, emulatorPort) : undefined
  const drand = drandPort ? drandSettings(config, drandPort) : undefined
  const witness = witnessPort ? witnessSettings(config, witnessPort) : undefined
  const stamp = stampPort && hasOpenssl() ? stampSettings(config, stampPort) : undefined
  if (stampPort && !stamp) say('Draws have no time stamps: this machine lacks the program openssl.')
  const { dataDir: DATA_DIR, demoToken: DEMO_TOKEN } = config
  const env = {
    ...emulator?.shopEnv,
    ...drand?.shopEnv,
    ...witness?.shopEnv,
    ...stamp?.shopEnv,
    ...drawSettings(config, process.env),
    ...(emulator && config.demo && { VOLANT_DEMO_HISTORY: '1' }),
    DATA_DIR,
    PORT: String(config.port),
    ...(DEMO_TOKEN && { DEMO_TOKEN, DEMO_TOKEN_FILE: '' }),
    ...shopEnv,
  }
  const logFolder = config.demo && !shopEnv.VOLANT_DEV ? path.join(config.dataDir, 'log') : undefined
  const stack = new Stack({
    projectDir,
    config,
    instance,
    emulatorPort,
    drandPort,
    witness,
    stamp,
    shopEnv: env,
    logFolder,
  })
  const urls = {
    emulatorUrl: emulator?.publicUrl,
    drandUrl: drand?.publicUrl,
    witnessUrl: witness?.publicUrl,
    stampUrl: stamp?.publicUrl,
  }
  return { stack, urls }
}

/** @throws PlainError when a port that somebody has set, or needs, is taken */
async function freePorts({
  config,
  emulatorPort,
  drandPort,
  witnessPort,
  stampPort,
  movable,
}: RunSettings): Promise<Ports> {
  const { host, dataDir, port } = config
  const usual: Ports = {
    PORT: port,
    ...(emulatorPort && { PAYPAL_PORT: emulatorPort }),
    ...(drandPort && { DRAND_PORT: drandPort }),
    ...(witnessPort && { WITNESS_PORT: witnessPort }),
    ...(stampPort && { STAMP_PORT: stampPort }),
  }
  const fixed = new Set(PORT_NAMES.filter((name) => !movable.has(name)))
  for (const setting of fixed) {
    const set = usual[setting]
    if (set) await requireFreePort({ setting, host, port: set })
  }
  return choosePorts({ host, dataDir, usual, fixed })
}

/** Everything a start has begun, in the order of beginning. */
export class Stack {
  database: EmbeddedPostgres | undefined
  emulator: Child | undefined
  drand: Child | undefined
  witness: Child | undefined
  stamp: Child | undefined
  shop: Child | undefined
  readonly options: StackOptions
  readonly #stop = new AbortController()
  #starting: Promise<unknown> = Promise.resolve()

  constructor(options: StackOptions) {
    this.options = options
  }

  /** Aborted once the stack is to stop; nothing is started afterwards. */
  get stopping(): AbortSignal {
    return this.#stop.signal
  }

  /** Database first: starting it here shows its faults plainly, and it outlives restarts of the shop. */
  async startDatabase(): Promise<void> {
    const { config, projectDir } = this.options
    if (!config.databaseUrl) {
      say('Starting the database …')
      this.stopping.throwIfAborted()
      const { dataDir, demo: emptyCopy } = config
      const starting = ensureEmbeddedPostgres({ dataDir, projectDir, log: databaseLog, emptyCopy })
      this.#starting = starting.catch(() => {})
      this.database = await starting
    } else await requireLogin(config)
    await this.#refuseUnreleased(config.databaseUrl ?? this.database?.url ?? '')
  }

  async #refuseUnreleased(url: string): Promise<void> {
    const { config, projectDir } = this.options
    try {
      await refuseUnreleasedDatabase(url, path.join(projectDir, 'db/migrations'))
    } catch (error) {
      if (!(error instanceof UnreleasedDatabaseError)) throw error
      throw new PlainError(adviseToBeginAfresh(config.dataDir, this.database?.dataDir))
    }
  }

  #start(name: string, program: string, more: NodeJS.ProcessEnv, nodeArgs: string[] = []): Child {
    const { projectDir: cwd, instance, logFolder } = this.options
    this.stopping.throwIfAborted()
    const write = logFolder ? logToFile(name, logFolder) : printEverything(name)
    const env = { ...LIBRARY_LIMITS, ...process.env, ...more }
    return startChild({ name, args: [...nodeArgs, path.join(cwd, program)], cwd, env, write }, instance)
  }

  async startEmulators(): Promise<void> {
    await this.#startPaypal()
    await this.#startDrand()
    await this.#startStamps()
  }

  async #startStamps(): Promise<void> {
    const { stamp } = this.options
    if (!stamp) return
    say('Starting the time stamp emulator …')
    this.stamp = this.#start('stamps', 'emulators/tsa/main.ts', stamp.env)
    await waitUntilReady(this.stamp, stamp.checkUrl, 20_000)
  }

  async #startDrand(): Promise<void> {
    const { config, drandPort } = this.options
    if (!drandPort) return
    say('Starting the drand emulator …')
    const { env, checkUrl } = drandSettings(config, drandPort)
    this.drand = this.#start('drand', 'emulators/drand/main.ts', env)
    await waitUntilReady(this.drand, checkUrl, 20_000)
  }

  /** After the database: witnesses of a demonstration that begins again know nothing of the former one. */
  async startWitnesses(): Promise<void> {
    const { config, witness } = this.options
    if (!witness) return
    say('Starting the witness emulator …')
    const { env, checkUrl, policy, policyFile } = witness
    if (!(await hasRegister(config.databaseUrl ?? this.database?.url ?? '')))
      rmSync(witnessStateFile(config), { force: true })
    writeFileSync(policyFile, policy)
    this.witness = this.#start('witness', 'emulators/witness/main.ts', env)
    await waitUntilReady(this.witness, checkUrl, 20_000)
  }

  async #startPaypal(): Promise<void> {
    const { config, emulatorPort } = this.options
    if (!emulatorPort) return
    say('Starting the PayPal emulator …')
    const { env, checkUrl } = emulatorSettings(config, emulatorPort)
    this.emulator = this.#start('paypal', 'emulators/paypal/main.ts', env)
    await waitUntilReady(this.emulator, checkUrl, 20_000)
  }

  async startShop(): Promise<Child> {
    const { config, shopEnv, emulatorPort } = this.options
    this.shop = this.#start('shop', 'src/server/main.ts', shopEnv, NODE_LIMITS)
    const url = `http://${reachable(config.host)}:${config.port}/api/health/ready`
    await waitUntilReady(this.shop, url, 120_000)
    if (config.demo && emulatorPort) {
      const { env } = emulatorSettings(config, emulatorPort)
      const { demoToken: token } = config
      await keepSendingPayments(config.dataDir, env.API_URL, { stopping: this.stopping, token })
    }
    return this.shop
  }

  /** Stops in the opposite order, so that the shop can finish what it is doing. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#starting
    await this.shop?.stop(15_000)
    await this.emulator?.stop(5_000)
    await this.drand?.stop(5_000)
    await this.witness?.stop(5_000)
    await this.stamp?.stop(5_000)
    await this.database?.stop()
    this.options.instance.clear()
  }

  /** Ends everything at once; the database still closes its files. */
  async force(): Promise<void> {
    this.#stop.abort()
    this.shop?.kill()
    this.emulator?.kill()
    this.drand?.kill()
    this.witness?.kill()
    this.stamp?.kill()
    await Promise.race([this.database?.stop(), new Promise((resolve) => setTimeout(resolve, 5_000))])
    this.options.instance.clear()
  }
}

/** Refuses an address that will never work. A server that does not respond yet passes: the shop waits for it. */
async function requireLogin(config: Config): Promise<void> {
  let client: Client | undefined
  try {
    client = databaseClient(config.databaseUrl ?? '', { connectionTimeoutMillis: 5_000 })
    await client.connect()
  } catch (error) {
    const fault = databaseTrouble(error) ? undefined : startFault(error, config)
    if (fault) throw new PlainError(fault)
  } finally {
    await client?.end().catch(() => {})
  }
}

/** Whether draws have been published. Without a response the database is one that the shop waits for: it may have. */
async function hasRegister(url: string): Promise<boolean> {
  const client = databaseClient(url, { connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ found: string | null }>(`SELECT to_regclass('draw_logs') AS found`)
    if (rows[0]?.found === null) return false
    return (await client.query('SELECT FROM draw_logs WHERE id = 0')).rowCount !== 0
  } catch {
    return true
  } finally {
    await client.end().catch(() => {})
  }
}

/** What to do about a database from before the first release. Removing anything is left to the operator. */
export function adviseToBeginAfresh(dataDir: string, databaseFolder: string | undefined): string {
  const fault =
    'The database was made by a version of Volant from before its first release. It cannot be updated.'
  const end = 'Nothing was changed or removed. Only the version that made the database can read it.'
  if (!databaseFolder) return `${fault}\nSet DATABASE_URL to an empty database. ${end}`
  const isInside = databaseFolder.startsWith(dataDir + path.sep)
  const folders = [dataDir, ...(isInside ? [] : [databaseFolder])]
  return (
    `${fault}\nTo begin with an empty shop, remove\n${folders.map((folder) => `  ${folder}\n`).join('')}` +
    `and start again, or choose another folder with DATA_DIR. ${end}`
  )
}

const tell = (fields: object, message: string): void => {
  const { err, reason } = fields as { err?: Error; reason?: string }
  const detail = err?.message ?? reason
  process.stderr.write(`database | ${message}${detail ? `: ${detail}` : ''}\n`)
}
const databaseLog: PlatformLog = { info: () => {}, warn: tell, error: tell }

import path from 'node:path'
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import type { PlatformLog } from '#platform/postgres/log.ts'
import type { Config } from '#server/config.ts'
import { type Child, startChild } from './children.ts'
import { emulatorSettings } from './emulator-settings.ts'
import type { InstanceFile } from './instance-file.ts'
import { reachable } from './ports.ts'
import { say } from './say.ts'
import { waitUntilReady } from './wait.ts'

export interface StackOptions {
  projectDir: string
  config: Config
  instance: InstanceFile
  /** Port of the PayPal emulator; nothing when the settings name a PayPal of their own. */
  emulatorPort: number | undefined
  /** Environment of the shop beyond this process's own. */
  shopEnv: NodeJS.ProcessEnv
}

/** Everything a start has begun, in the order of beginning. */
export class Stack {
  database: EmbeddedPostgres | undefined
  emulator: Child | undefined
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
    if (config.databaseUrl) return
    say('Starting the database …')
    this.stopping.throwIfAborted()
    const starting = ensureEmbeddedPostgres({ dataDir: config.dataDir, projectDir, log: databaseLog })
    this.#starting = starting.catch(() => {})
    this.database = await starting
  }

  async startEmulator(): Promise<void> {
    const { config, projectDir, instance, emulatorPort } = this.options
    if (!emulatorPort) return
    say('Starting the PayPal emulator …')
    this.stopping.throwIfAborted()
    const { env, checkUrl } = emulatorSettings(config, emulatorPort)
    this.emulator = startChild(
      {
        name: 'paypal',
        args: [path.join(projectDir, 'emulators/paypal/main.ts')],
        cwd: projectDir,
        env: { ...process.env, ...env },
      },
      instance,
    )
    await waitUntilReady(this.emulator, checkUrl, 20_000)
  }

  async startShop(): Promise<Child> {
    const { config, projectDir, instance, shopEnv } = this.options
    this.stopping.throwIfAborted()
    this.shop = startChild(
      {
        name: 'shop',
        args: [path.join(projectDir, 'src/server/main.ts')],
        cwd: projectDir,
        env: { ...process.env, ...shopEnv },
      },
      instance,
    )
    await waitUntilReady(
      this.shop,
      `http://${reachable(config.host)}:${config.port}/api/health/ready`,
      120_000,
    )
    return this.shop
  }

  /** Stops in the opposite order, so that the shop can finish what it is doing. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#starting
    await this.shop?.stop(15_000)
    await this.emulator?.stop(5_000)
    await this.database?.stop()
    this.options.instance.clear()
  }

  /** Ends everything at once; the database still closes its files. */
  async force(): Promise<void> {
    this.#stop.abort()
    this.shop?.kill()
    this.emulator?.kill()
    await Promise.race([this.database?.stop(), new Promise((resolve) => setTimeout(resolve, 5_000))])
    this.options.instance.clear()
  }
}

const tell = (fields: object, message: string): void => {
  const { err, reason } = fields as { err?: Error; reason?: string }
  const detail = err?.message ?? reason
  process.stderr.write(`database | ${message}${detail ? `: ${detail}` : ''}\n`)
}
const databaseLog: PlatformLog = { info: () => {}, warn: tell, error: tell }

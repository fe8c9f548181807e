import { callbackify } from 'node:util'
import pg from 'pg'
import { readAddress, type Servers, serversOf } from './database-address.ts'

export interface DatabaseClientConfig extends pg.ClientConfig {
  servers?: Servers | undefined
}

type Connected = (error?: Error) => void

/** A connection to the one of an address's servers that will do. */
export class DatabaseClient extends pg.Client {
  readonly #servers: Servers | undefined

  constructor({ servers, ...config }: DatabaseClientConfig) {
    super(config)
    this.#servers = servers
    if (servers) this.on('error', servers.forget)
  }

  override connect(): Promise<this>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<this> | undefined {
    if (!callback) return this.#connect()
    callbackify(() => this.#connect())(callback)
    return undefined
  }

  async #connect(): Promise<this> {
    await this.beforeConnect()
    const place = await this.#servers?.find()
    if (place) Object.assign(this, place)
    try {
      await super.connect()
      await this.#servers?.check({ host: this.host, port: this.port, query: (text) => super.query(text) })
    } catch (error) {
      this.#servers?.forget()
      // Its caller counts it as never opened.
      void super.end().catch(() => {})
      throw error
    }
    return this
  }

  protected beforeConnect(): Promise<void> {
    return Promise.resolve()
  }
}

/** What the driver needs to connect to an address. @throws for no address */
export function connectionTo(url: string): Pick<DatabaseClientConfig, 'connectionString' | 'servers'> {
  const address = readAddress(url)
  if (!address) throw new Error('not the address of a database')
  return { connectionString: address.urls[0], servers: serversOf(address) }
}

/** A single connection, not open yet; a failing query reports a fault, and nothing else does. */
export function databaseClient(url: string, config: DatabaseClientConfig = {}): DatabaseClient {
  const client = new DatabaseClient({ ...config, ...connectionTo(url) })
  client.on('error', () => {})
  return client
}

import {
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  type Driver,
  DummyDriver,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type QueryResult,
  Transaction,
  type TransactionSettings,
} from 'kysely'
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DatabaseClient, type DatabaseClientConfig } from './database-client.ts'
import { isLostStatement, isOutdatedPlan, isRefusedAfterFailure } from './database-errors.ts'
import type { Sessions } from './database-sessions.ts'

const PREPARED_MAX = 1_000

const SEEN_OFTEN = 3

/** Bounds the memory for texts that occur once. */
const SEEN_MAX = 5_000

const seen = new Map<string, number>()
const names = new Map<string, string>()
let named = 0
/** Other processes give the same numbers to other texts, and a pooler may lead us to a session of theirs. */
const OURS = randomBytes(4).toString('hex')

function preparedName(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= PREPARED_MAX) return known
  const times = (seen.get(text) ?? 0) + 1
  if (times < SEEN_OFTEN) {
    if (seen.size >= SEEN_MAX) seen.clear()
    seen.set(text, times)
    return undefined
  }
  seen.delete(text)
  return rename(text)
}

function rename(text: string): string {
  named += 1
  const name = `volant-${OURS}-${named}`
  names.set(text, name)
  return name
}

type Send = (...args: unknown[]) => Promise<unknown>

interface PreparingConfig extends DatabaseClientConfig {
  sessions: Sessions
}

const BEGINS = /^(?:begin|start transaction)\b/
const ENDS = /^(?:commit|rollback)$/
const TAKES_TIME = /\bset_config\('statement_timeout'/i

const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const

/**
 * A connection that prepares recurring statements, so that the server plans them once. Where a pooler shares the sessions,
 * nothing outlives a transaction: statements have no names, and each transaction sets the timeouts for itself.
 */
export class PreparingClient extends DatabaseClient {
  readonly #sessions: Sessions
  readonly #setTimeouts: string
  #isGathering = false
  #isInTransaction = false
  readonly #responseWithin: number | undefined

  constructor({ sessions, ...config }: PreparingConfig) {
    super(config)
    this.#sessions = sessions
    this.#responseWithin = this.#parameters.query_timeout
    this.#setTimeouts = TIMEOUTS.map((name) => `set local ${name} = ${Number(config[name] ?? 0)}`).join('; ')
  }

  get #parameters(): { query_timeout: number | undefined } {
    return (this as unknown as { connectionParameters: { query_timeout: number | undefined } })
      .connectionParameters
  }

  protected override async beforeConnect(): Promise<void> {
    await this.#sessions.known()
    if (!this.#sessions.areShared) return
    // A pooler refuses them as parameters of a new connection.
    Object.assign(this.#parameters, Object.fromEntries(TIMEOUTS.map((name) => [name, undefined])))
  }

  // The pool and Kysely call it with a text and values.
  override query(...args: unknown[]): never {
    this.#gather()
    const send = super.query.bind(this) as unknown as Send
    const [text, values] = args
    const isPlain = args.length === 2 && typeof text === 'string' && Array.isArray(values)
    const begins = isPlain && BEGINS.test(text)
    const ends = isPlain && ENDS.test(text)
    if (begins || ends) this.#isInTransaction = begins
    // A transaction that gives itself more time is waited for.
    if (begins || ends) this.#parameters.query_timeout = this.#responseWithin
    else if (isPlain && TAKES_TIME.test(text)) this.#parameters.query_timeout = undefined
    if (this.#sessions.areShared) {
      if (begins) return send(`${text as string}; ${this.#setTimeouts}`) as never
      const isCovered = !isPlain || ends || this.#isInTransaction
      return (isCovered ? send(...args) : this.#sendAlone(send, args)) as never
    }
    const name = isPlain && values.length > 0 ? preparedName(text) : undefined
    if (name === undefined) return send(...args) as never
    const response = send({ name, text, values }).catch((error: unknown) => {
      if (isLostStatement(error)) this.#sessions.found()
      else if (!isOutdatedPlan(error)) throw error
      // A migration has changed its result: every connection prepares it again, under another name.
      else if (names.get(text as string) === name) rename(text as string)
      // A failed transaction is lost as a whole; `transact` runs it again.
      if (this.getTransactionStatus() !== 'I') throw error
      return send(text, values)
    })
    return response as never
  }

  /** In a transaction of its own, which has the timeouts. */
  async #sendAlone(send: Send, args: readonly unknown[]): Promise<unknown> {
    const begun = send(`begin; ${this.#setTimeouts}`)
    const responded = send(...args)
    const committed = send('commit')
    const ends = await Promise.allSettled([responded, begun, committed])
    // A failed statement explains more than what it makes fail.
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return await responded
  }

  /** Sends the statements of one turn of the event loop in one write. */
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = (this as unknown as { connection: { stream: Duplex } }).connection
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }
}

/** Callers may ignore the response. */
function send(connection: DatabaseConnection, text: string): Promise<void> {
  const sent = connection.executeQuery(CompiledQuery.raw(text)).then(() => undefined)
  sent.catch(() => undefined)
  return sent
}

const begin = (connection: DatabaseConnection, level: TransactionSettings['isolationLevel']): Promise<void> =>
  send(connection, level === undefined ? 'begin' : `start transaction isolation level ${level}`)

/** Sends BEGIN together with the first statement, which saves a round trip. */
class EagerDriver extends PostgresDriver {
  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    void begin(connection, settings.isolationLevel)
    return Promise.resolve()
  }
}

/** Responses that come together reject together, and the caller that has the shortest way would see the wrong error. */
const firstFailureFirst = (connection: DatabaseConnection): DatabaseConnection => ({
  executeQuery: (query, options) =>
    connection.executeQuery<never>(query, options).catch(async (error: unknown) => {
      if (isRefusedAfterFailure(error)) await nextTurn()
      throw error
    }),
  streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
})

interface Begin {
  isolation?: TransactionSettings['isolationLevel']
  durable?: boolean
  lockTimeoutMs: number
}

export class EagerPostgresDialect extends PostgresDialect {
  readonly #driver: Driver

  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#driver = new EagerDriver(config)
  }

  override createDriver(): Driver {
    return this.#driver
  }

  /** Resolves once BEGIN gets a response. */
  begin(
    connection: DatabaseConnection,
    { isolation = 'read committed', durable = true, lockTimeoutMs }: Begin,
  ): Promise<void> {
    const begun = begin(connection, isolation)
    if (!durable) void send(connection, 'set local synchronous_commit = off')
    void send(connection, `set local lock_timeout = ${lockTimeoutMs}`)
    return begun
  }

  /** @throws when the server rolls back instead, because an earlier statement has failed */
  commit = (connection: DatabaseConnection): Promise<void> => this.#driver.commitTransaction(connection)

  rollback = (connection: DatabaseConnection): Promise<void> => this.#driver.rollbackTransaction(connection)

  /** Responses of statements in a transaction of their own, which refuses every change; all in one write. */
  async readOnly<Row>(
    connection: DatabaseConnection,
    queries: readonly CompiledQuery<Row>[],
  ): Promise<QueryResult<Row>[]> {
    const begun = send(connection, 'start transaction read only')
    const responded = queries.map((query) => connection.executeQuery<Row>(query))
    const committed = send(connection, 'commit')
    const ends = await Promise.allSettled([...responded, begun, committed])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return Promise.all(responded)
  }

  /** A database whose statements go where `connection` sends them. */
  on<DB>(db: Kysely<DB>, connection: DatabaseConnection): Kysely<DB> {
    const executor = db
      .getExecutor()
      .withConnectionProvider({ provideConnection: (consumer) => consumer(connection) })
    return new Kysely<DB>({ config: { dialect: this }, dialect: this, driver: new DummyDriver(), executor })
  }

  /** Sends each statement at once; Kysely's transaction waits for the response to the one before. */
  transactionOn<DB>(db: Kysely<DB>, connection: DatabaseConnection, isOver: () => boolean): Transaction<DB> {
    const ordered = firstFailureFirst(connection)
    const provider: ConnectionProvider = {
      provideConnection: (consumer) =>
        isOver()
          ? Promise.reject(new Error('a statement came after the end of its transaction'))
          : consumer(ordered),
    }
    return new Transaction<DB>({
      config: { dialect: this },
      dialect: this,
      driver: new DummyDriver(),
      executor: db.getExecutor().withConnectionProvider(provider),
    })
  }
}

import {
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  type Driver,
  DummyDriver,
  type Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  Transaction,
  type TransactionSettings,
} from 'kysely'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import { isOutdatedPlan } from './database-errors.ts'

/** Statements a connection keeps prepared; a text beyond them is planned each time, as any other. */
const PREPARED_MAX = 300

/** How often a text must have come before it counts as one that comes again. */
const SEEN_OFTEN = 3

/** Texts that were seen, so that those of a length of their own (`IN ($1, $2, …)`) do not fill the memory. */
const SEEN_MAX = 2_000

const seen = new Map<string, number>()
const names = new Map<string, string>()
let named = 0

/** The name under which a recurring statement is prepared; undefined for one that does not recur. */
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
  const name = `volant-${named}`
  names.set(text, name)
  return name
}

type Send = (...args: unknown[]) => Promise<unknown>

/** A connection that has the server plan recurring statements once instead of with every call. */
export class PreparingClient extends pg.Client {
  #isGathering = false

  // The pool and Kysely call it with a text and values; everything else goes through as it came.
  override query(...args: unknown[]): never {
    this.#gather()
    const send = super.query.bind(this) as unknown as Send
    const [text, values] = args
    const plain = args.length === 2 && typeof text === 'string' && Array.isArray(values) && values.length > 0
    const name = plain ? preparedName(text) : undefined
    if (name === undefined) return send(...args) as never
    const answer = send({ name, text, values }).catch((error: unknown) => {
      if (!isOutdatedPlan(error)) throw error
      // A migration has changed what the statement gives back: it is prepared anew under another name, everywhere.
      if (names.get(text as string) === name) rename(text as string)
      // In a transaction everything before it is lost as well, so the whole of it runs again: `transact`.
      if (this.getTransactionStatus() !== 'I') throw error
      return send(text, values)
    })
    return answer as never
  }

  /** Statements of one turn go to the server in one write. */
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

/** Sends a statement without waiting for it; whoever needs to know how it ended awaits the answer. */
function send(connection: DatabaseConnection, text: string): Promise<void> {
  const sent = connection.executeQuery(CompiledQuery.raw(text)).then(() => undefined)
  sent.catch(() => undefined)
  return sent
}

const begin = (connection: DatabaseConnection, level: TransactionSettings['isolationLevel']): Promise<void> =>
  send(connection, level === undefined ? 'begin' : `start transaction isolation level ${level}`)

/** Sends BEGIN together with the first statement of a transaction, which saves a round trip. */
class EagerDriver extends PostgresDriver {
  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    void begin(connection, settings.isolationLevel)
    return Promise.resolve()
  }
}

interface Begin {
  isolation?: TransactionSettings['isolationLevel']
  /** Whether COMMIT is answered only once it lies on the disk. */
  durable?: boolean
  lockTimeoutMs?: number | undefined
}

/** Kysely's PostgreSQL over connections that answer statements in the order in which they were sent. */
export class EagerPostgresDialect extends PostgresDialect {
  readonly #driver: Driver

  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#driver = new EagerDriver(config)
  }

  override createDriver(): Driver {
    return this.#driver
  }

  /**
   * Sends BEGIN; whatever follows on this connection belongs to the transaction, unless BEGIN was refused.
   * @returns resolves once it is answered
   */
  begin(
    connection: DatabaseConnection,
    { isolation = 'read committed', durable = true, lockTimeoutMs }: Begin,
  ): Promise<void> {
    const begun = begin(connection, isolation)
    if (!durable) void send(connection, 'set local synchronous_commit = off')
    if (lockTimeoutMs !== undefined) void send(connection, `set local lock_timeout = ${lockTimeoutMs}`)
    return begun
  }

  /** Sends COMMIT. @throws when the server rolls back instead, because a statement before has failed */
  commit = (connection: DatabaseConnection): Promise<void> => this.#driver.commitTransaction(connection)

  /** Rolls back; a connection on which even that fails serves nobody again. */
  rollback = (connection: DatabaseConnection): Promise<void> => this.#driver.rollbackTransaction(connection)

  /**
   * A transaction on a connection. Kysely's own sends a statement only when the one before is answered; this one hands
   * each to the connection the moment it is executed, so that those of one turn travel together, in their order.
   * @param isOver whether the transaction has ended: a statement that comes later is refused, for it would run alone
   */
  transactionOn<DB>(db: Kysely<DB>, connection: DatabaseConnection, isOver: () => boolean): Transaction<DB> {
    const provider: ConnectionProvider = {
      provideConnection: (consumer) =>
        isOver()
          ? Promise.reject(new Error('a statement came after the end of its transaction'))
          : consumer(connection),
    }
    return new Transaction<DB>({
      config: { dialect: this },
      dialect: this,
      driver: new DummyDriver(),
      executor: db.getExecutor().withConnectionProvider(provider),
    })
  }
}

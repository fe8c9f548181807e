import { setTimeout as sleep } from 'node:timers/promises'
import { type CompiledQuery, type DatabaseConnection, type QueryResult, sql } from 'kysely'
import { type Database, type ReadDatabase, dialectOf } from './database.ts'
import { databaseTrouble, errorCode } from './database-errors.ts'
import type { Metrics } from './metrics.ts'
import type { PlatformLog } from './postgres/log.ts'
import { WalTimes } from './wal-times.ts'

/** How far behind a standby may be, in milliseconds. */
export interface ReplicaLimits {
  /** From here on screens say how old what they show is. */
  told: number
  /** From here on nothing is read from it. */
  far: number
}

export const REPLICA_LIMITS: ReplicaLimits = { told: 60_000, far: 300_000 }

/**
 * What a server is to the shop: `follows` the primary closely enough to be read; `behind` it too far; `away`;
 * `writes`, so that it is no standby; or `foreign`, a standby of another primary or another database.
 */
export type ReplicaState = 'follows' | 'behind' | 'away' | 'writes' | 'foreign'

export interface ReplicaView {
  state: ReplicaState
  /** Milliseconds by which its data are older than the primary's, where that is known. */
  behind?: number
  /** Milliseconds by which its clock is ahead of the primary's. */
  ahead?: number
  /** Why it does not respond. */
  reason?: string
}

export interface ReadReplicaOptions {
  primary: Database
  replica: Database
  log: PlatformLog
  metrics?: Pick<Metrics, 'read' | 'watchReplica'>
  limits?: ReplicaLimits
}

/** What a response was read from. */
export interface Reading {
  /** When that was all there is, in milliseconds since the epoch; undefined of the primary. */
  from: number | undefined
  /** A place in the primary's log that the response has reached for sure. */
  reached: number | undefined
}

interface Reader {
  /** The response must have all that the primary had written up to this place of its log. */
  least?: number | undefined
  onRead: (reading: Reading) => void
}

export type ReadReplica = ReturnType<typeof readReplica>

/** How often primary and standby are compared. */
export const LOOK_MS = 2_000
const RESPONSE_MS = 2_000
/** The primary would hardly be faster than a standby that takes too long, and takes no change either. */
const FINAL: ReadonlySet<string | undefined> = new Set(['57014', '25006'])

interface Position {
  /** Bytes of the log; null of a server that is no standby. */
  place: number | null
  /** Of the last commit that was replayed, by the primary's clock. */
  commit: number | null
  at: number
}

/** Which servers have the same data: those of one primary, and one database of them. */
interface Placed extends Position {
  cluster: string
}

const CLUSTER = sql`(SELECT system_identifier FROM pg_control_system()) || ' ' || current_database()`
const NOW = sql`(extract(epoch FROM clock_timestamp()) * 1000)::float8`
const bytes = (place: string) => sql`pg_wal_lsn_diff(${sql.raw(place)}(), '0/0')::int8`

const WRITTEN = sql<Placed>`
  SELECT ${CLUSTER} AS cluster, ${NOW} AS at, NULL::float8 AS commit, ${bytes('pg_current_wal_flush_lsn')} AS place`
const REPLAYED = sql<Position>`
  SELECT ${NOW} AS at,
         (extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000)::float8 AS commit,
         CASE WHEN pg_is_in_recovery() THEN ${bytes('pg_last_wal_replay_lsn')} END AS place`

const END = sql`SELECT pg_terminate_backend(pg_backend_pid())`

const REASONS: Record<Exclude<ReplicaState, 'follows'>, string> = {
  behind: 'is too far behind the primary',
  away: 'does not answer',
  writes: 'is no standby',
  foreign: 'follows another primary, or is another database',
}

/**
 * Reads from a standby what may be a little old (ADR 0112). Each statement asks the standby how far it has come, in the same
 * transaction, so that the age of each response is known, whichever server a pooler or proxy chooses. What the standby
 * does not serve, or not well enough, the primary serves: in a transaction, too, that takes no change.
 */
export function readReplica({ primary, replica, log, metrics, limits = REPLICA_LIMITS }: ReadReplicaOptions) {
  const { told, far } = limits
  // Some time longer than it counts, for what is under way.
  const times = new WalTimes(far + 10 * LOOK_MS)
  const replayed = REPLAYED.compile(primary)
  const placed = sql<Pick<Placed, 'cluster'>>`SELECT ${CLUSTER} AS cluster`.compile(primary)
  let cluster: string | undefined
  let view: ReplicaView = { state: 'away', reason: 'not asked yet' }
  /** Of any standby, at its last response. */
  let reached = 0
  let given = giveUp()
  let hasFollowed = false
  metrics?.watchReplica(() => view)

  /** What a position means, and from when the data are. */
  function judge({ place, commit, at }: Position): ReplicaView & { from?: number } {
    const now = times.now()
    if (now === undefined) return { state: 'away', reason: 'the primary was not asked yet' }
    if (place === null) return { state: 'writes' }
    const known = [times.timeOf(place), commit ?? undefined].filter((one) => one !== undefined)
    if (known.length === 0) return { state: 'behind' }
    const from = Math.min(now, Math.max(...known))
    // Who was too far behind is asked again once that is clearly over.
    const most = view.state === 'behind' ? far / 2 : far
    return { state: now - from < most ? 'follows' : 'behind', behind: now - from, ahead: at - now, from }
  }

  function become(next: ReplicaView): void {
    const before = view
    view = next
    if (before.state === next.state) return
    if (next.state === 'follows') return log.info({}, 'the read replica is read')
    const { reason } = next
    given.reject(new GivenUp(REASONS[next.state]))
    given = giveUp()
    log.warn(
      { ...(reason !== undefined && { reason }) },
      `the read replica ${REASONS[next.state]}: the primary answers lists, reports and public pages`,
    )
  }

  const fromPrimary = <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> =>
    primary
      .getExecutor()
      .provideConnection(async (connection) => (await dialectOf(primary).readOnly(connection, [query]))[0]!)

  /** A response with the position of the server that gave it, which is asked for before. */
  async function fromReplica<Row>(query: CompiledQuery<Row>): Promise<[Position, QueryResult<Row>]> {
    const queries = [replayed, query] as CompiledQuery<unknown>[]
    const asked = replica
      .getExecutor()
      .provideConnection((connection) => dialectOf(replica).readOnly(connection, queries))
    const [position, response] = await Promise.race([asked, given.promise])
    return [position!.rows[0] as Position, response as QueryResult<Row>]
  }

  /** @returns undefined when the primary has to respond */
  async function attempt<Row>(query: CompiledQuery<Row>, { least = 0, onRead }: Reader) {
    if (view.state !== 'follows' || reached < least) return undefined
    try {
      const [position, response] = await fromReplica(query)
      const { from, ...found } = judge(position)
      reached = position.place ?? 0
      if (found.state !== 'follows') become(found)
      if (found.state !== 'follows' || reached < least || from === undefined) return undefined
      onRead({ from, reached })
      return response
    } catch (error) {
      if (FINAL.has(errorCode(error))) throw error
      if (databaseTrouble(error) === 'down') become({ state: 'away', reason: (error as Error).message })
      else if (!(error instanceof GivenUp))
        log.warn(
          { reason: (error as Error).message },
          'the read replica refused a statement: the primary answers it',
        )
      return undefined
    }
  }

  async function read<Row>(query: CompiledQuery<Row>, reader: Reader): Promise<QueryResult<Row>> {
    const response = await attempt(query, reader)
    metrics?.read(response ? 'replica' : 'primary')
    if (response) return response
    reader.onRead({ from: undefined, reached: times.newest })
    return await fromPrimary(query)
  }

  async function lookAtPrimary(): Promise<void> {
    const { rows } = await within(fromPrimary(WRITTEN.compile(primary)))
    const [position] = rows
    cluster = position!.cluster
    times.note(position!.place ?? 0, position!.at)
  }

  return {
    /** Where the replica stood at the last look. */
    view: (): ReplicaView => view,

    /** Compares both servers; to be called every `LOOK_MS`. */
    async look(): Promise<ReplicaView> {
      // Without the primary the times of before count, and everything grows older.
      await lookAtPrimary().catch(() => undefined)
      try {
        const [position, { rows }] = await within(fromReplica(placed))
        const { from: _, ...found } = judge(position)
        reached = position.place ?? 0
        const isForeign = found.state !== 'writes' && cluster !== undefined && rows[0]?.cluster !== cluster
        become(isForeign ? { state: 'foreign' } : found)
        if (found.state === 'follows') hasFollowed = true
        // Promoted: another connection finds the standby of now, where the address or a proxy knows one.
        else if (found.state === 'writes' && hasFollowed) {
          hasFollowed = false
          await within(fromReplica(END.compile(primary))).catch(() => undefined)
        }
      } catch (error) {
        become({ state: 'away', reason: (error as Error).message })
      }
      return view
    },

    /** For the statements of one response, or of responses that are all the same to somebody. */
    reader(reader: Reader): ReadDatabase {
      const connection: DatabaseConnection = {
        executeQuery: <Row>(query: CompiledQuery) => read(query as CompiledQuery<Row>, reader),
        streamQuery: () => {
          throw new Error('a read database streams nothing')
        },
      }
      return dialectOf(primary).on(primary, connection)
    },

    /** From when the data are, if somebody has to be told: they are old by now. */
    isTold: (from: number | undefined): from is number =>
      from !== undefined && (times.now() ?? from) - from >= told,

    /**
     * The place of the primary's log behind all changes that were made until now; undefined while the primary does not
     * respond.
     */
    async written(): Promise<number | undefined> {
      const query = sql<{ place: number }>`SELECT ${bytes('pg_current_wal_insert_lsn')} AS place`
      const response = await fromPrimary(query.compile(primary)).catch(() => undefined)
      return response?.rows[0]?.place
    },
  }
}

/** What waits for a replica that is given up meanwhile does not wait any longer. */
class GivenUp extends Error {
  constructor(reason: string) {
    super(`the read replica ${reason}`)
  }
}

function giveUp() {
  const given = Promise.withResolvers<never>()
  given.promise.catch(() => undefined)
  return given
}

async function within<Result>(asked: Promise<Result>): Promise<Result> {
  const late = sleep(RESPONSE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${RESPONSE_MS / 1_000} s`)
  })
  late.catch(() => undefined)
  asked.catch(() => undefined)
  return Promise.race([asked, late])
}

import path from 'node:path'
import { openDatabase } from '#platform/database.ts'
import type { Metrics } from '#platform/metrics.ts'
import { migrate } from '#platform/migrations.ts'
import { type PlatformLog, silentLog } from '#platform/postgres/log.ts'
import { startThrowAwayPostgres } from '#platform/postgres/throw-away.ts'
import { type ReadReplica, type ReplicaLimits, readReplica } from '#platform/read-replica.ts'
import { type Standby, standbyOf } from '../../tools/testbed/standby.ts'
import type { TestDatabase } from './database.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const LOCKS = { waitMs: 14_000, patienceMs: 14_000 }

export type Replicated = Awaited<ReturnType<typeof replicatedDatabase>>

/** A PostgreSQL of the caller's own with the tables of the shop, and a standby that follows it by streaming. */
export async function replicatedDatabase(limits?: ReplicaLimits) {
  const server = await startThrowAwayPostgres({ projectDir, log: silentLog })
  const { url } = server
  await migrate({ url, folder: path.join(projectDir, 'db/migrations'), log: silentLog })
  const open = (address: string, log: PlatformLog = silentLog, statementMs?: number) =>
    openDatabase({
      url: address,
      max: 10,
      log,
      applicationName: 'replicated',
      locks: LOCKS,
      ...(statementMs !== undefined && { statementMs }),
    })
  const opened = open(url)
  const standby: Standby = await standbyOf(server)
  const replicas: ReturnType<typeof open>[] = []
  /** What `readReplica` makes of an address, of the standby when left out. */
  const replicaAt = (
    address: string,
    {
      log = silentLog,
      metrics,
      statementMs,
    }: { log?: PlatformLog; metrics?: Metrics; statementMs?: number } = {},
  ): ReadReplica => {
    const replica = open(address, log, statementMs)
    replicas.push(replica)
    return readReplica({
      primary: opened.db,
      replica: replica.db,
      log,
      ...(metrics && { metrics }),
      ...(limits && { limits }),
    })
  }
  let replica: ReadReplica | undefined
  const close = async (): Promise<void> => {
    await Promise.all(replicas.map((one) => one.close()))
    await opened.close()
    await standby.kill()
    await server.stop()
  }
  let closed: Promise<void> | undefined
  const database: TestDatabase = { ...opened, url, close: () => (closed ??= close()) }
  return {
    database,
    standby,
    /** The server's own addresses. */
    server,
    replicaAt,
    replicaFor: (given: { log: PlatformLog; metrics: Metrics }): ReadReplica =>
      (replica ??= replicaAt(standby.urlOf(url), given)),
    /** The shop's look at the standby, which a process has every two seconds. */
    look: async () => {
      if (!replica) throw new Error('no shop reads the standby')
      return replica.look()
    },
  }
}

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { AlertChannel } from '#features/alerts/alerts.rules.ts'
import { type Alerts, type AlertSender, type StoredFinding, pauseOf } from '#features/alerts/server/index.ts'
import type { Database } from '#platform/database.ts'
import { databaseTrouble, errorCode } from '#platform/database-errors.ts'
import type { Metrics } from '#platform/metrics.ts'
import { nowMs } from '#shared/clock.ts'
import { reasonOf } from './doctor/findings.ts'
import { storeRun } from './jobs.repository.ts'

/** What keeps PostgreSQL from taking a write. */
export interface DatabaseFault {
  kind: 'databaseAway' | 'databaseReadOnly'
  finding: StoredFinding
}

const WRITE_MS = 8_000
/** Proxies give up a question about readiness after two seconds. */
const ASKED_MS = 1_500
const READ_ONLY = '25006'
const DISK_FULL = '53100'

const fault = (kind: DatabaseFault['kind'], says: string, reason: string): DatabaseFault => ({
  kind,
  finding: { key: `doctor.database.${says}`, values: { reason } },
})

/** Reads a failed write. @returns undefined when the database is not to blame */
export function readFault(error: unknown): DatabaseFault | undefined {
  const reason = reasonOf(error)
  if (errorCode(error) === READ_ONLY) return fault('databaseReadOnly', 'readOnly', reason)
  if (errorCode(error) === DISK_FULL) return fault('databaseReadOnly', 'full', reason)
  return databaseTrouble(error) === undefined ? undefined : fault('databaseAway', 'away', reason)
}

/** A restart of PostgreSQL, or a switch to another one, takes less. */
const PATIENCE_MS = 30_000

interface Lasting {
  fault: DatabaseFault
  since: number
  /** Channels that took the message. */
  opened: AlertChannel[]
  attempts: number
  nextAt: number
}

export interface DatabaseWatchOptions {
  db: Database
  alerts: Alerts
  sender: Pick<AlertSender, 'tellNow' | 'told'>
  metrics: Pick<Metrics, 'registry'>
  /** Names the shop: of the processes of one machine, one tells. */
  name: string
  isMine?: (name: string) => Promise<boolean>
  now?: () => number
  patienceMs?: number
  writeMs?: number
}

/**
 * Writes to the database now and then. While it takes no write, no alert can be stored: one process of each machine tells of
 * it without the database, and notes it there once it is back.
 */
export function watchDatabase(options: DatabaseWatchOptions) {
  const { db, alerts, sender, metrics, name, now = nowMs } = options
  const { isMine = holdsName, patienceMs = PATIENCE_MS, writeMs = WRITE_MS } = options
  let pending: Promise<void> | undefined
  let found: DatabaseFault | undefined
  let lasting: Lasting | undefined
  /** Told, and not yet noted in the database. */
  const ended: Lasting[] = []

  new Gauge({
    name: 'volant_database_fault',
    help: '1 while the database takes no write of this process, by the kind of the fault',
    labelNames: ['kind'],
    registers: [metrics.registry],
    collect() {
      for (const kind of ['databaseAway', 'databaseReadOnly'] as const)
        this.set({ kind }, Number(found?.kind === kind))
    },
  })

  /** A write that hangs is not joined by others. */
  async function look(waitMs = writeMs): Promise<DatabaseFault | undefined> {
    pending ??= storeRun(db, 'watch the database').finally(() => (pending = undefined))
    const hanging = fault('databaseAway', 'slow', `${waitMs / 1_000} s`)
    return Promise.race([
      pending.then(
        () => undefined,
        (error: unknown) => {
          const read = readFault(error)
          if (!read) throw error
          return read
        },
      ),
      sleep(waitMs, hanging, { ref: false }),
    ])
  }

  const messageOf = (event: 'opened' | 'resolved', { fault: { kind, finding }, since }: Lasting) => ({
    kind,
    event,
    at: new Date(now()),
    facts: {
      since: new Date(since).toISOString(),
      fresh: 1,
      open: event === 'opened' ? 1 : 0,
      examples: [{ subject: hostname(), order_number: null, details: { finding } }],
    },
  })

  /** Each channel until it has taken the message. */
  async function open(one: Lasting): Promise<void> {
    const left = sender.told(one.fault.kind).filter((channel) => !one.opened.includes(channel))
    if (left.length === 0 || now() < one.nextAt) return
    one.attempts += 1
    one.nextAt = now() + pauseOf(one.attempts) * 1_000
    one.opened.push(...(await sender.tellNow(messageOf('opened', one), left)))
  }

  async function close(one: Lasting): Promise<void> {
    if (one.opened.length === 0) return
    await sender.tellNow(messageOf('resolved', one), one.opened)
    ended.push(one)
  }

  return {
    /** Why the last write failed. After a failure each question writes again: a database that is back is found at once. */
    async fault(): Promise<DatabaseFault | undefined> {
      if (found) found = await look(Math.min(ASKED_MS, writeMs)).catch(() => found)
      return found
    },

    async run(): Promise<void> {
      found = await look()
      if (lasting && lasting.fault.kind !== found?.kind) {
        const before = lasting
        lasting = undefined
        await close(before)
      }
      if (found) {
        lasting ??= { fault: found, since: now(), opened: [], attempts: 0, nextAt: 0 }
        if (now() - lasting.since >= patienceMs && (await isMine(name))) await open(lasting)
        return
      }
      for (let one = ended[0]; one; one = ended[0]) {
        const { fault: was, since } = one
        const matter = { kind: was.kind, subject: hostname(), details: { finding: was.finding } }
        await alerts.note(db, matter, new Date(since))
        ended.shift()
      }
    },
  }
}

/**
 * Whether this process has a name that only one process of a machine can have, from then on until it ends: an abstract
 * socket of Linux, which needs no file and goes with the process. Elsewhere every process has it.
 */
export async function holdsName(name: string): Promise<boolean> {
  if (process.platform !== 'linux' || held.has(name)) return true
  const server = createServer().unref()
  try {
    server.listen(`\0volant-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`)
    await once(server, 'listening')
    held.add(name)
    return true
  } catch {
    return false
  }
}
const held = new Set<string>()

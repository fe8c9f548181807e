import { setTimeout as sleep } from 'node:timers/promises'
import {
  type LogKey,
  type ShopPolicy,
  type StampAuthority,
  contestsWithoutStamps,
  logOfAnotherKey,
  witnessView,
} from '#features/draws/server/index.ts'
import { countAuthenticators } from '#features/staff/server/index.ts'
import { lastBackupRun } from '#platform/backups.ts'
import { type Database, hasPooler, isReadOnly, openDatabase } from '#platform/database.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { REPLICA_LIMITS, type ReplicaView, readReplica } from '#platform/read-replica.ts'
import { nowMs } from '#shared/clock.ts'
import { doctorRepository } from './doctor.repository.ts'
import { type Check, type Finding, fault, ok, reasonOf, skipped, warning } from './findings.ts'
import { roomIn } from './machine.ts'

/** @param migration the newest one of this program */
export const databaseCheck =
  (db: Database, migration: number): Check =>
  async () => {
    try {
      if (await isReadOnly(db)) return fault('readOnly')
      const { version, stored } = await doctorRepository(db).versions()
      if (stored === null) return warning('empty', { version })
      if (stored < migration) return warning('older', { version, stored, migration })
      return stored > migration
        ? warning('newer', { version, stored, migration })
        : ok('answers', { version, stored })
    } catch (error) {
      return fault('away', { reason: reasonOf(error) })
    }
  }

/** What keeps a check from reading tables of this program. */
const UNREADABLE: readonly string[] = ['away', 'empty', 'older']

/** Runs a check unless the database keeps it from that. @param reasons of `databaseCheck` */
export const withTables =
  (database: Check, check: Check, reasons = UNREADABLE): Check =>
  async () =>
    reasons.includes((await database()).says) ? skipped('noDatabase') : check()

/** Fewer are not enough for somebody who looks after the database. */
const FEW = 3

/**
 * Whether the server has room for the pool of one more process, as an update needs it. Of the limits of server, database
 * and role the one counts that has least left; a pooler in front needs none of its own for a process.
 */
export const connectionsCheck =
  (db: Database, pool: number): Check =>
  async () => {
    const { most, used } = await doctorRepository(db).connections()
    const values = { most, used, pool }
    if (most - used < FEW) return fault('none', values)
    return most - used < pool && !(await hasPooler(db)) ? warning('few', values) : ok('enough', values)
  }

/**
 * What room the disks of PostgreSQL's files have left, as far as it can be known: it runs on this machine and says where its
 * files are, which it does not tell every role. A full disk elsewhere shows itself when PostgreSQL takes no writes.
 */
export const databaseDiskCheck =
  (db: Database, bytes: { tight?: number; full?: number } = {}): Check =>
  async () => {
    const { isHere, folders } = await doctorRepository(db).folders()
    if (!isHere) return skipped('elsewhere')
    const found = await Promise.all(
      folders.map((folder) => roomIn(folder, folder, bytes.tight, bytes.full).catch(() => undefined)),
    )
    const known = found.filter((one) => one !== undefined)
    const worst = known.toSorted((one, other) => RANKS[one.state] - RANKS[other.state])[0]
    return worst ?? skipped('unknown')
  }

const RANKS = { fault: 0, warning: 1, ok: 2, skipped: 3 } as const

/** A log that is kept for a standby which is away fills the disk. */
const LAGGING_MB = 1_024

/** Whether the standby servers that PostgreSQL waits for, or keeps its log for, are there. */
export const standbyCheck =
  (db: Database, laggingMb = LAGGING_MB): Check =>
  async () => {
    const { isAwaited, connected, lagging } = await doctorRepository(db).standbys(laggingMb)
    if (isAwaited && connected === 0) return fault('missing')
    if (lagging !== null) return warning('lagging', lagging)
    return connected === 0 ? skipped('none') : ok('connected', { count: connected })
  }

const LOOKS = 5
const PAUSE_MS = 500

/** Whether the standby that lists, reports and public pages are read from is one of this primary, and near it (ADR 0112). */
export const readReplicaCheck =
  (db: Database, url: string | undefined, limits = REPLICA_LIMITS): Check =>
  async () => {
    if (url === undefined) return skipped('none')
    const replica = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool replica' })
    try {
      const looking = readReplica({ primary: db, replica: replica.db, log: silentLog, limits })
      let found = await looking.look()
      // The first look knows only where the primary is now, which the standby reaches a moment later.
      for (let time = 1; time < LOOKS && found.state === 'behind'; time += 1) {
        await sleep(PAUSE_MS)
        found = await looking.look()
      }
      return replicaFinding(found, limits)
    } finally {
      await replica.close()
    }
  }

export function replicaFinding(
  { state, reason = '', behind = 0, ahead = 0 }: ReplicaView,
  limits = REPLICA_LIMITS,
): Finding {
  if (state === 'away') return warning('away', { reason })
  if (state === 'writes' || state === 'foreign') return fault(state)
  if (state === 'behind') return warning('far', { minutes: Math.floor(limits.far / 60_000) })
  const clock = { seconds: seconds(Math.abs(ahead)), side: ahead > 0 ? 'ahead' : 'behind' }
  if (clock.seconds > NOTABLE_SECONDS) return warning('clock', clock)
  const values = { seconds: seconds(behind) }
  return behind >= limits.told ? warning('behind', values) : ok('follows', values)
}

const seconds = (ms: number): number => Number((ms / 1_000).toFixed(1))

/** Whether a pooler stands in front, and whether the shop works through it (ADR 0018). */
export const poolerCheck =
  (db: Database): Check =>
  async () => {
    try {
      if (!(await hasPooler(db))) return ok('direct')
    } catch {
      return skipped('noDatabase')
    }
    try {
      await doctorRepository(db).askAsBuyersDo()
      return ok('works')
    } catch (error) {
      return fault('fails', { reason: reasonOf(error) })
    }
  }

/** What two clocks may differ by, before tokens and codes are refused. */
const LEEWAY_SECONDS = 30
const NOTABLE_SECONDS = 2

/** Seconds by which another clock is ahead of this machine's; undefined when it cannot be read. */
export type OtherClock = { name: 'postgres' | 'provider'; read: () => Promise<number | undefined> }

export const databaseAhead =
  (db: Database, now: () => number = nowMs) =>
  async (): Promise<number> => {
    const asked = now()
    const there = await doctorRepository(db).time()
    return (there - (asked + now()) / 2) / 1000
  }

/** By the header of a response, which has whole seconds. */
export const webAhead =
  (url: string, now: () => number = nowMs) =>
  async (): Promise<number | undefined> => {
    const asked = now()
    const { headers } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    const date = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(date) ? undefined : (date + 500 - (asked + now()) / 2) / 1000
  }

/** This machine's clock beside others: its own database's alone would be as wrong. */
export const clockCheck =
  (clocks: readonly OtherClock[]): Check =>
  async () => {
    const read = await Promise.all(
      clocks.map(async ({ name, read: ahead }) => ({ name, ahead: await ahead().catch(() => undefined) })),
    )
    const known = read.filter((one): one is typeof one & { ahead: number } => one.ahead !== undefined)
    const worst = known.toSorted((one, other) => Math.abs(other.ahead) - Math.abs(one.ahead))[0]
    if (!worst) return warning('unknown')
    const seconds = Number(Math.abs(worst.ahead).toFixed(1))
    const values = { seconds, than: worst.name, side: worst.ahead > 0 ? 'behind' : 'ahead' }
    if (seconds > LEEWAY_SECONDS) return fault('wrong', values)
    return seconds > NOTABLE_SECONDS ? warning('off', values) : ok('right', values)
  }

export const secretKeyCheck =
  (db: Database, keys: SecretKeys): Check =>
  async () => {
    const { previous, lost } = await countAuthenticators(db, keys)
    if (lost.length > 0) return fault('lost', { count: lost.length })
    if (previous > 0) return warning('renew', { count: previous })
    return keys.previousSecret === undefined ? ok('fits') : warning('previous')
  }

export const logKeyCheck =
  (db: Database, key: LogKey): Check =>
  async () => {
    const log = await logOfAnotherKey(db, key)
    return log === undefined ? ok('fits') : fault('other', { log })
  }

/** Who confirms the register of the draws, and whether they do. */
export const witnessesCheck =
  (db: Database, witnesses: ShopPolicy | null): Check =>
  async () => {
    const { asked, contradicting, failing, isHalted } = await witnessView(db, witnesses)
    const values = { count: asked, names: contradicting.join(', '), faults: failing.join('; ') }
    if (isHalted) return fault('halted', values)
    if (contradicting.length > 0) return fault('contradicted', values)
    if (asked === 0) return warning('nobody')
    return failing.length > 0 ? warning('failing', values) : ok('asked', values)
  }

/** Beyond it an authority has other certificates. */
const SOON_MS = 30 * 86_400_000

/** Who stamps the draws, whether they do, and for how long their certificates are valid. */
export const stampsCheck =
  (db: Database, stamps: StampAuthority | null, now: () => number = nowMs): Check =>
  async () => {
    const left = stamps ? stamps.until.getTime() - now() : Infinity
    const values = { until: stamps?.until.toISOString().slice(0, 10) ?? '' }
    if (left <= 0) return warning('over', values)
    const names = (await contestsWithoutStamps(db)).join(', ')
    if (names) return warning('missing', { names })
    if (!stamps) return skipped('nobody')
    return left < SOON_MS ? warning('soon', values) : ok('given', { host: new URL(stamps.url).host })
  }

const LATE_HOURS = 26
const OLD_HOURS = 72

/**
 * What came of the last run of `npm run backup`, and how old the last whole backup is. PostgreSQL's archive counts where
 * `npm run backup` never ran: beside it, a fresh archive must not hide that the nights fail.
 */
export const backupCheck =
  (db: Database, isDemo: boolean): Check =>
  async () => {
    const { hours, archived, isFailing } = await doctorRepository(db).backups()
    if (isFailing) return fault('archiving')
    const last = await lastBackupRun(db)
    if (last?.fault) return fault('failed', { reason: last.fault })
    const age = hours ?? archived
    if (age === null) return isDemo ? skipped('demo') : fault('never')
    const values = { hours: Math.max(0, Math.floor(age)) }
    if (values.hours > OLD_HOURS) return fault('old', values)
    return values.hours > LATE_HOURS ? warning('late', values) : ok('fresh', values)
  }

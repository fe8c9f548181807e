import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { deleteEnded } from '#features/accounts/server/index.ts'
import { type AlertDetails, type Alerts, type Watch, alertsLeftovers } from '#features/alerts/server/index.ts'
import { watchMessages } from '#features/contact/server/index.ts'
import { providerLedger, watchPayments } from '#features/purchase/payments/server/index.ts'
import { drawsLeftovers } from '#features/draws/server/index.ts'
import { watchEmails } from '#features/emails/server/index.ts'
import { watchPostCounts } from '#features/postal/server/index.ts'
import { picturesLeftovers } from '#features/pictures/server/index.ts'
import { withNumberReplay } from '#features/tickets/server/index.ts'
import { deleteEndedStaffSessions, watchApprovals } from '#features/staff/server/index.ts'
import type { Database } from '#platform/database.ts'
import { type Jobs, type Leftovers, MINUTE, SECOND, untilDone } from '#platform/jobs.ts'
import { deleteLinkTokens } from '#platform/link-tokens.ts'
import { idempotencyKeys } from '#platform/http/idempotency.ts'
import {
  invariantRuns,
  type Breach,
  type Invariant,
  type ProviderLedger,
  checkInvariants,
  readInvariants,
  reconcileLedgers,
} from '#platform/invariants.ts'
import type { Retention } from '#platform/personal-data.ts'
import { limitStore } from '#platform/limits/limit-store.ts'
import type { PaymentProvider } from '#platform/payment/payment-provider.ts'
import { nowMs } from '#shared/clock.ts'
import { deleteUnusedAssets } from './assets.repository.ts'
import { personalDataSources } from './personal-data.ts'

// The jobs of no slice: checks, alerts, retention. Slices declare what they watch and delete.

const INVARIANTS = path.resolve(fileURLToPath(import.meta.url), '../../../db/invariants.sql')

/** I5 compares recent orders here; a daily job compares all. */
const LEDGER = 'I5'
const RECENT = { hours: 3, most: 1_000 }
const PAUSE_MS = 2_000
const ROWS_SHOWN = 5

/** Statements of db/invariants.sql and the replay of ticket numbers. */
export const shopInvariants = async (): Promise<Invariant[]> =>
  withNumberReplay(await readInvariants(INVARIANTS))

interface CheckDeps {
  db: Database
  log: FastifyBaseLogger
  provider: PaymentProvider
  alerts: Alerts
}

/** Checks at most once in `minutes` over all processes; raises or resolves alerts. @returns whether this process did */
export async function checkShopInvariants(
  { db, log, provider, alerts }: CheckDeps,
  minutes: number,
): Promise<boolean> {
  const runs = invariantRuns(db)
  return runs.alone(minutes, async () => {
    const begun = nowMs()
    const all = await shopInvariants()
    const alone = all.filter(({ name }) => name !== LEDGER)
    const breaches = await checkInvariants(db, alone)
    const unknown: string[] = []
    const ledger = all.find(({ name }) => name === LEDGER)
    if (ledger) {
      const fetchLedger = (): Promise<ProviderLedger> => providerLedger(db, provider, RECENT)
      const found = await reconcileLedgers(db, ledger, fetchLedger, () => sleep(PAUSE_MS)).catch(
        (error: unknown) => {
          log.warn({ err: error }, 'the ledgers could not be compared')
          unknown.push(LEDGER)
        },
      )
      if (found) breaches.push(found)
    }
    for (const { name } of all) {
      if (unknown.includes(name)) continue
      const breach = breaches.find((one) => one.name === name)
      if (breach) await alerts.raise(db, { kind: 'invariant', subject: name, details: alertDetails(breach) })
      else await alerts.clear(db, 'invariant', name)
    }
    const broken = breaches.map(({ name }) => name)
    const tookMs = nowMs() - begun
    await runs.note({ tookMs, breaches, unknown })
    log[broken.length > 0 ? 'error' : 'info']({ broken, unknown, tookMs }, 'invariants checked')
  })
}

const alertDetails = ({ title, rows, more }: Breach): AlertDetails => ({
  title,
  rows: rows.slice(0, ROWS_SHOWN),
  count: rows.length,
  more,
})

/** The provider may be unreachable during one hourly check. */
const UNKNOWN_RUNS = 2
const CHECK_HOURS = 2

/** Raises alerts for invariants that nobody could check. */
async function watchChecks(db: Database, alerts: Alerts, upSeconds: number): Promise<void> {
  const runs = invariantRuns(db)
  const isUnchecked = upSeconds > CHECK_HOURS * 3600 && (await runs.areLate(CHECK_HOURS))
  const unchecked = [...(await runs.unknownInAll(UNKNOWN_RUNS)), ...(isUnchecked ? [''] : [])]
  const subjects = unchecked.map((subject) => ({ subject }))
  await alerts.settle(db, 'invariantsUnchecked', subjects)
}

/** Raises or resolves alerts for staff. @param upSeconds uptime: a new process has not checked yet */
export async function watchForAlerts(
  db: Database,
  alerts: Alerts,
  upSeconds = process.uptime(),
): Promise<void> {
  const watches: readonly Watch[] = [
    watchPayments,
    watchPostCounts,
    () => watchChecks(db, alerts, upSeconds),
    watchEmails,
    watchMessages,
    watchApprovals,
  ]
  for (const watch of watches) await watch(db, alerts)
}

/** Of hourly checks. */
const CHECK_DAYS = 400
/** A tab that stays open longer loads its next page anew. */
const ASSET_DAYS = 30
const AT_ONCE = 1_000

const LEFTOVERS: Leftovers = {
  ...alertsLeftovers,
  checks: (db) => invariantRuns(db).deleteOld(CHECK_DAYS),
  ...picturesLeftovers,
  ...drawsLeftovers,
}

/** Erases personal data past its retention period, and what nothing needs any more. @returns how much of each */
export async function applyRetention(
  db: Database,
  log: FastifyBaseLogger,
  keep: Retention,
): Promise<Record<string, number>> {
  const report: Record<string, number> = {}
  for (const { retain = {} } of personalDataSources)
    for (const [name, erase] of Object.entries(retain))
      report[name] = await untilDone(AT_ONCE, (limit) => erase(db, keep, limit))
  for (const [name, erase] of Object.entries(LEFTOVERS))
    report[name] = await untilDone(AT_ONCE, (limit) => erase(db, limit))
  log.info({ erased: report }, 'personal data past its retention period is erased')
  return report
}

/**
 * Deletes ended sessions of customers and staff, used password links, expired limit counts and idempotency keys, and files
 * of releases that no process has run for a month.
 */
export async function deleteExpired(db: Database): Promise<void> {
  await deleteEnded(db)
  await deleteLinkTokens(db)
  await deleteEndedStaffSessions(db)
  await limitStore(db).sweep()
  await idempotencyKeys(db).sweep()
  await deleteUnusedAssets(db, ASSET_DAYS)
}

const INVARIANTS_MINUTES = 60
/** First the sweep settles what a stopped shop left open. */
const FIRST_CHECK_AFTER_MS = 90 * SECOND

interface MaintenanceDeps extends Pick<CheckDeps, 'db' | 'log' | 'alerts'> {
  payments: CheckDeps
  shop: Retention
  /** At the surroundings of this process. */
  look: () => Promise<void>
}

export const maintenanceJobs = {
  'watch for alerts': { everyMs: MINUTE, run: ({ db, alerts }) => watchForAlerts(db, alerts) },
  'watch the surroundings': { everyMs: 30 * SECOND, run: ({ look }) => look() },
  'check invariants': {
    everyMs: MINUTE,
    afterMs: FIRST_CHECK_AFTER_MS,
    run: ({ payments }) => checkShopInvariants(payments, INVARIANTS_MINUTES),
  },
  'apply retention': { everyMs: 60 * MINUTE, run: ({ db, log, shop }) => applyRetention(db, log, shop) },
  'delete expired rows': { everyMs: 10 * MINUTE, run: ({ db }) => deleteExpired(db) },
} satisfies Jobs<MaintenanceDeps>

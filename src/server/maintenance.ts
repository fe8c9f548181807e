import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { deleteEnded } from '#features/accounts/server/index.ts'
import { type AlertDetails, type Alerts, deleteOldAlerts } from '#features/alerts/server/index.ts'
import { messageFigures } from '#features/contact/server/index.ts'
import { providerLedger, watchPayments } from '#features/purchase/payments/server/index.ts'
import { deleteOldRehearsals } from '#features/draws/server/index.ts'
import { emailFigures } from '#features/emails/server/index.ts'
import { type PostalDeps, tellVoids, watchPostCounts } from '#features/postal/server/index.ts'
import { deleteUnusedPictures } from '#features/pictures/server/index.ts'
import { withNumberReplay } from '#features/tickets/server/index.ts'
import { deleteEndedStaffSessions, undoneApprovals } from '#features/staff/server/index.ts'
import type { Database } from '#platform/database.ts'
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

// Maintenance jobs. Each may run in any number of processes at the same time.

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

/** An older waiting email means a fault of the mail server. */
const EMAIL_MINUTES = 30

/** The provider may be unreachable during one hourly check. */
const UNKNOWN_RUNS = 2
const CHECK_HOURS = 2

/** Raises or resolves alerts for staff. @param upSeconds uptime: a new process has not checked yet */
export async function watchForAlerts(
  db: Database,
  alerts: Alerts,
  upSeconds = process.uptime(),
): Promise<void> {
  await watchPayments(db, alerts)
  await watchPostCounts(db, alerts)
  const runs = invariantRuns(db)
  const isUnchecked = upSeconds > CHECK_HOURS * 3600 && (await runs.areLate(CHECK_HOURS))
  const unchecked = [...(await runs.unknownInAll(UNKNOWN_RUNS)), ...(isUnchecked ? [''] : [])]
  const subjects = unchecked.map((subject) => ({ subject }))
  await alerts.settle(db, 'invariantsUnchecked', subjects)
  const { waiting, oldestSeconds, failed } = await emailFigures(db)
  const isLate = oldestSeconds > EMAIL_MINUTES * 60
  const late = { subject: '', details: { waiting, oldest_minutes: Math.floor(oldestSeconds / 60) } }
  await alerts.settle(db, 'emailsWaiting', isLate ? [late] : [])
  const { late: unanswered, oldestDue } = await messageFigures(db)
  const due = { subject: '', details: { messages: unanswered, due_since: oldestDue?.toISOString() } }
  await alerts.settle(db, 'messageLate', unanswered > 0 ? [due] : [])
  const undone = await undoneApprovals(db)
  await alerts.settle(db, 'approvalUndone', undone > 0 ? [{ subject: '', details: { waiting: undone } }] : [])
  await alerts.settle(db, 'emailsFailed', failed > 0 ? [{ subject: '', details: { last_week: failed } }] : [])
}

/** For resolved alerts and hourly checks, which hold no personal data but the notes. */
const ALERT_DAYS = 400
/** For pictures that no offer uses. */
const PICTURE_DAYS = 30
const REHEARSAL_DAYS = 30
/** A tab that stays open longer loads its next page anew. */
const ASSET_DAYS = 30
const AT_ONCE = 1_000
const EMAILS_AT_ONCE = 100

/** Repeats until no row is left. @returns the number of rows */
async function all(step: (limit: number) => Promise<number>, limit = AT_ONCE): Promise<number> {
  for (let sum = 0; ;) {
    const done = await step(limit)
    sum += done
    if (done < limit) return sum
  }
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
      report[name] = await all((limit) => erase(db, keep, limit))
  report['alerts'] = await deleteOldAlerts(db, ALERT_DAYS)
  report['checks'] = await invariantRuns(db).deleteOld(ALERT_DAYS)
  report['pictures'] = await all((limit) => deleteUnusedPictures(db, PICTURE_DAYS, limit))
  report['rehearsals'] = await deleteOldRehearsals(db, REHEARSAL_DAYS)
  log.info({ erased: report }, 'personal data past its retention period is erased')
  return report
}

/** Tells those who entered by post and gave an address that their contest was cancelled. */
export const tellEntrants = (deps: PostalDeps): Promise<number> =>
  all((limit) => tellVoids(deps, limit), EMAILS_AT_ONCE)

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

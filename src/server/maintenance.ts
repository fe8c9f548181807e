import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { deleteEnded } from '#features/accounts/server/index.ts'
import { type Alerts, deleteOldAlerts } from '#features/alerts/server/index.ts'
import { anonymizeOldOrders } from '#features/orders/server/index.ts'
import { eraseOldNotifications, providerLedger, watchPayments } from '#features/payments/server/index.ts'
import { eraseOldEmails, emailFigures } from '#features/emails/server/index.ts'
import { withNumberReplay } from '#features/tickets/server/index.ts'
import type { Database } from '#platform/database.ts'
import { idempotencyKeys } from '#platform/http/idempotency.ts'
import {
  invariantRuns,
  type Breach,
  type Invariant,
  checkInvariants,
  compareBooks,
  readInvariants,
} from '#platform/invariants.ts'
import { limitStore } from '#platform/limits/limit-store.ts'
import type { PaymentProvider } from '#platform/payment/payment-provider.ts'
import { nowMs } from '#shared/clock.ts'

/*
 * Maintenance jobs: the check of the invariants, the alerts that need staff, retention, and the deletion of expired rows.
 * Each may run in any number of processes at the same time.
 */

const INVARIANTS = path.resolve(fileURLToPath(import.meta.url), '../../../db/invariants.sql')

/** The invariant that compares with the provider. */
const COMPARED = 'I5'
/** Orders it compares: the newest of the last hours. A job of its own compares all of them once a day. */
const RECENT = { hours: 3, most: 1_000 }
const PAUSE_MS = 2_000
/** Offending rows that an alert shows. */
const ROWS_SHOWN = 5

/** Every invariant of the shop: the statements of db/invariants.sql, and the replay of ticket numbers. */
export const shopInvariants = async (): Promise<Invariant[]> =>
  withNumberReplay(await readInvariants(INVARIANTS))

interface CheckDeps {
  db: Database
  log: FastifyBaseLogger
  provider: PaymentProvider
  alerts: Alerts
}

/**
 * Checks the invariants at most once in `minutes` over all processes. Raises an alert for each that is broken and ends
 * the alert of each that holds again.
 * @returns whether this process ran the check
 */
export async function checkShopInvariants(
  { db, log, provider, alerts }: CheckDeps,
  minutes: number,
): Promise<boolean> {
  const runs = invariantRuns(db)
  return runs.alone(minutes, async () => {
    const begun = nowMs()
    const all = await shopInvariants()
    const breaches = await checkInvariants(
      db,
      all.filter(({ name }) => name !== COMPARED),
    )
    const unknown: string[] = []
    const compared = all.find(({ name }) => name === COMPARED)
    if (compared) {
      const pause = (): Promise<unknown> => sleep(PAUSE_MS)
      const found = await compareBooks(db, compared, () => providerLedger(db, provider, RECENT), pause).catch(
        (error: unknown) => {
          log.warn({ err: error }, 'the books could not be compared')
          unknown.push(COMPARED)
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
    await runs.note({ tookMs, broken, unknown })
    log[broken.length > 0 ? 'error' : 'info']({ broken, unknown, tookMs }, 'invariants checked')
  })
}

const alertDetails = ({ title, rows, more }: Breach): Record<string, unknown> => ({
  title,
  rows: rows.slice(0, ROWS_SHOWN),
  count: rows.length,
  more,
})

/** A mail is tried again after seconds, then minutes; one that waits this long waits for a mail server. */
const EMAIL_MINUTES = 30

/** The invariants are checked every hour; the provider may be unreachable during one check. */
const UNKNOWN_RUNS = 2
const CHECK_HOURS = 2

/**
 * Raises alerts for payments, emails and checks that need staff, and ends those that are over.
 * @param upSeconds how long this process has run: a shop that has just started has not checked its invariants yet
 */
export async function watchForAlerts(
  db: Database,
  alerts: Alerts,
  upSeconds = process.uptime(),
): Promise<void> {
  await watchPayments(db, alerts)
  const runs = invariantRuns(db)
  const isUnchecked = upSeconds > CHECK_HOURS * 3600 && (await runs.areLate(CHECK_HOURS))
  const unasked = [...(await runs.unknownInAll(UNKNOWN_RUNS)), ...(isUnchecked ? [''] : [])]
  await alerts.settle(
    db,
    'promisesUnchecked',
    unasked.map((subject) => ({ subject })),
  )
  const { waiting, oldestSeconds, failed } = await emailFigures(db)
  const isLate = oldestSeconds > EMAIL_MINUTES * 60
  const late = { subject: '', details: { waiting, oldest_minutes: Math.floor(oldestSeconds / 60) } }
  await alerts.settle(db, 'emailsWaiting', isLate ? [late] : [])
  await alerts.settle(db, 'emailsFailed', failed > 0 ? [{ subject: '', details: { last_week: failed } }] : [])
}

/** Retention periods, as the rules page states them (policies, "What we keep"). */
export interface Retention {
  keepEmailDays: number
  keepNotificationDays: number
  keepOrderYears: number
}

/** Ended alerts and reports of the hourly check hold no personal data; a year shows what recurs. */
const ALERT_DAYS = 400
/** Rows of one transaction, so that nobody waits for it. */
const AT_ONCE = 1_000

/** Repeats until nothing is left. @returns the number of rows */
async function all(step: (limit: number) => Promise<number>): Promise<number> {
  for (let sum = 0; ;) {
    const done = await step(AT_ONCE)
    sum += done
    if (done < AT_ONCE) return sum
  }
}

/** Erases personal data whose retention period is over, and reports how much. */
export async function applyRetention(
  db: Database,
  log: FastifyBaseLogger,
  keep: Retention,
): Promise<Record<'emails' | 'notifications' | 'orders' | 'alerts' | 'checks', number>> {
  const report = {
    emails: await all((limit) => eraseOldEmails(db, keep.keepEmailDays, limit)),
    notifications: await all((limit) => eraseOldNotifications(db, keep.keepNotificationDays, limit)),
    orders: await all((limit) => anonymizeOldOrders(db, keep.keepOrderYears, limit)),
    alerts: await deleteOldAlerts(db, ALERT_DAYS),
    checks: await invariantRuns(db).deleteOld(ALERT_DAYS),
  }
  log.info({ erased: report }, 'personal data past its retention period is erased')
  return report
}

/** Deletes expired rows: ended sessions, used links for new passwords, counts of limits, stored answers of keyed calls. */
export async function deleteExpired(db: Database): Promise<void> {
  await deleteEnded(db)
  await limitStore(db).sweep()
  await idempotencyKeys(db).sweep()
}

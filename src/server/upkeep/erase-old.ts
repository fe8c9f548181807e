import type { FastifyBaseLogger } from 'fastify'
import { deleteOldAlarms } from '#features/alarms/server/index.ts'
import { anonymizeOldOrders } from '#features/orders/server/index.ts'
import { eraseOldNotifications } from '#features/payments/server/index.ts'
import { eraseOldMails } from '#features/mails/server/index.ts'
import type { Database } from '#platform/database.ts'
import { invariantRuns } from '#platform/invariant-runs.ts'

/** Periods that the rules promise (policies, "What we keep"). */
export interface Retention {
  keepMailDays: number
  keepNotificationDays: number
  keepOrderYears: number
}

/** Ended alarms and reports of the hourly check hold nothing about people; a year shows what came back. */
const ALARM_DAYS = 400
/** Rows of one transaction, so that nobody waits for it. */
const AT_ONCE = 1_000

/** Repeats until nothing is left. @returns how many in all */
async function all(step: (limit: number) => Promise<number>): Promise<number> {
  for (let sum = 0; ;) {
    const done = await step(AT_ONCE)
    sum += done
    if (done < AT_ONCE) return sum
  }
}

/** Background work: erases what the rules promise to keep no longer, and reports how much. */
export async function eraseOld(
  db: Database,
  log: FastifyBaseLogger,
  keep: Retention,
): Promise<Record<'mails' | 'notifications' | 'orders' | 'alarms' | 'checks', number>> {
  const report = {
    mails: await all((limit) => eraseOldMails(db, keep.keepMailDays, limit)),
    notifications: await all((limit) => eraseOldNotifications(db, keep.keepNotificationDays, limit)),
    orders: await all((limit) => anonymizeOldOrders(db, keep.keepOrderYears, limit)),
    alarms: await deleteOldAlarms(db, ALARM_DAYS),
    checks: await invariantRuns(db).deleteOld(ALARM_DAYS),
  }
  log.info({ erased: report }, 'what the rules no longer allow to keep is erased')
  return report
}

import { type AlarmBell } from '#features/alarms/server/index.ts'
import { watchPayments } from '#features/checkout/server/index.ts'
import { mailFigures } from '#features/mails/server/index.ts'
import type { Database } from '#platform/database.ts'

/** A mail is tried again after seconds, then minutes; one that waits for so long waits for a mail server. */
const MAIL_MINUTES = 30

/** Background work: raises alarms for what needs staff, and ends those that are over. */
export async function watchForAlarms(db: Database, bell: AlarmBell): Promise<void> {
  await watchPayments(db, bell)
  const { waiting, oldestSeconds, failed } = await mailFigures(db)
  const isLate = oldestSeconds > MAIL_MINUTES * 60
  const late = { subject: '', details: { waiting, oldest_minutes: Math.floor(oldestSeconds / 60) } }
  await bell.settle(db, 'mailsWaiting', isLate ? [late] : [])
  await bell.settle(db, 'mailsFailed', failed > 0 ? [{ subject: '', details: { last_week: failed } }] : [])
}

import { type AlarmBell } from '#features/alarms/server/index.ts'
import { watchPayments } from '#features/payments/server/index.ts'
import { mailFigures } from '#features/mails/server/index.ts'
import type { Database } from '#platform/database.ts'
import { invariantRuns } from '#platform/invariant-runs.ts'

/** A mail is tried again after seconds, then minutes; one that waits for so long waits for a mail server. */
const MAIL_MINUTES = 30

/** The promises are checked every hour; the provider may be away during one check. */
const UNKNOWN_RUNS = 2
const CHECK_HOURS = 2

/**
 * Background work: raises alarms for what needs staff, and ends those that are over.
 * @param upSeconds how long this process has run: a shop that has just started has yet to check its promises
 */
export async function watchForAlarms(
  db: Database,
  bell: AlarmBell,
  upSeconds = process.uptime(),
): Promise<void> {
  await watchPayments(db, bell)
  const runs = invariantRuns(db)
  const isUnchecked = upSeconds > CHECK_HOURS * 3600 && (await runs.areLate(CHECK_HOURS))
  const unasked = [...(await runs.unknownInAll(UNKNOWN_RUNS)), ...(isUnchecked ? [''] : [])]
  await bell.settle(
    db,
    'promisesUnchecked',
    unasked.map((subject) => ({ subject })),
  )
  const { waiting, oldestSeconds, failed } = await mailFigures(db)
  const isLate = oldestSeconds > MAIL_MINUTES * 60
  const late = { subject: '', details: { waiting, oldest_minutes: Math.floor(oldestSeconds / 60) } }
  await bell.settle(db, 'mailsWaiting', isLate ? [late] : [])
  await bell.settle(db, 'mailsFailed', failed > 0 ? [{ subject: '', details: { last_week: failed } }] : [])
}

import type { Database, Sql } from '#platform/database.ts'
import { type Jobs, SECOND } from '#platform/jobs.ts'
import { emailFigures } from './emails.repository.ts'
import type { Mailer } from './mailer.ts'

export const emailsJobs = {
  'deliver emails': { everyMs: SECOND, run: ({ mailer }) => mailer.deliver() },
} satisfies Jobs<{ mailer: Pick<Mailer, 'deliver'> }>

/** An older waiting email means a fault of the mail server. */
const LATE_MINUTES = 30

/** What this slice knows of alerts, which stand on it. */
interface Alerts {
  settle(
    db: Sql,
    kind: 'emailsWaiting' | 'emailsFailed',
    matters: { subject: string; details: Record<string, number> }[],
  ): Promise<void>
}

/** Raises alerts for emails that wait too long, or were given up. */
export async function watchEmails(db: Database, alerts: Alerts): Promise<void> {
  const { waiting, oldestSeconds, failed } = await emailFigures(db)
  const isLate = oldestSeconds > LATE_MINUTES * 60
  const late = { subject: '', details: { waiting, oldest_minutes: Math.floor(oldestSeconds / 60) } }
  await alerts.settle(db, 'emailsWaiting', isLate ? [late] : [])
  await alerts.settle(db, 'emailsFailed', failed > 0 ? [{ subject: '', details: { last_week: failed } }] : [])
}

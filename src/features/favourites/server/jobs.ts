import type { Database } from '#platform/database.ts'
import { type Jobs, SECOND } from '#platform/jobs.ts'
import { sendReminders } from './reminder-emails.ts'

export const favouritesJobs = {
  'send reminders': { everyMs: 30 * SECOND, run: ({ db }) => sendReminders(db) },
} satisfies Jobs<{ db: Database }>

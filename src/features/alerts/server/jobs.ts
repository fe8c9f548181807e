import type { Database } from '#platform/database.ts'
import { type Jobs, type Leftovers, SECOND } from '#platform/jobs.ts'
import { alertMessagesRepository } from './alert-messages.repository.ts'
import type { AlertSender } from './alert-sender.ts'
import { alertsRepository } from './alerts.repository.ts'
import type { Alerts } from './alerts.service.ts'

export const alertsJobs = {
  'send alerts': { everyMs: 5 * SECOND, run: ({ alertSender }) => alertSender.send() },
} satisfies Jobs<{ alertSender: Pick<AlertSender, 'send'> }>

/** Raises and resolves alerts of a slice; a job asks it every minute. */
export type Watch = (db: Database, alerts: Alerts) => Promise<void>

/** For resolved ones, which hold no personal data but the notes. */
const RESOLVED_DAYS = 400

export const alertsLeftovers = {
  // Statements that delete all: with more than the limit they only run once more.
  alerts: async (db) =>
    (await alertsRepository(db).deleteOld(RESOLVED_DAYS)) +
    (await alertMessagesRepository(db).deleteOld(RESOLVED_DAYS)),
} satisfies Leftovers

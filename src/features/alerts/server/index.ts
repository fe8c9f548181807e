import type { RawBuilder } from 'kysely'
import type { Database, ReadDatabase, Trx } from '#platform/database.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { permits } from '#shared/staff-permissions.ts'
import { MOST_OF_A_KIND, type RecordSearch } from '#shared/staff-search.ts'
import { translate } from '#i18n/server-translator.ts'
import { isFailing } from './alert-sender.ts'
import { alertMessagesRepository } from './alert-messages.repository.ts'
import { alertReads, alertsRepository } from './alerts.repository.ts'

export { type Alerts, createAlerts } from './alerts.service.ts'
export type { AlertDetails } from '../alerts.rules.ts'
export { alertsRoutes } from './alerts.routes.ts'
export { type AlertSender, alertSender, pauseOf } from './alert-sender.ts'
export type { StoredFinding } from './alert-text.ts'
export { type Watch, alertsJobs, alertsLeftovers } from './jobs.ts'
export { alertsPersonalData } from './personal-data.ts'
export { listOpenAlerts } from './open-alerts.ts'

/** Erases the notes of alerts about these subjects. @param subjects a query of texts */
export const eraseAlertNotes = async (trx: Trx, subjects: RawBuilder<unknown>): Promise<void> => {
  await alertsRepository(trx).eraseNotes(subjects)
}

/** What the receiver of the webhook last said, or why there is no connection; null while messages arrive. */
export async function webhookFault(db: Database): Promise<string | null> {
  const health = await alertMessagesRepository(db).webhookHealth()
  return isFailing(health) ? (health.error ?? '') : null
}

export const openAlerts = (db: Database): Promise<Record<string, number>> => alertsRepository(db).open()

/** More would be no list to read. */
const SEARCHED = 200

/** Alerts about contests name them. */
const titleIn = ({ title }: Record<string, unknown>): string => (typeof title === 'string' ? title : '')

/** Open alerts with the text in their title, or about the contest or order that it names. */
export const alertSearch =
  (db: ReadDatabase): RecordSearch =>
  async ({ text, role, language }) => {
    if (!permits(role, 'alerts.read')) return []
    const wanted = text.toLowerCase()
    const open = await alertReads(db).opened(SEARCHED)
    return open
      .map((row) => {
        const about = row.order_number === null ? row.subject : shownOrderNumber(row.order_number)
        const title = `${translate(language, `emails.alert.kind.${row.kind}`)} ${about}`.trim()
        return {
          row,
          title,
          text: `${title} ${row.subject} ${titleIn(row.details)}`.toLowerCase(),
        }
      })
      .filter((one) => one.text.includes(wanted))
      .slice(0, MOST_OF_A_KIND)
      .map(({ row, title }) => ({
        kind: 'alert',
        id: String(row.id),
        title,
        matched: 'alert',
        state: null,
        total: null,
        at: row.since.toISOString(),
        contest: null,
        order: null,
        customer: null,
      }))
  }

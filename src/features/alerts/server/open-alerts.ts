import { translate } from '#i18n/server-translator.ts'
import type { Database } from '#platform/database.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { type AlertKind, runbookOf } from '../alerts.rules.ts'
import { shownDetails } from './alert-text.ts'
import { alertsRepository } from './alerts.repository.ts'

/** An open alert in English, for a terminal. */
export interface OpenAlert {
  kind: AlertKind
  title: string
  /** An order by its number, or what else it is about; empty for the whole shop. */
  about: string
  since: Date
  times: number
  details: Record<string, unknown>
  runbook: string
}

/** More would be no list to read. */
const LISTED = 500

/** Open alerts, the newest first. @param kind of one kind alone */
export async function listOpenAlerts(db: Database, kind?: string): Promise<OpenAlert[]> {
  const rows = await alertsRepository(db).opened(LISTED, kind)
  return rows.map((row) => ({
    kind: row.kind,
    title: translate('en', `emails.alert.kind.${row.kind}`),
    about: row.order_number === null ? row.subject : shownOrderNumber(row.order_number),
    since: row.since,
    times: row.times,
    details: shownDetails(row.details, 'en'),
    runbook: runbookOf(row.kind),
  }))
}

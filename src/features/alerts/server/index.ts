import type { RawBuilder } from 'kysely'
import type { Database, Trx } from '#platform/database.ts'
import { alertsRepository } from './alerts.repository.ts'

export { type Alerts, createAlerts } from './alerts.service.ts'
export type { AlertDetails } from '../alerts.rules.ts'
export { alertsRoutes } from './alerts.routes.ts'

/** Deletes alerts that were resolved that many days ago. @returns how many */
export const deleteOldAlerts = (db: Database, days: number): Promise<number> =>
  alertsRepository(db).deleteOld(days)

/** Erases notes that are so many days old, also of open alerts: they may tell of customers. @returns how many */
export const eraseOldAlertNotes = (db: Database, days: number): Promise<number> =>
  alertsRepository(db).eraseOldNotes(days)

/** Erases the notes of alerts about these subjects. @param subjects a query of texts */
export const eraseAlertNotes = async (trx: Trx, subjects: RawBuilder<unknown>): Promise<void> => {
  await alertsRepository(trx).eraseNotes(subjects)
}

export const openAlerts = (db: Database): Promise<Record<string, number>> => alertsRepository(db).open()

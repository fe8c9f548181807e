import type { Database } from '#platform/database.ts'
import { alertsRepository } from './alerts.repository.ts'

export { type Alerts, createAlerts } from './alerts.service.ts'
export type { AlertDetails } from '../alerts.rules.ts'
export { alertsRoutes } from './alerts.routes.ts'

/** Deletes alerts that were resolved that many days ago. @returns how many */
export const deleteOldAlerts = (db: Database, days: number): Promise<number> =>
  alertsRepository(db).deleteOld(days)

export const openAlerts = (db: Database): Promise<Record<string, number>> => alertsRepository(db).open()

import type { Database } from '#platform/database.ts'
import { alarmsRepository } from './alarms.repository.ts'

export { type AlarmBell, alarmBell } from './alarms.service.ts'
export { alarmsRoutes } from './alarms.routes.ts'

/** Deletes alarms that ended that many days ago. @returns how many */
export const deleteOldAlarms = (db: Database, days: number): Promise<number> =>
  alarmsRepository(db).deleteOld(days)

/** How many alarms are open, by kind. */
export const openAlarms = (db: Database): Promise<Record<string, number>> => alarmsRepository(db).open()

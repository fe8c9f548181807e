import type { Database, Sql } from '#platform/database.ts'
import {
  STAFF_PERMISSIONS,
  type StaffPermission,
  type StaffRole,
  permits,
} from '#shared/staff-permissions.ts'
import { MOST_OF_A_KIND, type RecordSearch } from '#shared/staff-search.ts'
import { approvalsRepository } from './approvals.repository.ts'
import { staffPeopleRepository } from './staff-people.repository.ts'
import { staffSessionsRepository } from './staff-sessions.repository.ts'

export { auditRoutes, sendAuditCheckpoint } from './audit.routes.ts'
export { type ApprovalActor, type ApprovalKind, askApproval } from './approvals.ts'
export { eraseApprovalWords } from './approvals.repository.ts'
export type { StaffShop } from './staff-emails.ts'
export { countAuthenticators, renewAuthenticators } from './authenticator-secrets.ts'
export { staffAuthentication, staffCookie } from './staff-authentication.ts'
export { finishApprovals, staffJobs, watchApprovals } from './jobs.ts'
export { staffPersonalData } from './personal-data.ts'
export { staffPeople } from './staff-people.ts'
export { staffRoutes } from './staff.routes.ts'

/** Deletes ended sessions of the console. */
export const deleteEndedStaffSessions = (db: Database): Promise<void> =>
  staffSessionsRepository(db).deleteEnded()

/** Whether somebody else of staff has a permission. */
export const hasColleague = async (
  db: Sql,
  permission: StaffPermission,
  exceptId: number,
): Promise<boolean> =>
  (await staffPeopleRepository(db).others(STAFF_PERMISSIONS[permission].roles, exceptId)).length > 0

/** How many actions wait for a second person. */
export const waitingApprovals = (db: Database): Promise<number> => approvalsRepository(db).waiting()

/** Which of these sessions of the console are open still, with the present role: a connection that lasts asks again. */
export const openStaffSessions = (db: Database, ids: readonly string[]): Promise<Map<string, StaffRole>> =>
  staffSessionsRepository(db).stillOpen(ids)

/** People of staff whose name or address has the text. */
export const staffSearch =
  (db: Database): RecordSearch =>
  async ({ text, role }) => {
    if (!permits(role, 'staff.read')) return []
    const rows = await staffPeopleRepository(db).containing(text, MOST_OF_A_KIND)
    return rows.map(({ id, username, email }) => ({
      kind: 'staff',
      id: String(id),
      title: username,
      matched: 'username',
      state: null,
      total: null,
      at: null,
      contest: null,
      order: null,
      customer: { id, name: username, email },
    }))
  }

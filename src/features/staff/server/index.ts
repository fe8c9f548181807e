import type { Database } from '#platform/database.ts'
import { type ApprovalKind, approvalsService } from './approvals.ts'
import { approvalsRepository } from './approvals.repository.ts'
import { type PeopleOptions, staffPeople } from './staff-people.ts'
import { staffSessionsRepository } from './staff-sessions.repository.ts'

export { auditRoutes, sendAuditCheckpoint } from './audit.routes.ts'
export { type ApprovalActor, type ApprovalKind, askApproval } from './approvals.ts'
export type { StaffShop } from './staff-emails.ts'
export { staffAuthentication, staffCookie } from './staff-authentication.ts'
export { staffPeople } from './staff-people.ts'
export { staffRoutes } from './staff.routes.ts'

/** Deletes ended sessions of the console. */
export const deleteEndedStaffSessions = (db: Database): Promise<void> =>
  staffSessionsRepository(db).deleteEnded()

/** How many actions wait for a second person. */
export const waitingApprovals = (db: Database): Promise<number> => approvalsRepository(db).waiting()

/** How many approved actions could not be done, or are not done after an hour. */
export const undoneApprovals = (db: Database): Promise<number> => approvalsRepository(db).undone()

/** Ends what nobody has decided for days, and carries out what was approved before a crash. */
export const finishApprovals = (options: PeopleOptions, kinds: readonly ApprovalKind[]): Promise<void> =>
  approvalsService({ ...options, kinds: [...kinds, staffPeople(options).roleApproval] }).finish()

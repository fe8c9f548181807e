import type { Watch } from '#features/alerts/server/index.ts'
import { type Jobs, MINUTE } from '#platform/jobs.ts'
import { type ApprovalKind, approvalsService } from './approvals.ts'
import { approvalsRepository } from './approvals.repository.ts'
import { sendAuditCheckpoint } from './audit.routes.ts'
import { type PeopleOptions, staffPeople } from './staff-people.ts'

/** Ends what nobody has decided for days, and carries out what was approved before a crash. */
export const finishApprovals = (options: PeopleOptions, kinds: readonly ApprovalKind[]): Promise<void> =>
  approvalsService({ ...options, kinds: [...kinds, staffPeople(options).roleApproval] }).finish()

export const staffJobs = {
  'finish approvals': {
    everyMs: MINUTE,
    run: ({ db, shop, approvals }) => finishApprovals({ db, shop }, approvals),
  },
  'send audit checkpoint': {
    everyMs: 60 * MINUTE,
    run: ({ db, shop }) => sendAuditCheckpoint(db, shop),
  },
} satisfies Jobs<PeopleOptions & { approvals: readonly ApprovalKind[] }>

/** Raises an alert for approved actions that could not be done, or are not done after an hour. */
export const watchApprovals: Watch = async (db, alerts) => {
  const undone = await approvalsRepository(db).undone()
  await alerts.settle(db, 'approvalUndone', undone > 0 ? [{ subject: '', details: { waiting: undone } }] : [])
}

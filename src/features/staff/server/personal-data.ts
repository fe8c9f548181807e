import type { PersonalDataSource } from '#platform/personal-data.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'
import { staffSessionsRepository } from './staff-sessions.repository.ts'

/**
 * What a former staff member could sign in to the console with. What two people wrote when they decided about somebody is
 * erased by the slice that had asked them (`eraseApprovalWords`).
 */
export const staffPersonalData = {
  name: 'staff_access',
  columns: [
    'approvals.answer',
    'approvals.input',
    'approvals.reason',
    'staff_authenticators.user_id',
    'staff_passkeys.name',
    'staff_passkeys.user_id',
    'staff_recovery_codes.user_id',
    'staff_sessions.browser',
    'staff_sessions.system',
    'staff_sessions.user_id',
  ],
  async erase(trx, { userId }) {
    await staffSessionsRepository(trx).deleteOf(userId)
    await secondFactorsRepository(trx).removeAll(userId)
    return { rows: 0 }
  },
} satisfies PersonalDataSource

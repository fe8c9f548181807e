import type { PersonalDataSource } from '#platform/personal-data.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'
import { staffSessionsRepository } from './staff-sessions.repository.ts'

/** What a former staff member could sign in to the console with. */
export const staffPersonalData: PersonalDataSource = {
  name: 'staff_access',
  async erase(trx, userId) {
    await staffSessionsRepository(trx).deleteOf(userId)
    await secondFactorsRepository(trx).removeAll(userId)
    return { rows: 0, emailKeys: [] }
  },
}

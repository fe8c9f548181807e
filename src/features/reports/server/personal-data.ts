import type { PersonalDataSource } from '#platform/personal-data.ts'
import { subscriptionsRepository } from './subscriptions.repository.ts'

/** Which reports a former staff member was sent. */
export const reportsPersonalData = {
  name: 'report_subscriptions',
  columns: ['report_subscriptions.language', 'report_subscriptions.user_id'],
  async erase(trx, { userId }) {
    await subscriptionsRepository(trx).removeAll(userId)
    return { rows: 0 }
  },
} satisfies PersonalDataSource

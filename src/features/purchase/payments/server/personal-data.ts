import type { PersonalDataSource } from '#platform/personal-data.ts'
import { eraseNotificationsOf, eraseOldNotifications } from './payments.repository.ts'

/** What the provider told of payers in its notifications. */
export const notificationsPersonalData = {
  name: 'notifications',
  columns: ['webhook_inbox.payload'],
  erase: async (trx, { userId }) => ({ rows: await eraseNotificationsOf(trx, userId) }),
  retain: {
    notifications: (db, { keepNotificationDays }, limit) =>
      eraseOldNotifications(db, keepNotificationDays, limit),
  },
} satisfies PersonalDataSource

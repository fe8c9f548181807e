import type { SliceMakers } from '#features/emails/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { type ReminderShop, reminderOf, writeReminder } from './reminder-emails.ts'
import { remindersRepository } from './reminders.repository.ts'
import { unsubscribeTokens } from './unsubscribe-tokens.ts'

interface Deps extends SecretKeys {
  db: Database
  shop: ReminderShop
}

export const favouritesEmailMakers = ({ db, secret, previousSecret, shop }: Deps): SliceMakers => {
  const tokens = unsubscribeTokens({ secret, previousSecret })
  return {
    bodies: { reminder: writeReminder(db, shop) },
    isNeeded: { reminder: (ref) => remindersRepository(db).isNeeded(reminderOf(ref)) },
    links: {
      unsubscribe: async (ref, language) => shop.unsubscribeUrl(tokens.of(reminderOf(ref)), language),
    },
    oneClick: { unsubscribe: true },
  }
}

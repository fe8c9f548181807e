import type { Database, ReadDatabase, Sql } from '#platform/database.ts'
import { permits } from '#shared/staff-permissions.ts'
import { MOST_OF_A_KIND, type RecordSearch, maskedEmail, maskedName } from '#shared/staff-search.ts'
import { type MessageRow, messageReads, messagesRepository } from './messages.repository.ts'

export { contactRoutes } from './contact.routes.ts'
export { watchMessages } from './jobs.ts'
export { type MessageShop, auditedEmail, filledTemplates, staffEmail } from './message-emails.ts'
export { type MessageRow, linkMessages, respellMessages } from './messages.repository.ts'
export { messagesPersonalData } from './personal-data.ts'
export { requireFilled, staffMessagesRoutes, summaryOf } from './staff-messages.routes.ts'

/** How many messages wait for an answer, and how many for longer than was promised. */
export const messageFigures = (
  db: Database,
): Promise<{ open: number; late: number; oldestDue: Date | null }> => messagesRepository(db).figures()

/** The newest first. @param whose `email` is a confirmed address; null for none @param after the last one before */
export const messagesOf = (
  db: Sql,
  whose: { email: string | null; userId: number },
  limit: number,
  after?: string,
): Promise<MessageRow[]> => messagesRepository(db).of(whose, limit, after)

/** Messages of somebody whose name or email address begins with the text, the newest first. */
export const messageSearch =
  (db: ReadDatabase): RecordSearch =>
  async ({ text, role }) => {
    if (!permits(role, 'messages.read')) return []
    const rows = await messageReads(db).beginning(text.toLowerCase(), MOST_OF_A_KIND)
    return rows.map(({ id, name, email, received_at }) => ({
      kind: 'message',
      id,
      title: `${maskedName(name)} ${maskedEmail(email)}`,
      matched: 'message',
      state: null,
      total: null,
      at: received_at.toISOString(),
      contest: null,
      order: null,
      customer: null,
    }))
  }

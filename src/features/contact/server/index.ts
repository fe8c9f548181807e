import type { Database, Sql } from '#platform/database.ts'
import { type MessageRow, messagesRepository } from './messages.repository.ts'

export { contactRoutes } from './contact.routes.ts'
export { type MessageShop, auditedEmail, filledTemplates, staffEmail } from './message-emails.ts'
export { type MessageRow, eraseMessagesOf, eraseOldMessages } from './messages.repository.ts'
export { requireFilled, staffMessagesRoutes, summaryOf } from './staff-messages.routes.ts'

/** How many messages wait for an answer, and how many for longer than was promised. */
export const messageFigures = (
  db: Database,
): Promise<{ open: number; late: number; oldestDue: Date | null }> => messagesRepository(db).figures()

/** @param email of a confirmed address; null for none */
export const messagesOf = (
  db: Sql,
  whose: { email: string | null; userId: number },
  limit: number,
): Promise<MessageRow[]> => messagesRepository(db).of(whose, limit)

export const answersTo = (db: Sql, messageId: string) => messagesRepository(db).answers(messageId)

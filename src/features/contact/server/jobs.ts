import type { Watch } from '#features/alerts/server/index.ts'
import { messagesRepository } from './messages.repository.ts'

/** Raises an alert for messages that wait for longer than was promised. */
export const watchMessages: Watch = async (db, alerts) => {
  const { late, oldestDue } = await messagesRepository(db).figures()
  const due = { subject: '', details: { messages: late, due_since: oldestDue?.toISOString() } }
  await alerts.settle(db, 'messageLate', late > 0 ? [due] : [])
}

import { type ExportBlock, type PersonalDataSource, isoOrNull } from '#platform/personal-data.ts'
import { eraseMessagesOf, eraseOldMessages, messagesRepository } from './messages.repository.ts'

const MOST = 10_000

/** Messages to the shop, and what staff answered. */
export const messagesPersonalData = {
  name: 'messages',
  columns: [
    'messages.user_id',
    'messages.name',
    'messages.email',
    'messages.message',
    'messages.language',
    'message_answers.language',
    'message_answers.subject',
    'message_answers.text',
  ],
  async export(trx, { userId, email, isConfirmed }, { say, when }) {
    const stored = messagesRepository(trx)
    const data = []
    const blocks: ExportBlock[] = []
    for (const message of await stored.of({ email: isConfirmed ? email : null, userId }, MOST)) {
      const answers = await stored.answers(message.id)
      data.push({
        received_at: isoOrNull(message.received_at),
        name: message.name,
        email: message.email,
        language: message.language,
        message: message.message,
        answers: answers.map(({ at, subject, text }) => ({ at: isoOrNull(at), subject, text })),
      })
      blocks.push(
        { heading: say('messages.from', { date: when(message.received_at) ?? '', name: message.name }) },
        { paragraph: message.email },
        { quote: message.message },
        ...answers.flatMap(({ at, subject, text }) => [
          { paragraph: say('messages.answered', { date: when(at) ?? '', subject }) },
          { quote: text },
        ]),
      )
    }
    return [{ name: 'messages', data, title: say('messages.title'), blocks }]
  },
  async erase(trx, { userId, email, isConfirmed }) {
    // What was written from an address that nobody has confirmed may be a stranger's.
    const erased = await eraseMessagesOf(trx, { userId, email: isConfirmed ? email : null })
    return { rows: erased.messages, emailKeys: erased.emailKeys }
  },
  retain: {
    messages: (db, { keepMessageMonths }, limit) => eraseOldMessages(db, keepMessageMonths, limit),
  },
} satisfies PersonalDataSource

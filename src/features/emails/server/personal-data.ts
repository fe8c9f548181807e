import { type PersonalDataSource, isoOrNull } from '#platform/personal-data.ts'
import { emailsOf, eraseEmailsOf, eraseOldEmails } from './emails.repository.ts'

/** Emails to an account, and those about what others keep of it. */
export const emailsPersonalData = {
  name: 'emails',
  columns: [
    'emails.user_id',
    'emails.recipient',
    'emails.reply_to',
    'emails.language',
    'emails.subject',
    'emails.body_text',
    'emails.body_html',
    'emails.body_ref',
  ],
  async export(trx, { userId }, { say, word, when }) {
    const emails = await emailsOf(trx, userId)
    return [
      {
        name: 'emails',
        data: emails.map((email) => ({
          ...email,
          queued_at: isoOrNull(email.queued_at),
          closed_at: isoOrNull(email.closed_at),
        })),
        title: say('emails.title'),
        blocks: emails.flatMap((email) => [
          { heading: email.subject ?? say('emails.erased') },
          {
            facts: [
              [say('at'), when(email.queued_at)] as const,
              [say('emails.to'), email.recipient] as const,
              [say('state'), word('emails.states', email.state)] as const,
            ],
          },
          ...(email.text === null ? [] : [{ quote: email.text, language: email.language }]),
        ]),
      },
    ]
  },
  // After all that emails are about: a job that was writing one has now either written it or nothing to write about.
  eraseLast: async (trx, { userId }, keys) => ({ rows: await eraseEmailsOf(trx, userId, keys) }),
  retain: { emails: (db, { keepEmailDays }, limit) => eraseOldEmails(db, keepEmailDays, limit) },
} satisfies PersonalDataSource

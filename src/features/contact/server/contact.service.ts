import { type EmailShop, enqueueEmail, type NewEmail, composeEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { transact } from '#platform/transaction.ts'
import type { Clock } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import type { ContactMessage } from '../contact.contract.ts'
import { isBlocked } from '../contact.rules.ts'

export interface ContactDeps {
  db: Database
  clock: Clock
  /** How many messages of whom are taken. */
  limit: Limit
  shop: EmailShop
  /** Addresses and "@domains" whose messages are refused. */
  blocked: readonly string[]
}

interface Arrival {
  message: ContactMessage
  language: Language
  /** Address of the sender's connection. */
  ip: string
}

/**
 * Takes a message: it is queued as a mail to the shop, unless its sender is blocked.
 * @throws Refusal 429 when there are too many
 */
export async function takeMessage(
  { db, clock, limit, shop, blocked }: ContactDeps,
  { message, language, ip }: Arrival,
): Promise<'taken' | 'blocked'> {
  if (isBlocked(message.user_email, blocked)) return 'blocked'
  await limit.take({ account: message.user_email.toLowerCase(), address: ip })
  const id = newId(clock().getTime())
  await transact(db, (trx) => enqueueEmail(trx, contactEmail(shop, { id, language, message })))
  return 'taken'
}

/**
 * A message as a mail to the shop, in the language it was written in; an answer to it goes to the sender.
 * @param id of the message, unique
 */
function contactEmail(
  shop: EmailShop,
  { id, language, message }: { id: string; language: Language; message: ContactMessage },
): NewEmail {
  const { user_name: name, user_email: email, message: words } = message
  const content = composeEmail(shop, {
    language,
    subject: translate(language, 'emails.contact.subject', { name }),
    preview: words.slice(0, 120),
    title: translate(language, 'emails.contact.title'),
    blocks: [
      {
        kind: 'facts',
        facts: [
          { name: translate(language, 'emails.contact.name'), text: name },
          { name: translate(language, 'emails.contact.email'), text: email },
        ],
      },
      { kind: 'quote', text: words },
      { kind: 'note', text: translate(language, 'emails.contact.answer') },
    ],
  })
  return {
    key: `contact:${id}`,
    kind: 'contact',
    to: shop.contactEmail,
    replyTo: email,
    language,
    ...content,
  }
}

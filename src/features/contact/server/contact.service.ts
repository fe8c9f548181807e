import { type MailShop, queueMail } from '#features/mails/server/index.ts'
import type { Database } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { transact } from '#platform/transaction.ts'
import { type Clock } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import type { ContactMessage } from '../contact.contract.ts'
import { isBlocked } from '../contact.rules.ts'
import { contactMail } from './contact-mail.ts'

export interface ContactDeps {
  db: Database
  clock: Clock
  /** How many messages of whom are taken. */
  limit: Limit
  shop: MailShop
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
  await transact(db, (trx) => queueMail(trx, contactMail(shop, { id, language, message })))
  return 'taken'
}

import type { Sql } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import { nowMs } from '#shared/clock.ts'
import { isErasedEmail } from '#shared/email-address.ts'
import type { Language } from '#shared/languages.ts'
import type { EmailKind } from '../email-kinds.rules.ts'
import { headerText, isMailAddress } from '../emails.rules.ts'
import { type Reference, emailsRepository } from './emails.repository.ts'

interface EmailHead {
  /** Permanently unique: 'receipt:<order id>'. */
  key: string
  kind: EmailKind
  to: string
  /** The account that it goes to: the email is shown on its page and erased with it. */
  userId?: number
  /** The shop's own when left out. */
  replyTo?: string
  language: Language
  /** Made when the email is sent, by the makers of `mailer`. */
  attachments?: readonly Reference[]
  /** Made when the email is sent and never stored; replaces SECRET_LINK in the bodies. */
  secretLink?: Reference
  /** Minutes after which the email is no longer sent. */
  usefulMinutes?: number
  subject: string
}

/** An email with its bodies, as `composeEmail` writes them. */
export interface WrittenEmail extends EmailHead {
  text: string
  html: string
  /** The public address that the bodies link to; sent later, they link to the one that the shop has then. */
  writtenFor?: string
  bodyRef?: undefined
}

/** An email whose bodies are made when it is sent, from data that no longer change. */
interface UnwrittenEmail extends EmailHead {
  bodyRef: Reference
  text?: undefined
  html?: undefined
  writtenFor?: undefined
}

export type NewEmail = WrittenEmail | UnwrittenEmail

export const SECRET_LINK = 'https://secret-link.invalid/'

/**
 * Adds an email to the outbox, in the caller's transaction; ignores a known key, and an account that was erased.
 * @returns whether it was added @throws RangeError unless every address is a single one
 */
export const enqueueEmail = (db: Sql, email: NewEmail): Promise<boolean> =>
  enqueueEmails(db, [email]).then((taken) => taken === 1)

/** @returns how many were added */
export function enqueueEmails(db: Sql, emails: readonly NewEmail[]): Promise<number> {
  for (const email of emails) checkEmail(email)
  return emailsRepository(db).insert(emails.filter(({ to }) => !isErasedEmail(to)).map(rowOf))
}

const rowOf = (email: NewEmail) => ({
  id: newId(nowMs()),
  key: email.key,
  kind: email.kind,
  recipient: email.to,
  reply_to: email.replyTo ?? null,
  language: email.language,
  subject: headerText(email.subject),
  body_text: email.text ?? '',
  body_html: email.html ?? '',
  written_for: email.writtenFor ?? null,
  body_ref: email.bodyRef ?? null,
  attachments: email.attachments ?? [],
  secret_link: email.secretLink ?? null,
  usefulMinutes: email.usefulMinutes ?? null,
  userId: email.userId ?? null,
})

/** @throws RangeError for an email that `enqueueEmail` refuses */
export function checkEmail({ to, replyTo, kind }: NewEmail): void {
  if (!isMailAddress(to) || (replyTo !== undefined && !isMailAddress(replyTo))) {
    throw new RangeError(`an email of kind ${kind} to what is not one address`)
  }
}

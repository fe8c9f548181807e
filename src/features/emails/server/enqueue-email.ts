import type { Sql } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import { nowMs } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { headerText, isMailAddress } from '../emails.rules.ts'
import { type Reference, emailsRepository } from './emails.repository.ts'

interface EmailHead {
  /** One email for each key, ever: 'receipt:<order id>'. */
  key: string
  /** What sort of email it is, for people who look after the shop: 'receipt'. */
  kind: string
  /** One address. */
  to: string
  /** Address that answers go to; the shop's own when left out. */
  replyTo?: string
  language: Language
  /** Further files, made when the email is sent by the makers that `mailer` was given. */
  attachments?: readonly Reference[]
  /** The one link of the email that nobody else may see: made when the email is sent, where a body says SECRET_LINK. */
  secretLink?: Reference
  /** Minutes after which it is no use any more and is not sent. */
  usefulMinutes?: number
  subject: string
}

/** An email with what it says, as `composeEmail` has written it. */
export interface WrittenEmail extends EmailHead {
  text: string
  html: string
  bodyRef?: undefined
}

/** An email whose text is written when it is sent, by a writer that `mailer` got, from data that no longer change. */
interface UnwrittenEmail extends EmailHead {
  bodyRef: Reference
  text?: undefined
  html?: undefined
}

/** An email as a slice hands it over. */
export type NewEmail = WrittenEmail | UnwrittenEmail

/** Stands in a body for the mail's secret link. */
export const SECRET_LINK = 'https://secret-link.invalid/'

/**
 * Hands an email over to the outbox, in the caller's transaction: if that commits, the email leaves, also after a crash;
 * if not, there never was one. A second email with the same key is not taken.
 * @returns whether it was taken
 * @throws RangeError for an address that is none, or is several; line breaks in the subject become spaces
 */
export const enqueueEmail = (db: Sql, email: NewEmail): Promise<boolean> =>
  enqueueEmails(db, [email]).then((taken) => taken === 1)

/** The same for several emails at once. @returns how many were taken */
export function enqueueEmails(db: Sql, emails: readonly NewEmail[]): Promise<number> {
  for (const email of emails) checkEmail(email)
  return emailsRepository(db).insert(emails.map(rowOf))
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
  body_ref: email.bodyRef ?? null,
  attachments: email.attachments ?? [],
  secret_link: email.secretLink ?? null,
  usefulMinutes: email.usefulMinutes ?? null,
})

/** @throws RangeError for an email that `enqueueEmail` would not take */
export function checkEmail({ to, replyTo, kind }: NewEmail): void {
  if (!isMailAddress(to) || (replyTo !== undefined && !isMailAddress(replyTo))) {
    throw new RangeError(`an email of kind ${kind} to what is not one address`)
  }
}

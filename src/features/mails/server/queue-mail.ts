import type { Sql } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import { nowMs } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { headerText, isMailAddress } from '../mails.rules.ts'
import { type Reference, mailsRepository } from './mails.repository.ts'

interface MailHead {
  /** One mail for each key, ever: 'receipt:<order id>'. */
  key: string
  /** What sort of mail it is, for people who look after the shop: 'receipt'. */
  kind: string
  /** One address. */
  to: string
  /** Address that answers go to; the shop's own when left out. */
  replyTo?: string
  language: Language
  /** Further files, made when the mail is sent by the makers that `mailer` was given. */
  attachments?: readonly Reference[]
  /** The one link of the mail that nobody else may see: made when the mail is sent, where a body says SECRET_LINK. */
  secretLink?: Reference
  /** Minutes after which it is no use any more and is not sent. */
  usefulMinutes?: number
  subject: string
}

/** A mail with what it says, as `composeMail` has written it. */
export interface WrittenMail extends MailHead {
  text: string
  html: string
  letter?: undefined
}

/** A mail whose letter is written when it is sent, from what no longer changes, by one of those `mailer` was given. */
interface UnwrittenMail extends MailHead {
  letter: Reference
  text?: undefined
  html?: undefined
}

/** A mail as a slice hands it over. */
export type NewMail = WrittenMail | UnwrittenMail

/** Stands in a body for the mail's secret link. */
export const SECRET_LINK = 'https://secret-link.invalid/'

/**
 * Hands a mail over to the outbox, in the caller's transaction: if that commits, the mail leaves, also after a crash;
 * if not, there never was one. A second mail with the same key is not taken.
 * @returns whether it was taken
 * @throws RangeError for an address that is none, or is several; line breaks in the subject become spaces
 */
export const queueMail = (db: Sql, mail: NewMail): Promise<boolean> =>
  queueMails(db, [mail]).then((taken) => taken === 1)

/** The same for several mails at once. @returns how many were taken */
export function queueMails(db: Sql, mails: readonly NewMail[]): Promise<number> {
  for (const mail of mails) checkMail(mail)
  return mailsRepository(db).insert(mails.map(rowOf))
}

const rowOf = (mail: NewMail) => ({
  id: newId(nowMs()),
  key: mail.key,
  kind: mail.kind,
  recipient: mail.to,
  reply_to: mail.replyTo ?? null,
  language: mail.language,
  subject: headerText(mail.subject),
  body_text: mail.text ?? '',
  body_html: mail.html ?? '',
  letter: mail.letter ?? null,
  attachments: mail.attachments ?? [],
  secret_link: mail.secretLink ?? null,
  usefulMinutes: mail.usefulMinutes ?? null,
})

/** @throws RangeError for a mail that `queueMail` would not take */
export function checkMail({ to, replyTo, kind }: NewMail): void {
  if (!isMailAddress(to) || (replyTo !== undefined && !isMailAddress(replyTo))) {
    throw new RangeError(`a mail of kind ${kind} to what is not one address`)
  }
}

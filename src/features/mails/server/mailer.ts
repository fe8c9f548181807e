import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { ATTEMPTS_MAX, pauseAfter } from '../mails.rules.ts'
import { type MailRow, mailsRepository } from './mails.repository.ts'
import { SECRET_LINK } from './queue-mail.ts'
import { type MailFile, type Outcome, type ReadyMail, type Sender, smtpSender } from './smtp.ts'

/** What makes the parts of a mail that are only referred to, each by the kind of its reference. */
export interface MailMakers {
  /** Both bodies of a letter. */
  letters: Record<string, (ref: string, language: Language) => Promise<{ text: string; html: string }>>
  attachments: Record<string, (ref: string, language: Language) => Promise<readonly MailFile[]>>
  links: Record<string, (ref: string, language: Language) => string>
}

export interface MailerOptions {
  db: Database
  log: FastifyBaseLogger
  /** `smtp://…`; without it mails are kept and not sent. */
  smtpUrl: string | undefined
  sender: Sender
  makers: MailMakers
}

/** Mails that one process sends at the same time. */
const LANES = 3
/** Mails of a lane in one run, so that a run ends. */
const MAILS_PER_RUN = 50

/** What a mail says. @throws Error when nobody writes that kind */
async function bodiesOf(mail: MailRow, { letters }: MailMakers): Promise<{ text: string; html: string }> {
  if (!mail.letter) return { text: mail.body_text, html: mail.body_html }
  const write = letters[mail.letter.kind]
  if (!write) throw new Error(`nobody writes letters of kind ${mail.letter.kind}`)
  return write(mail.letter.ref, mail.language)
}

/** Makes what a mail only refers to. @throws Error when nobody makes that kind */
export async function readyMail(mail: MailRow, makers: MailMakers): Promise<ReadyMail> {
  const { text, html } = await bodiesOf(mail, makers)
  const files: MailFile[] = []
  for (const { kind, ref } of mail.attachments) {
    const make = makers.attachments[kind]
    if (!make) throw new Error(`nobody makes attachments of kind ${kind}`)
    files.push(...(await make(ref, mail.language)))
  }
  const wanted = mail.secret_link
  if (!wanted) return { text, html, files }
  const link = makers.links[wanted.kind]?.(wanted.ref, mail.language)
  if (link === undefined) throw new Error(`nobody makes links of kind ${wanted.kind}`)
  return {
    text: text.replaceAll(SECRET_LINK, () => link),
    html: html.replaceAll(SECRET_LINK, () => link.replaceAll('&', '&amp;')),
    files,
  }
}

/** Sends what is in the outbox. Any number of processes may do so: each mail belongs to one at a time. */
export function mailer({ db, log, smtpUrl, sender, makers }: MailerOptions) {
  const mails = mailsRepository(db)
  const send = smtpUrl === undefined ? undefined : smtpSender(smtpUrl, sender)
  let stopped = false

  async function attempt(mail: MailRow, deliver: NonNullable<typeof send>): Promise<Outcome> {
    try {
      const ready = await readyMail(mail, makers)
      return await deliver(mail, ready)
    } catch (error) {
      log.error({ err: error, mailId: mail.id, kind: mail.kind }, 'a mail could not be made')
      return { kind: 'failed', error: error instanceof Error ? error.message : String(error) }
    }
  }

  async function settle(mail: MailRow, outcome: Outcome): Promise<void> {
    const about = { mailId: mail.id, kind: mail.kind, attempt: mail.attempts, outcome: outcome.kind }
    if (outcome.kind === 'taken') {
      await mails.close(mail, 'sent')
      log.info(about, 'mail sent')
    } else if (outcome.kind === 'refused' || mail.attempts >= ATTEMPTS_MAX) {
      await mails.close(mail, 'failed', outcome.error)
      log.error(about, 'mail given up')
    } else {
      await mails.postpone(mail, pauseAfter(mail.attempts), outcome.error)
      log.warn(about, 'mail not sent yet, will be tried again')
    }
  }

  return {
    /** Sends what is due; without a mail server it keeps it. A mail server that is not there is not asked for each. */
    async deliver(): Promise<void> {
      if (!send) return await mails.keepAll()
      const lost = await mails.giveUp()
      if (lost > 0) log.error({ count: lost }, 'mails given up')
      let isThere = true
      const lane = async (): Promise<void> => {
        for (let sent = 0; sent < MAILS_PER_RUN && isThere && !stopped; sent += 1) {
          const mail = await mails.claim()
          if (!mail) return
          const outcome = await attempt(mail, send)
          if (outcome.kind === 'unreachable') isThere = false
          await settle(mail, outcome)
        }
      }
      await Promise.all(Array.from({ length: LANES }, lane))
    },

    /** Begins no further mail, so that a run under way ends soon. */
    stop(): void {
      stopped = true
    },
  }
}

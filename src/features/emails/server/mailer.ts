import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { ATTEMPTS_MAX, pauseAfter } from '../emails.rules.ts'
import { type EmailRow, emailsRepository } from './emails.repository.ts'
import { SECRET_LINK } from './enqueue-email.ts'
import { type EmailFile, type Outcome, type ReadyEmail, type Sender, smtpSender } from './smtp.ts'

/** Makers of the referenced parts of an email, by kind. */
export interface EmailMakers {
  /** Of the shop, without a trailing slash. */
  publicUrl: string
  bodies: Record<string, (ref: string, language: Language) => Promise<{ text: string; html: string }>>
  attachments: Record<string, (ref: string, language: Language) => Promise<readonly EmailFile[]>>
  links: Record<string, (ref: string, language: Language) => Promise<string>>
  /** Kinds of links that end emails of their kind by one click: a header of the email has them as well (RFC 8058). */
  oneClick?: Record<string, true>
  /** Whether an email with such a body waits a little, for what is about to be there; each says for how long at most. */
  waits?: Record<string, (ref: string) => Promise<boolean>>
  /** Whether an email with such a body still has something to tell; otherwise it is not sent. */
  isNeeded?: Record<string, (ref: string) => Promise<boolean>>
}

export interface MailerOptions {
  db: Database
  log: FastifyBaseLogger
  /** Without it emails are not sent. */
  smtpUrl: string | undefined
  /** Sends nothing in plain text, also by smtp://. */
  requireTls?: boolean
  sender: Sender
  makers: EmailMakers
}

/** Emails that one process sends at the same time. */
const CONCURRENCY = 3
/** Until a waiting email is looked at again. */
const WAIT_SECONDS = 2
/** So that a run ends. */
const EMAILS_PER_RUN = 50

/** Makes the bodies of an email, without its files and its secret link. @throws Error for an unknown kind */
export async function bodiesOf(
  email: EmailRow,
  { bodies, publicUrl }: EmailMakers,
): Promise<{ text: string; html: string }> {
  if (!email.body_ref) {
    const { written_for: former } = email
    return {
      text: withAddress(email.body_text, former, publicUrl),
      html: withAddress(email.body_html, former, publicUrl),
    }
  }
  const write = bodies[email.body_ref.kind]
  if (!write) throw new Error(`no writer for emails of kind ${email.body_ref.kind}`)
  return write(email.body_ref.ref, email.language)
}

/** Bodies with the shop's present address, where they were written for a former one. */
function withAddress(body: string, former: string | null, present: string): string {
  if (former === null || former === present) return body
  // Followed by what ends a host: `https://shop.example.evil.test` is another address.
  const literal = former.replaceAll(/[^\w\s]/g, String.raw`\$&`)
  const whole = new RegExp(`${literal}(?![\\w-]|[.:]\\w)`, 'g')
  return body.replaceAll(whole, () => present)
}

/** Makes the referenced parts of an email. @throws Error for an unknown kind */
export async function readyEmail(email: EmailRow, makers: EmailMakers): Promise<ReadyEmail> {
  const { text, html } = await bodiesOf(email, makers)
  const files: EmailFile[] = []
  for (const { kind, ref } of email.attachments) {
    const make = makers.attachments[kind]
    if (!make) throw new Error(`nobody makes attachments of kind ${kind}`)
    files.push(...(await make(ref, email.language)))
  }
  const wanted = email.secret_link
  if (!wanted) return { text, html, files }
  const link = await makers.links[wanted.kind]?.(wanted.ref, email.language)
  if (link === undefined) throw new Error(`nobody makes links of kind ${wanted.kind}`)
  return {
    text: text.replaceAll(SECRET_LINK, () => link),
    html: html.replaceAll(SECRET_LINK, () => link.replaceAll('&', '&amp;')),
    files,
    ...(makers.oneClick?.[wanted.kind] && { unsubscribe: link }),
  }
}

/** Those of a slice, which `src/server/shop-mailer.ts` collects. */
export type SliceMakers = Partial<Omit<EmailMakers, 'publicUrl'>>

/** All of a shop. */
export const joinMakers = (publicUrl: string, slices: readonly SliceMakers[]): EmailMakers => ({
  publicUrl,
  bodies: Object.assign({}, ...slices.map(({ bodies }) => bodies)),
  attachments: Object.assign({}, ...slices.map(({ attachments }) => attachments)),
  links: Object.assign({}, ...slices.map(({ links }) => links)),
  oneClick: Object.assign({}, ...slices.map(({ oneClick }) => oneClick)),
  waits: Object.assign({}, ...slices.map(({ waits }) => waits)),
  isNeeded: Object.assign({}, ...slices.map(({ isNeeded }) => isNeeded)),
})

export type Mailer = ReturnType<typeof mailer>

/** Sends the emails of the outbox; any number of processes may do so. */
export function mailer({ db, log, smtpUrl, requireTls, sender, makers }: MailerOptions) {
  const emails = emailsRepository(db)
  const send = smtpUrl === undefined ? undefined : smtpSender(smtpUrl, sender, requireTls)
  let stopped = false

  async function attempt(email: EmailRow, deliver: NonNullable<typeof send>): Promise<Outcome> {
    try {
      const ready = await readyEmail(email, makers)
      return await deliver(email, ready)
    } catch (error) {
      log.error({ err: error, emailId: email.id, kind: email.kind }, 'an email could not be made')
      return { kind: 'failed', error: error instanceof Error ? error.message : String(error) }
    }
  }

  const mustWait = async ({ body_ref: body }: EmailRow): Promise<boolean> =>
    body !== null && ((await makers.waits?.[body.kind]?.(body.ref)) ?? false)

  const isNeeded = async ({ body_ref: body }: EmailRow): Promise<boolean> =>
    body === null || ((await makers.isNeeded?.[body.kind]?.(body.ref)) ?? true)

  async function settle(email: EmailRow, outcome: Outcome): Promise<void> {
    const about = { emailId: email.id, kind: email.kind, attempt: email.attempts, outcome: outcome.kind }
    if (outcome.kind === 'taken') {
      await emails.close(email, 'sent')
      log.info(about, 'mail sent')
    } else if (outcome.kind === 'refused' || email.attempts >= ATTEMPTS_MAX) {
      await emails.close(email, 'failed', outcome.error)
      log.error(about, 'mail given up')
    } else {
      await emails.postpone(email, pauseAfter(email.attempts), outcome.error)
      log.warn(about, 'mail not sent yet, will be tried again')
    }
  }

  return {
    /** Sends due emails, or keeps them without a mail server. An unreachable mail server ends the run. */
    async deliver(): Promise<void> {
      if (!send) return await emails.keepAll()
      const lost = await emails.giveUp()
      if (lost > 0) log.error({ count: lost }, 'emails given up')
      let isReachable = true
      const worker = async (): Promise<void> => {
        for (let sent = 0; sent < EMAILS_PER_RUN && isReachable && !stopped; sent += 1) {
          const email = await emails.claim()
          if (!email) return
          if (await mustWait(email)) {
            await emails.wait(email, WAIT_SECONDS)
            continue
          }
          if (!(await isNeeded(email))) {
            await emails.close(email, 'kept', 'no longer needed')
            log.info({ emailId: email.id, kind: email.kind }, 'mail kept back, nothing is left to tell')
            continue
          }
          const outcome = await attempt(email, send)
          if (outcome.kind === 'unreachable') isReachable = false
          await settle(email, outcome)
        }
      }
      await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    },

    stop(): void {
      stopped = true
    },
  }
}

import { randomUUID } from 'node:crypto'
import { nowMs } from '#shared/clock.ts'
import { headerText } from '../emails.rules.ts'
import type { EmailRow } from './emails.repository.ts'

const CONNECT_MS = 10_000
const SILENCE_MS = 30_000

export interface EmailFile {
  filename: string
  contentType: string
  content: Buffer
}

export interface ReadyEmail {
  text: string
  html: string
  files: readonly EmailFile[]
  /** Where one click ends emails of its kind (RFC 8058). */
  unsubscribe?: string
}

export interface Sender {
  name: string
  address: string
  /** The reply address of emails without one. */
  replyTo: string
}

/** Outcome of an attempt: accepted, refused for good, failed temporarily, or no connection. */
export type Outcome = { kind: 'taken' } | { kind: 'refused' | 'failed' | 'unreachable'; error: string }

/** Longest attempt, well below the lease of a claimed email. */
const ATTEMPT_MS = 120_000

/** Codes of Nodemailer for a mail server that did not judge the email. */
const UNREACHABLE = new Set([
  'ECONNECTION',
  'ESOCKET',
  'EDNS',
  'ETIMEDOUT',
  'ETLS',
  'EAUTH',
  'EOAUTH2',
  'EABORT',
])

/** Parameters of an address would take precedence over the options. */
function withoutTlsChoice(url: string): string {
  const address = new URL(url)
  for (const name of ['requireTLS', 'ignoreTLS', 'opportunisticTLS']) address.searchParams.delete(name)
  return address.href
}

/** Loads Nodemailer with the first email (6 MB): a web process sends none as a rule. */
async function transportTo(url: string, requireTls: boolean) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: requireTls ? withoutTlsChoice(url) : url,
    requireTLS: requireTls,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // An email never loads files or addresses that its text could name.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Connects to a mail server and logs in, without an email. @returns what went wrong */
export async function checkMailServer(
  url: string,
  requireTls: boolean,
): Promise<{ kind: 'login' | 'tls' | 'unreachable' | 'refused'; reason: string } | undefined> {
  const transport = await transportTo(url, requireTls)
  try {
    await transport.verify()
    return undefined
  } catch (error) {
    const { code = '', response, message = '' } = error as SmtpFault
    const kind =
      code === 'EAUTH' || code === 'EOAUTH2'
        ? 'login'
        : code === 'ETLS' || CERTIFICATE.test(`${code} ${message}`)
          ? 'tls'
          : UNREACHABLE.has(code)
            ? 'unreachable'
            : 'refused'
    return { kind, reason: (response || message || code).slice(0, 300) }
  } finally {
    transport.close()
  }
}

/** Where emails go, and from whom. */
export interface MailServer {
  url: string
  sender: Sender
  requireTls: boolean
}

/** Sends an email past the outbox, once: for what cannot wait for the database. */
export function sendAtOnce(
  { url, sender, requireTls }: MailServer,
  { to, language, subject, text, html }: AtOnce,
): Promise<Outcome> {
  const about = { id: randomUUID(), queued_at: new Date(nowMs()), recipient: to, reply_to: null }
  return smtpSender(
    url,
    sender,
    requireTls,
  )({ ...about, language, subject: headerText(subject) }, { text, html, files: [] })
}

interface AtOnce extends Pick<EmailRow, 'language' | 'subject'> {
  to: string
  text: string
  html: string
}

/** In the errors of Node for connections that are not secure. */
const CERTIFICATE = /certificate|\bSSL\b|\bTLS\b|altname/i

type SentEmail = Pick<EmailRow, 'id' | 'queued_at' | 'recipient' | 'reply_to' | 'subject' | 'language'>

/** Sends emails to a mail server, over TLS where it offers that. @param requireTls refuses to send them otherwise */
export function smtpSender(url: string, sender: Sender, requireTls = false) {
  let transport: ReturnType<typeof transportTo> | undefined
  const domain = sender.address.split('@').at(-1) ?? ''

  /** Every attempt has the same message id, by which a receiver recognises duplicates. */
  return async (email: SentEmail, { text, html, files, unsubscribe }: ReadyEmail): Promise<Outcome> => {
    try {
      transport ??= transportTo(url, requireTls)
      const connection = await transport
      await connection.sendMail({
        messageId: `<${email.id}@${domain}>`,
        date: email.queued_at,
        from: { name: sender.name, address: sender.address },
        to: { name: '', address: email.recipient },
        replyTo: { name: '', address: email.reply_to ?? sender.replyTo },
        subject: email.subject,
        text,
        html,
        attachments: files.map((file) => ({ ...file, contentDisposition: 'attachment' as const })),
        signal: AbortSignal.timeout(ATTEMPT_MS),
        headers: {
          'Auto-Submitted': 'auto-generated',
          'Content-Language': email.language,
          ...(unsubscribe !== undefined && {
            'List-Unsubscribe': `<${unsubscribe}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      })
      return { kind: 'taken' }
    } catch (error) {
      return outcomeOf(error)
    }
  }
}

/** Commands to which a mail server responds about the email itself. */
const ABOUT_THE_MAIL = new Set(['RCPT TO', 'DATA'])
/** Responses about our permissions (RFC 3463, "5.7"): a setting is wrong, not the email. */
const POLICY = /\b5\.7\.\d/

/** Only a definite refusal (RFC 5321, 5yz) of this email is final. */
function outcomeOf(fault: unknown): Outcome {
  const { code = '', command = '', response = '', responseCode = 0, message = '' } = fault as SmtpFault
  const error = `${code} ${message}`.trim().slice(0, 500)
  if (UNREACHABLE.has(code)) return { kind: 'unreachable', error }
  const isDefinite = responseCode >= 550 && responseCode <= 556 && !POLICY.test(response)
  return { kind: isDefinite && ABOUT_THE_MAIL.has(command) ? 'refused' : 'failed', error }
}

interface SmtpFault {
  code?: string
  command?: string
  response?: string
  responseCode?: number
  message?: string
}

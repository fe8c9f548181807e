import { createTransport } from 'nodemailer'
import type { EmailRow } from './emails.repository.ts'

const CONNECT_MS = 10_000
const SILENCE_MS = 30_000

/** A file that goes with an email. */
export interface EmailFile {
  filename: string
  contentType: string
  content: Buffer
}

/** An email as it leaves: everything that was only referred to is made. */
export interface ReadyEmail {
  text: string
  html: string
  files: readonly EmailFile[]
}

export interface Sender {
  /** Shown beside the address. */
  name: string
  address: string
  /** Where answers go unless an email says otherwise. */
  replyTo: string
}

/** How an attempt ended: the mail server took the email, will never take it, may take it later, or is not there. */
export type Outcome = { kind: 'taken' } | { kind: 'refused' | 'failed' | 'unreachable'; error: string }

/** Longest attempt, against a mail server that trickles; well below the time a claimed email belongs to us. */
const ATTEMPT_MS = 120_000

/** Codes of Nodemailer for a mail server that did not get as far as judging the email. */
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

/** Sends emails to a mail server, over TLS where that offers it. */
export function smtpSender(url: string, sender: Sender) {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // an email is made of what it says, never of files or addresses that its words could name.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = sender.address.split('@').at(-1) ?? ''

  /** The same message id in every attempt, by which the receiver can tell a repeated email. */
  return async (email: EmailRow, { text, html, files }: ReadyEmail): Promise<Outcome> => {
    try {
      await transport.sendMail({
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
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': email.language },
      })
      return { kind: 'taken' }
    } catch (error) {
      return outcomeOf(error)
    }
  }
}

/** Where a mail server answers to the email itself, and not to our being its customer. */
const ABOUT_THE_MAIL = new Set(['RCPT TO', 'DATA'])
/** Answers about what we may do (RFC 3463, "5.7"): a setting is wrong, not the email. */
const POLICY = /\b5\.7\.\d/

/** Reads a fault of Nodemailer. Only a definite no (RFC 5321, 5yz) to this very email ends it. */
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

import { createTransport } from 'nodemailer'
import type { MailRow } from './mails.repository.ts'

const CONNECT_MS = 10_000
const SILENCE_MS = 30_000

/** A file that goes with a mail. */
export interface MailFile {
  filename: string
  contentType: string
  content: Buffer
}

/** A mail as it leaves: everything that was only referred to is made. */
export interface ReadyMail {
  text: string
  html: string
  files: readonly MailFile[]
}

export interface Sender {
  /** Shown beside the address. */
  name: string
  address: string
  /** Where answers go unless a mail says otherwise. */
  replyTo: string
}

/** How an attempt ended: the mail server took the mail, will never take it, may take it later, or is not there. */
export type Outcome = { kind: 'taken' } | { kind: 'refused' | 'failed' | 'unreachable'; error: string }

/** Longest attempt, against a mail server that trickles; well below the time a claimed mail belongs to us. */
const ATTEMPT_MS = 120_000

/** Codes of Nodemailer for a mail server that did not get as far as judging the mail. */
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

/** Sends mails to a mail server, over TLS where that offers it. */
export function smtpSender(url: string, sender: Sender) {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A mail is made of what it says, never of files or addresses that its words could name.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = sender.address.split('@').at(-1) ?? ''

  /** The same message id in every attempt, by which the receiver can tell a repeated mail. */
  return async (mail: MailRow, { text, html, files }: ReadyMail): Promise<Outcome> => {
    try {
      await transport.sendMail({
        messageId: `<${mail.id}@${domain}>`,
        date: mail.queued_at,
        from: { name: sender.name, address: sender.address },
        to: { name: '', address: mail.recipient },
        replyTo: { name: '', address: mail.reply_to ?? sender.replyTo },
        subject: mail.subject,
        text,
        html,
        attachments: files.map((file) => ({ ...file, contentDisposition: 'attachment' as const })),
        signal: AbortSignal.timeout(ATTEMPT_MS),
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.language },
      })
      return { kind: 'taken' }
    } catch (error) {
      return outcomeOf(error)
    }
  }
}

/** Where a mail server answers to the mail itself, and not to our being its customer. */
const ABOUT_THE_MAIL = new Set(['RCPT TO', 'DATA'])
/** Answers about what we may do (RFC 3463, "5.7"): a setting is wrong, not the mail. */
const POLICY = /\b5\.7\.\d/

/** Reads a fault of Nodemailer. Only a definite no (RFC 5321, 5yz) to this very mail ends it. */
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

import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import { isUuid } from '#platform/ids.ts'
import type { Database } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import { Mailbox, type MailboxEntry, MailboxEmail, MailboxFilters } from '../emails.contract.ts'
import { SEARCH_MAX, isEmailTopic, kindsAbout } from '../email-kinds.rules.ts'
import { type EmailMakers, bodiesOf, readyEmail } from './mailer.ts'
import { type EmailRow, emailsRepository } from './emails.repository.ts'
import type { Sender } from './smtp.ts'

export interface MailboxOptions {
  db: Database
  sender: Sender
  makers: EmailMakers
}

const tags = ['demo']
const auth = 'ignored' as const
const LISTED = 100
/** Emails of which a search reads the texts. */
const SEARCHED = 300

/** The HTML of an email may have styles, links and pictures of the shop, and no scripts; the mailbox measures its height. */
const htmlHeaders = (publicUrl: string) => ({
  'content-security-policy':
    `default-src 'none'; style-src 'unsafe-inline'; img-src ${new URL(publicUrl).origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; ` +
    'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
})

/** Shows all emails to everybody, reset links included: never register it in a live shop. */
export const mailboxRoutes =
  ({ db, sender, makers }: MailboxOptions) =>
  async (root: FastifyInstance): Promise<void> => {
    const app = root.withTypeProvider<ZodTypeProvider>()
    const emails = emailsRepository(db)

    async function find(id: string): Promise<EmailRow> {
      const email = isUuid(id) ? await emails.byId(id) : undefined
      if (!email) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
      return email
    }

    /** Those that have the text. Bodies that nobody has stored are made, until enough are found. */
    async function found(newest: readonly EmailRow[], wanted: string): Promise<EmailRow[]> {
      const matches: EmailRow[] = []
      for (const email of newest) {
        if (matches.length === LISTED) break
        const { subject, recipient } = email
        const inHead = plain(`${subject} ${recipient}`).includes(wanted)
        if (inHead || plain(await textOf(email)).includes(wanted)) matches.push(email)
      }
      return matches
    }

    /** Empty where nothing can be said any more. */
    const textOf = (email: EmailRow): Promise<string> =>
      bodiesOf(email, makers).then(
        ({ text }) => text,
        () => '',
      )

    app.get(
      '/api/demo/emails/',
      { config: { auth }, schema: { tags, querystring: MailboxFilters, response: { 200: Mailbox } } },
      async ({ query: { topic, q = '' } }) => {
        const wanted = plain(q.slice(0, SEARCH_MAX))
        const kinds = isEmailTopic(topic) ? kindsAbout(topic) : undefined
        const newest = await emails.newest(wanted === '' ? LISTED : SEARCHED, kinds)
        return (wanted === '' ? newest : await found(newest, wanted)).map(toEntry)
      },
    )

    app.get(
      '/api/demo/emails/:id/',
      {
        config: { auth },
        schema: { tags, params: z.object({ id: z.string() }), response: { 200: MailboxEmail } },
      },
      async (request) => {
        const email = await find(request.params.id)
        const { text, files } = await readyEmail(email, makers)
        const url = `/api/demo/emails/${email.id}`
        return {
          ...toEntry(email),
          from: sender.address,
          reply_to: email.reply_to ?? sender.replyTo,
          text,
          html_url: `${url}/html/`,
          files: files.map(({ filename, content }, index) => ({
            name: filename,
            bytes: content.length,
            url: `${url}/files/${index}/`,
          })),
        }
      },
    )

    app.get(
      '/api/demo/emails/:id/html/',
      { config: { auth }, schema: { tags, params: z.object({ id: z.string() }) } },
      async (request, reply) => {
        const { html } = await readyEmail(await find(request.params.id), makers)
        return reply.type('text/html; charset=utf-8').headers(htmlHeaders(makers.publicUrl)).send(html)
      },
    )

    app.get(
      '/api/demo/emails/:id/files/:index/',
      { config: { auth }, schema: { tags, params: z.object({ id: z.string(), index: z.string() }) } },
      async (request, reply) => {
        const { files } = await readyEmail(await find(request.params.id), makers)
        const file = files[Number(request.params.index)]
        if (!file) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        return reply
          .type(file.contentType)
          .header('content-disposition', `attachment; filename="${file.filename}"`)
          .send(file.content)
      },
    )
  }

/** A text as a search compares it: without capitals and accents. */
const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()

const toEntry = (
  email: Pick<EmailRow, 'id' | 'kind' | 'recipient' | 'subject' | 'language' | 'queued_at'>,
): MailboxEntry => ({
  id: email.id,
  kind: email.kind,
  to: email.recipient,
  subject: email.subject,
  language: email.language,
  queued_at: email.queued_at.toISOString(),
})

import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import type { Database } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import { Mailbox, type MailboxEntry, MailboxMail } from '../mails.contract.ts'
import { type MailMakers, readyMail } from './mailer.ts'
import { type MailRow, mailsRepository } from './mails.repository.ts'
import type { Sender } from './smtp.ts'

export interface MailboxOptions {
  db: Database
  sender: Sender
  makers: MailMakers
}

const tags = ['demo']
const auth = 'ignored' as const
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LISTED = 100

/** The HTML of a mail, shown inside our page: it may look like something, link to something, and do nothing. */
const HTML_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; " +
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
}

/**
 * The mailbox of a demonstration without a mail server. It shows everybody's mails to everybody, links for new
 * passwords included: a live shop must not register it.
 */
export const mailboxRoutes =
  ({ db, sender, makers }: MailboxOptions) =>
  async (root: FastifyInstance): Promise<void> => {
    const app = root.withTypeProvider<ZodTypeProvider>()
    const mails = mailsRepository(db)

    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })

    async function find(id: string): Promise<MailRow> {
      const mail = UUID.test(id) ? await mails.byId(id) : undefined
      if (!mail) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
      return mail
    }

    app.get(
      '/api/demo/mails/',
      { config: { auth }, schema: { tags, response: { 200: Mailbox } } },
      async () => (await mails.newest(LISTED)).map(toEntry),
    )

    app.get(
      '/api/demo/mails/:id/',
      {
        config: { auth },
        schema: { tags, params: z.object({ id: z.string() }), response: { 200: MailboxMail } },
      },
      async (request) => {
        const mail = await find(request.params.id)
        const { text, files } = await readyMail(mail, makers)
        const url = `/api/demo/mails/${mail.id}`
        return {
          ...toEntry(mail),
          from: sender.address,
          reply_to: mail.reply_to ?? sender.replyTo,
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
      '/api/demo/mails/:id/html/',
      { config: { auth }, schema: { tags, params: z.object({ id: z.string() }) } },
      async (request, reply) => {
        const { html } = await readyMail(await find(request.params.id), makers)
        return reply.type('text/html; charset=utf-8').headers(HTML_HEADERS).send(html)
      },
    )

    app.get(
      '/api/demo/mails/:id/files/:index/',
      { config: { auth }, schema: { tags, params: z.object({ id: z.string(), index: z.string() }) } },
      async (request, reply) => {
        const { files } = await readyMail(await find(request.params.id), makers)
        const file = files[Number(request.params.index)]
        if (!file) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        return reply
          .type(file.contentType)
          .header('content-disposition', `attachment; filename="${file.filename}"`)
          .send(file.content)
      },
    )
  }

const toEntry = (
  mail: Pick<MailRow, 'id' | 'kind' | 'recipient' | 'subject' | 'language' | 'queued_at'>,
): MailboxEntry => ({
  id: mail.id,
  kind: mail.kind,
  to: mail.recipient,
  subject: mail.subject,
  language: mail.language,
  queued_at: mail.queued_at.toISOString(),
})

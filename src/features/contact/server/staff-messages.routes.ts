import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { enqueueEmail } from '#features/emails/server/index.ts'
import { audit, auditRead } from '#platform/audit-log.ts'
import type { Database, Sql } from '#platform/database.ts'
import { type StaffCaller, staffOf } from '#platform/http/request.ts'
import { newId } from '#platform/ids.ts'
import { transact } from '#platform/transaction.ts'
import type { Clock } from '#shared/clock.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import { gapsOf } from '../message-templates.rules.ts'
import {
  AnswerBody,
  CloseMessageBody,
  FilledTemplates,
  Message,
  MessageParams,
  Messages,
  MessagesQuery,
  ReopenMessageBody,
  TemplatesQuery,
} from '../staff-messages.contract.ts'
import { type MessageShop, auditedEmail, filledTemplates, staffEmail } from './message-emails.ts'
import {
  type Handled,
  type MessageRow,
  answerKey,
  messageReads,
  messagesRepository,
} from './messages.repository.ts'

export interface StaffMessagesOptions {
  db: Database
  clock: Clock
  shop: MessageShop
  /** Whether the contact form sends its messages to this server. */
  takesMessages: boolean
}

const PAGE = 50
const OTHERS = 10
const BEGINNING = 140

const tags = ['staff']
const read = { permits: 'messages.read' } as const
const change = { permits: 'messages.answer' } as const

/** The inbox of the console: messages of the contact form, with their clock and their answers. */
export const staffMessagesRoutes =
  ({ db, clock, shop, takesMessages }: StaffMessagesOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    app.get(
      '/api/staff/messages/',
      { config: read, schema: { tags, querystring: MessagesQuery, response: { 200: Messages } } },
      async (request) => {
        const { query } = request
        const messages = messageReads(request.reads)
        const [page, { open, late }] = await Promise.all([listMessages(messages, query), messages.figures()])
        await auditRead(db, {
          actor: staffOf(request),
          action: 'messages.list',
          after: { state: query.state ?? null, shown: page.items.map(({ id }) => id) },
        })
        return { ...page, takes_messages: takesMessages, open, late }
      },
    )

    app.get(
      '/api/staff/messages/:id/',
      { config: read, schema: { tags, params: MessageParams, response: { 200: Message } } },
      async (request) => {
        const { id } = request.params
        const shown = await showMessage(db, id)
        await auditRead(db, {
          actor: staffOf(request),
          action: 'messages.read',
          subject: { kind: 'message', id },
          after: { shown: shown.others.map((other) => other.id) },
        })
        return shown
      },
    )

    app.get(
      '/api/staff/messages/:id/templates/',
      {
        config: change,
        schema: {
          tags,
          params: MessageParams,
          querystring: TemplatesQuery,
          response: { 200: FilledTemplates },
        },
      },
      async (request) => {
        const { id, name } = await requireMessage(db, request.params.id)
        const { language } = request.query
        return filledTemplates(shop, {
          language,
          readerLanguage: request.language,
          name,
          reference: messageReference(id),
        })
      },
    )

    app.post(
      '/api/staff/messages/:id/answer/',
      {
        config: change,
        schema: { tags, params: MessageParams, body: AnswerBody, response: { 200: Message } },
      },
      async (request) => {
        const { params, body } = request
        requireFilled(body)
        const { template, language, subject, text } = body
        const actor = staffOf(request)
        return transact(db, async (trx) => {
          const message = await requireMessage(trx, params.id)
          const { version } = body
          const handled = await handle(trx, message, { actor, version, state: 'answered', closedAs: null })
          const id = newId(clock().getTime())
          const answer = {
            id,
            message_id: message.id,
            template,
            language,
            subject,
            text,
            answered_by: actor.userId,
          }
          await messagesRepository(trx).addAnswer(answer)
          await enqueueEmail(
            trx,
            staffEmail(shop, {
              key: answerKey(id),
              kind: 'message-answer',
              to: message.email,
              userId: handled.user_id ?? undefined,
              language,
              subject,
              text,
              quoted: { text: message.message, at: message.received_at },
            }),
          )
          const shown = await showMessage(trx, message.id)
          await audit(trx, {
            actor,
            action: 'messages.answer',
            subject: { kind: 'message', id: message.id },
            after: auditedEmail(body),
          })
          return shown
        })
      },
    )

    const changeState = async (
      actor: StaffCaller,
      id: string,
      to: Pick<Handled, 'version' | 'state' | 'closedAs'>,
    ): Promise<Message> =>
      transact(db, async (trx) => {
        const message = await requireMessage(trx, id)
        await handle(trx, message, { actor, ...to })
        const shown = await showMessage(trx, id)
        await audit(trx, {
          actor,
          action: to.state === 'open' ? 'messages.reopen' : 'messages.close',
          subject: { kind: 'message', id },
          before: { state: message.state },
          after: { state: to.state, as: to.closedAs },
        })
        return shown
      })

    app.post(
      '/api/staff/messages/:id/close/',
      {
        config: change,
        schema: { tags, params: MessageParams, body: CloseMessageBody, response: { 200: Message } },
      },
      (request) => {
        const { version, as: closedAs } = request.body
        return changeState(staffOf(request), request.params.id, { version, state: 'closed', closedAs })
      },
    )

    app.post(
      '/api/staff/messages/:id/reopen/',
      {
        config: change,
        schema: { tags, params: MessageParams, body: ReopenMessageBody, response: { 200: Message } },
      },
      (request) => {
        const { version } = request.body
        return changeState(staffOf(request), request.params.id, { version, state: 'open', closedAs: null })
      },
    )
  }

/** @throws InvalidFields for a text with places that are still to be filled in */
export function requireFilled({ subject, text }: { subject: string; text: string }): void {
  const faults = Object.entries({ subject, text }).filter(([, words]) => gapsOf(words).length > 0)
  if (faults.length > 0)
    throw new InvalidFields(
      Object.fromEntries(faults.map(([field]) => [field, ['consoleMessages.refusals.gap']])),
    )
}

/** The end of an id: its beginning is the time, which many share. */
const messageReference = (id: string): string => id.slice(-8).toUpperCase()

async function requireMessage(db: Sql, id: string): Promise<MessageRow> {
  const message = await messagesRepository(db).find(id)
  if (!message) throw new Refusal('messages.notFound', 404, 'consoleMessages.refusals.notFound')
  return message
}

/** @returns whose it is @throws Refusal 409 with the message as it is now, when somebody else was faster */
async function handle(
  trx: Sql,
  { id, state: before }: MessageRow,
  { actor, version, state, closedAs }: Omit<Handled, 'id' | 'staffId'> & { actor: StaffCaller },
): Promise<{ user_id: number | null }> {
  const isNoChange = before === state && state !== 'answered'
  const handled = isNoChange
    ? undefined
    : await messagesRepository(trx).handle({ id, version, staffId: actor.userId, state, closedAs })
  if (handled) return handled
  throw new Refusal('messages.changed', 409, 'consoleMessages.refusals.changed', {
    body: { message: await showMessage(trx, id) },
  })
}

async function listMessages(
  messages: ReturnType<typeof messageReads>,
  { state, after, limit = PAGE }: MessagesQuery,
): Promise<Pick<Messages, 'items' | 'next'>> {
  const [part, id] = after?.split(':') ?? []
  const rows: MessageRow[] = []
  if (part !== 'done' && (state === undefined || state === 'open'))
    rows.push(...(await messages.open(id, limit + 1)))
  if (state !== 'open' && rows.length <= limit) {
    const isFirst = part !== 'done'
    rows.push(...(await messages.done(isFirst ? undefined : id, limit + 1 - rows.length, state)))
  }
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const next = last && rows.length > limit ? `${last.state === 'open' ? 'open' : 'done'}:${last.id}` : null
  return { items: items.map(summaryOf), next }
}

async function showMessage(db: Sql, id: string): Promise<Message> {
  const row = await requireMessage(db, id)
  const messages = messagesRepository(db)
  const [answers, others] = [
    await messages.answers(id),
    await messages.of({ email: row.email, userId: row.user_id }, OTHERS + 1),
  ]
  return {
    ...summaryOf(row),
    message: row.message,
    closed_as: row.closed_as,
    handled_by: row.handled_by,
    handled_at: row.handled_at?.toISOString() ?? null,
    version: row.version,
    answers: answers.map(({ at, ...answer }) => ({ ...answer, at: at.toISOString() })),
    others: others.filter((other) => other.id !== id).map(summaryOf),
  }
}

export const summaryOf = (row: MessageRow): Messages['items'][number] => ({
  id: row.id,
  name: row.name,
  email: row.email,
  language: row.language,
  customer_id: row.user_id,
  state: row.state,
  received_at: row.received_at.toISOString(),
  due_at: row.due_at.toISOString(),
  beginning: row.message.replaceAll(/\s+/g, ' ').slice(0, BEGINNING),
})

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import {
  type MessageShop,
  auditedEmail,
  filledTemplates,
  messagesOf,
  requireFilled,
  staffEmail,
  summaryOf,
} from '#features/contact/server/index.ts'
import {
  CustomerEmailBody,
  FilledTemplates,
  TemplatesQuery,
} from '#features/contact/staff-messages.contract.ts'
import { enqueueEmail } from '#features/emails/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Sql } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import { transact } from '#platform/transaction.ts'
import { type Language, localized } from '#shared/languages.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import * as z from 'zod'
import {
  ClosingEffects,
  ClosingPreview,
  ClosingQuery,
  Customer,
  CustomerEmails,
  CustomerList,
  CustomerOrders,
  CustomerParams,
  CustomerPartQuery,
  type CustomerSummary,
  CustomersQuery,
  EraseBody,
  RestoreBody,
  SuspendBody,
  SuspensionEffects,
} from '../customers.contract.ts'
import { readSearch } from '../customers.rules.ts'
import { closeAccount, customerNotFound, previewClosing } from './closing.ts'
import { type CustomerRow, customersRepository } from './customers.repository.ts'
import { exportPersonalData } from './export.ts'
import type { ExportDeps, ExportShop } from './read-personal-data.ts'
import { previewSuspension, restore, suspend } from './suspension.ts'

export interface StaffCustomersOptions extends Omit<ExportDeps, 'shop'> {
  security: SecurityLog
  shop: MessageShop & ExportShop
}

const PAGE = 50
const FIRST_ORDERS = 10
const FIRST_EMAILS = 20
const FIRST_MESSAGES = 20
const HISTORY = 50

const tags = ['staff']
const read = { permits: 'customers.read' } as const

/** Customers in the console: finding them, their page, and what staff do to an account. */
export const staffCustomersRoutes =
  (options: StaffCustomersOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const { db, shop, sources, security } = options
    const params = { tags, params: CustomerParams }
    const subject = (id: number) => ({ kind: 'customer', id }) as const

    app.get(
      '/api/staff/customers/',
      { config: read, schema: { tags, querystring: CustomersQuery, response: { 200: CustomerList } } },
      async (request) => {
        const { q = '', state, after, limit = PAGE } = request.query
        const search = readSearch(q)
        const rows = await customersRepository(db).list(search, { state, after, limit: limit + 1 })
        const items = rows.slice(0, limit)
        // What was searched for is personal data, and the log is never erased: it says whom the list showed.
        await transact(db, (trx) =>
          audit(trx, {
            actor: staffOf(request),
            action: 'customers.search',
            after: { by: search?.by ?? 'newest', shown: items.map(({ id }) => id) },
          }),
        )
        return {
          items: items.map(summaryOfCustomer),
          next: rows.length > limit ? String(items.at(-1)?.id) : null,
        }
      },
    )

    app.get(
      '/api/staff/customers/:id/',
      { config: read, schema: { ...params, response: { 200: Customer } } },
      async (request) => {
        const { id } = request.params
        const actor = staffOf(request)
        const page = await customerPage(options, id, request.language)
        await transact(db, (trx) => audit(trx, { actor, action: 'customers.read', subject: subject(id) }))
        return page
      },
    )

    const part = { ...params, querystring: CustomerPartQuery }
    type PartRequest = FastifyRequest<{
      Params: z.infer<typeof CustomerParams>
      Querystring: z.infer<typeof CustomerPartQuery>
    }>
    const readPart =
      <Page>(
        name: string,
        pageOf: (db: Sql, id: number, after: string | undefined, limit: number) => Promise<Page>,
      ) =>
      async (request: PartRequest): Promise<Page> => {
        const { id } = request.params
        const { after, limit = PAGE } = request.query
        await requireCustomer(db, id)
        const found = await pageOf(db, id, after, limit)
        const actor = staffOf(request)
        await transact(db, (trx) =>
          audit(trx, { actor, action: 'customers.read', subject: subject(id), after: { part: name } }),
        )
        return found
      }
    app.get(
      '/api/staff/customers/:id/orders/',
      { config: read, schema: { ...part, response: { 200: CustomerOrders } } },
      readPart('orders', ordersPage),
    )
    app.get(
      '/api/staff/customers/:id/emails/',
      { config: read, schema: { ...part, response: { 200: CustomerEmails } } },
      readPart('emails', emailsPage),
    )

    const suspending = { permits: 'customers.suspend' } as const
    app.get(
      '/api/staff/customers/:id/suspend/preview/',
      { config: suspending, schema: { ...params, response: { 200: SuspensionEffects } } },
      (request) => previewSuspension(options, request.params.id),
    )
    app.post(
      '/api/staff/customers/:id/suspend/',
      { config: suspending, schema: { ...params, body: SuspendBody, response: { 200: SuspensionEffects } } },
      (request) =>
        suspend(options, { actor: staffOf(request), userId: request.params.id, body: request.body }),
    )
    app.post(
      '/api/staff/customers/:id/restore/',
      { config: suspending, schema: { ...params, body: RestoreBody, response: { 204: z.null() } } },
      async (request, reply) => {
        const { note } = request.body
        await restore(options, { actor: staffOf(request), userId: request.params.id, note })
        return reply.code(204).send(null)
      },
    )

    app.post(
      '/api/staff/customers/:id/export/',
      { config: { permits: 'customers.export' }, schema: params },
      async (request, reply) => {
        const { id } = request.params
        const { language } = await requireCustomer(db, id)
        const archive = await exportPersonalData(options, id, language)
        const actor = staffOf(request)
        await transact(db, (trx) => audit(trx, { actor, action: 'customers.export', subject: subject(id) }))
        return sendArchive(reply, archive)
      },
    )

    const erasing = { permits: 'customers.erase' } as const
    app.get(
      '/api/staff/customers/:id/erase/preview/',
      {
        // It tells what the action would do, and does nothing.
        config: { ...erasing, stepUp: false },
        schema: { ...params, querystring: ClosingQuery, response: { 200: ClosingPreview } },
      },
      (request) =>
        previewClosing(options, {
          userId: request.params.id,
          giveUpTickets: request.query.give_up_tickets ?? false,
          language: request.language,
        }),
    )
    app.post(
      '/api/staff/customers/:id/erase/',
      { config: erasing, schema: { ...params, body: EraseBody, response: { 200: ClosingEffects } } },
      async (request) => {
        const { id: userId } = request.params
        const { reason, give_up_tickets: giveUpTickets = false } = request.body
        const actor = staffOf(request)
        const { language } = request
        const effects = await transact(db, async (trx) => {
          const done = await closeAccount(trx, { shop, sources }, { userId, giveUpTickets, language })
          await audit(trx, {
            actor,
            action: 'customers.erase',
            subject: subject(userId),
            after: { reason, ...done },
          })
          return done
        })
        security.record({ event: 'account_closed', userId, detail: 'staff' })
        return effects
      },
    )

    app.get(
      '/api/staff/customers/:id/templates/',
      {
        config: { permits: 'messages.answer' },
        schema: { ...params, querystring: TemplatesQuery, response: { 200: FilledTemplates } },
      },
      async (request) => {
        const { username } = await requireCustomer(db, request.params.id)
        const { language } = request.query
        return filledTemplates(shop, { language, readerLanguage: request.language, name: username })
      },
    )
    app.post(
      '/api/staff/customers/:id/email/',
      {
        config: { permits: 'messages.answer' },
        schema: { ...params, body: CustomerEmailBody, response: { 204: z.null() } },
      },
      async (request, reply) => {
        const { id } = request.params
        const { body } = request
        requireFilled(body)
        const actor = staffOf(request)
        await transact(db, async (trx) => {
          const { email: to, state } = await requireCustomer(trx, id)
          if (state === 'closed')
            throw new Refusal('customers.closed', 409, 'consoleCustomers.refusals.closed')
          const { language, subject: title, text } = body
          const isNew = await enqueueEmail(
            trx,
            staffEmail(shop, {
              key: `customer-message:${id}:${body.request_id}`,
              kind: 'customer-message',
              to,
              userId: id,
              language,
              subject: title,
              text,
            }),
          )
          if (!isNew) return
          await audit(trx, {
            actor,
            action: 'customers.email',
            subject: subject(id),
            after: auditedEmail(body),
          })
        })
        return reply.code(204).send(null)
      },
    )
  }

export const sendArchive = (
  reply: FastifyReply,
  { name, content }: { name: string; content: Buffer },
): FastifyReply =>
  reply
    .type('application/zip')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(content)

async function requireCustomer(db: Sql, id: number) {
  const customer = await customersRepository(db).find(id)
  if (!customer) throw customerNotFound()
  return customer
}

const summaryOfCustomer = ({ created_at, ...row }: CustomerRow): CustomerSummary => ({
  id: row.id,
  username: row.username,
  email: row.email,
  phone: row.phone,
  state: row.state,
  is_staff: row.is_staff,
  email_confirmed: row.email_confirmed,
  created_at: created_at.toISOString(),
})

async function ordersPage(
  db: Sql,
  id: number,
  after: string | undefined,
  limit: number,
): Promise<CustomerOrders> {
  const rows = await customersRepository(db).orders(id, after, limit + 1)
  const items = rows.slice(0, limit).map(({ number, total_cents, created_at, ...row }) => ({
    ...row,
    number: shownOrderNumber(number),
    total: toDecimal(cents(total_cents)),
    created_at: created_at.toISOString(),
  }))
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

async function emailsPage(
  db: Sql,
  id: number,
  after: string | undefined,
  limit: number,
): Promise<CustomerEmails> {
  const rows = await customersRepository(db).emails(id, after, limit + 1)
  const items = rows.slice(0, limit).map(({ queued_at, closed_at, ...row }) => ({
    ...row,
    queued_at: queued_at.toISOString(),
    closed_at: closed_at?.toISOString() ?? null,
  }))
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

async function customerPage(
  { db, sources }: Pick<StaffCustomersOptions, 'db' | 'sources'>,
  id: number,
  language: Language,
): Promise<Customer> {
  const customer = await requireCustomer(db, id)
  const customers = customersRepository(db)
  const email = customer.email_confirmed ? customer.email : null
  const [suspensions, orders, tickets, sessions, messages, emails, others, history] = await Promise.all([
    customers.suspensions(id),
    ordersPage(db, id, undefined, FIRST_ORDERS),
    customers.tickets(id),
    customers.sessions(id),
    messagesOf(db, { email, userId: id }, FIRST_MESSAGES),
    emailsPage(db, id, undefined, FIRST_EMAILS),
    Promise.all(
      sources.map(async (source) => ({ name: source.name, ...(await source.read(db, id, language)) })),
    ),
    customers.history(id, HISTORY),
  ])
  return {
    ...summaryOfCustomer(customer),
    language: customer.language,
    partner_code: customer.partner_code,
    pending_email: customer.pending_email,
    closed_at: customer.closed_at?.toISOString() ?? null,
    suspensions: suspensions.map(({ at, lifted_at, ...one }) => ({
      ...one,
      at: at.toISOString(),
      lifted_at: lifted_at?.toISOString() ?? null,
    })),
    orders,
    tickets: tickets.map((row) => ({
      offer_id: row.offer_id,
      slug: row.slug,
      title: localized(row, 'title', language).text,
      end_date: row.end_date.toISOString(),
      valid: row.valid,
      void: row.void,
      given_up: row.given_up,
    })),
    sessions: sessions.map(({ created_at, last_used_at, ...session }) => ({
      ...session,
      started_at: created_at.toISOString(),
      last_used_at: last_used_at.toISOString(),
    })),
    messages: messages.map(summaryOf).map(({ id: messageId, state, received_at, beginning }) => ({
      id: messageId,
      state,
      received_at,
      beginning,
    })),
    emails,
    others: others.map(({ name, title, records }) => ({
      name,
      title,
      records: records.map(({ at, title: what, facts, path = null }) => ({
        at,
        title: what,
        facts: facts.map(([label, text]): [string, string] => [label, text]),
        path,
      })),
    })),
    history: history.map(({ at, ...one }) => ({ ...one, at: at.toISOString() })),
  }
}

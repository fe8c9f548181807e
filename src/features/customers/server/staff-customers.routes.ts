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
import { SentEmail } from '#features/emails/emails.contract.ts'
import {
  type EmailBodies,
  enqueueEmail,
  kindsHiddenFrom,
  listedEmail,
  sentEmail,
} from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { audit, auditRead } from '#platform/audit-log.ts'
import type { Sql } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import * as z from 'zod'
import {
  ClosingEffects,
  ClosingPreview,
  ClosingQuery,
  Customer,
  CustomerEmailParams,
  CustomerEmails,
  CustomerHistory,
  CustomerList,
  CustomerMessages,
  CustomerOrders,
  CustomerParams,
  CustomerPartQuery,
  CustomerRowsQuery,
  type CustomerSummary,
  CustomerSuspensions,
  CustomerTickets,
  CustomerTicketsParams,
  CustomersQuery,
  EraseBody,
  RestoreBody,
  SuspendBody,
  SuspensionEffects,
} from '../customers.contract.ts'
import { readSearch } from '../customers.rules.ts'
import { type AccountLimitsDeps, accountLimits } from './account-limits.ts'
import { closeAccount, customerNotFound, previewClosing } from './closing.ts'
import { type CustomerRow, customersRepository } from './customers.repository.ts'
import { exportPersonalData } from './export.ts'
import type { ExportDeps, ExportShop } from './read-personal-data.ts'
import { staffActionsRepository } from './staff-actions.repository.ts'
import { previewSuspension, restore, suspend } from './suspension.ts'

export interface StaffCustomersOptions extends Omit<ExportDeps, 'shop'>, AccountLimitsDeps {
  security: SecurityLog
  /** Write the emails whose texts are not stored. */
  emailBodies: EmailBodies
  shop: MessageShop & ExportShop
}

const PAGE = 50
const FIRST_ORDERS = 10
const FIRST_EMAILS = 20
const FIRST_MESSAGES = 20
const FIRST_SUSPENSIONS = 10
const FIRST_ACTIONS = 50

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
        const rows = await customersRepository(request.reads).list(search, { state, after, limit: limit + 1 })
        const items = rows.slice(0, limit)
        // What was searched for is personal data, and the log is never erased: it says whom the list showed.
        await auditRead(db, {
          actor: staffOf(request),
          action: 'customers.search',
          after: { by: search?.by ?? 'newest', shown: items.map(({ id }) => id) },
        })
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
        const page = await customerPage(options, id, actor.role, request.language)
        await auditRead(db, { actor, action: 'customers.read', subject: subject(id) })
        return page
      },
    )

    const part = { ...params, querystring: CustomerPartQuery }
    const rows = { ...params, querystring: CustomerRowsQuery }
    type PartRequest<Cursor> = FastifyRequest<{
      Params: z.infer<typeof CustomerParams>
      Querystring: { after?: Cursor | undefined; limit?: number | undefined }
    }>
    const readPart =
      <Page, Cursor>(
        name: string,
        pageOf: (
          db: Sql,
          customer: Awaited<ReturnType<typeof requireCustomer>>,
          after: Cursor | undefined,
          limit: number,
          role: StaffRole,
        ) => Promise<Page>,
      ) =>
      async (request: PartRequest<Cursor>): Promise<Page> => {
        const { id } = request.params
        const { after, limit = PAGE } = request.query
        const actor = staffOf(request)
        const found = await pageOf(db, await requireCustomer(db, id), after, limit, actor.role)
        const detail = { part: name, ...(after !== undefined && { after }) }
        await auditRead(db, { actor, action: 'customers.read', subject: subject(id), after: detail })
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
    app.get(
      '/api/staff/customers/:id/messages/',
      { config: read, schema: { ...part, response: { 200: CustomerMessages } } },
      readPart('messages', messagesPage),
    )
    app.get(
      '/api/staff/customers/:id/suspensions/',
      { config: read, schema: { ...rows, response: { 200: CustomerSuspensions } } },
      readPart('suspensions', suspensionsPage),
    )
    app.get(
      '/api/staff/customers/:id/history/',
      { config: read, schema: { ...rows, response: { 200: CustomerHistory } } },
      readPart('history', historyPage),
    )
    app.get(
      '/api/staff/customers/:id/tickets/:offer/',
      {
        config: read,
        schema: {
          tags,
          params: CustomerTicketsParams,
          querystring: CustomerRowsQuery,
          response: { 200: CustomerTickets },
        },
      },
      (request) =>
        readPart('tickets', (_db, { id }, after: number | undefined, limit) =>
          ticketsPage(db, { id, offerId: request.params.offer }, after, limit),
        )(request),
    )
    app.get(
      '/api/staff/customers/:id/emails/:email/',
      { config: read, schema: { tags, params: CustomerEmailParams, response: { 200: SentEmail } } },
      async (request) => {
        const { id, email } = request.params
        const owner = { userId: id }
        const { language } = request
        const actor = staffOf(request)
        const { role } = actor
        const shown = await sentEmail(db, options.emailBodies, { id: email, owner, role, language })
        await auditRead(db, { actor, action: 'emails.read', subject: subject(id), after: { email } })
        return shown
      },
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
  reply.type('application/zip').header('content-disposition', `attachment; filename="${name}"`).send(content)

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

type Asked = Pick<CustomerRow, 'id'>

/** A page of rows and the cursor of the next one. @param found one row more than the page has, when there is one */
function paged<Row, Item>(
  found: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (row: Row) => string | number,
): { items: Item[]; next: string | null } {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(toItem), next: found.length > limit && last ? String(cursorOf(last)) : null }
}

const ordersPage = async (
  db: Sql,
  { id }: Asked,
  after: string | undefined,
  limit: number,
): Promise<CustomerOrders> =>
  paged(
    await customersRepository(db).orders(id, after, limit + 1),
    limit,
    ({ number, total_cents, created_at, ...row }) => ({
      ...row,
      number: shownOrderNumber(number),
      total: toDecimal(cents(total_cents)),
      created_at: created_at.toISOString(),
    }),
    (row) => row.id,
  )

const emailsPage = async (
  db: Sql,
  { id }: Asked,
  after: string | undefined,
  limit: number,
  role: StaffRole,
): Promise<CustomerEmails> => {
  const rows = await customersRepository(db).emails(id, kindsHiddenFrom(role), after, limit + 1)
  return paged(rows, limit, listedEmail, (row) => row.id)
}

const messagesPage = async (
  db: Sql,
  { id, email, email_confirmed }: Pick<CustomerRow, 'id' | 'email' | 'email_confirmed'>,
  after: string | undefined,
  limit: number,
): Promise<CustomerMessages> =>
  paged(
    await messagesOf(db, { email: email_confirmed ? email : null, userId: id }, limit + 1, after),
    limit,
    (row) => {
      const { id: messageId, state, received_at, beginning } = summaryOf(row)
      return { id: messageId, state, received_at, beginning }
    },
    (row) => row.id,
  )

const suspensionsPage = async (
  db: Sql,
  { id }: Asked,
  after: number | undefined,
  limit: number,
): Promise<CustomerSuspensions> =>
  paged(
    await customersRepository(db).suspensions(id, after, limit + 1),
    limit,
    ({ at, lifted_at, ...one }) => ({
      ...one,
      at: at.toISOString(),
      lifted_at: lifted_at?.toISOString() ?? null,
    }),
    (row) => row.id,
  )

const historyPage = async (
  db: Sql,
  { id }: Asked,
  after: number | undefined,
  limit: number,
): Promise<CustomerHistory> =>
  paged(
    await staffActionsRepository(db).of(id, { after, limit: limit + 1 }),
    limit,
    ({ at, ...one }) => ({ ...one, at: at.toISOString() }),
    (row) => row.id,
  )

const ticketsPage = async (
  db: Sql,
  { id, offerId }: { id: number; offerId: number },
  after: number | undefined,
  limit: number,
): Promise<CustomerTickets> =>
  paged(
    await customersRepository(db).numbers(id, offerId, after, limit + 1),
    limit,
    ({ number, total, status, given_up, source, order_number, issued_at }) => ({
      number,
      text: padTicketNumber(number, total),
      state: given_up ? ('given_up' as const) : status,
      source,
      order: order_number === null ? null : shownOrderNumber(order_number),
      issued_at: issued_at.toISOString(),
    }),
    (row) => row.number,
  )

async function customerPage(
  options: StaffCustomersOptions,
  id: number,
  role: StaffRole,
  language: Language,
): Promise<Customer> {
  const { db, sources } = options
  const customer = await requireCustomer(db, id)
  const customers = customersRepository(db)
  const { state, email_confirmed: isConfirmed } = customer
  const [suspensions, orders, tickets, sessions, messages, emails, others, history, limits] =
    await Promise.all([
      suspensionsPage(db, customer, undefined, FIRST_SUSPENSIONS),
      ordersPage(db, customer, undefined, FIRST_ORDERS),
      customers.tickets(id),
      customers.sessions(id),
      messagesPage(db, customer, undefined, FIRST_MESSAGES),
      emailsPage(db, customer, undefined, FIRST_EMAILS, role),
      Promise.all(
        sources.flatMap((source) =>
          source.read
            ? [source.read(db, id, language).then((section) => ({ name: source.name, ...section }))]
            : [],
        ),
      ),
      historyPage(db, customer, undefined, FIRST_ACTIONS),
      accountLimits(options, { id, state, isConfirmed }, language),
    ])
  return {
    ...summaryOfCustomer(customer),
    language: customer.language,
    partner_code: customer.partner_code,
    pending_email: customer.pending_email,
    correction: customer.correction && {
      by: customer.correction.by,
      note: customer.correction.note,
      asked_at: new Date(customer.correction.asked_at).toISOString(),
      expires_at: new Date(customer.correction.expires_at).toISOString(),
    },
    closed_at: customer.closed_at?.toISOString() ?? null,
    suspensions,
    orders,
    tickets: tickets.map((row) => ({
      offer_id: row.offer_id,
      slug: row.slug,
      title: textIn(row.titles, language).text,
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
    messages,
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
    history,
    limits,
  }
}

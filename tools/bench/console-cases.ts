import { type RawBuilder, sql } from 'kysely'
import type { Database } from '#platform/database.ts'

/** A call of the console, with other values each time. */
export interface ConsoleCase {
  name: string
  method?: 'GET' | 'POST'
  /** Measured until the first byte of the response. */
  isStream?: true
  addresses: readonly string[]
  body?: object
  /** Sums over a period, to which the bar of searches and lists does not apply. */
  isSum?: true
  /** Looks for what does not exist. */
  isEmpty?: true
}

/** Values of each kind. */
const SAMPLES = 25

/** The console's searches, lists and pages, with values that this database has. */
export async function consoleCases(db: Database): Promise<ConsoleCase[]> {
  const texts = async (query: RawBuilder<{ text: string }>): Promise<string[]> => {
    const { rows } = await query.execute(db)
    if (rows.length === 0) throw new Error('the database has no values to search for: fill it first')
    return rows.map(({ text }) => text)
  }
  // Spread over the table, and the same in each run.
  const some = (text: RawBuilder<unknown>, table: string, where = sql`true`) =>
    texts(
      sql`SELECT ${text}::text AS text FROM (
            SELECT * FROM ${sql.table(table)} TABLESAMPLE BERNOULLI (2) REPEATABLE (7) WHERE ${where}
          ) AS t ORDER BY md5(${text}::text) LIMIT ${SAMPLES}`,
    )
  const edge = async (table: string, share: number): Promise<string> => {
    const [id = ''] = await texts(sql`
      SELECT id::text AS text FROM ${sql.table(table)} ORDER BY id
      OFFSET (SELECT floor(count(*) * ${share}::float8)::bigint FROM ${sql.table(table)}) LIMIT 1`)
    return id
  }
  const customer = sql`phone <> '' AND role IS NULL`
  const search = (name: string, terms: readonly string[]): ConsoleCase => ({
    name: `search: ${name}`,
    addresses: terms.map((term) => `/api/staff/search/?q=${encodeURIComponent(term)}`),
  })
  const list = (name: string, ...addresses: readonly string[]): ConsoleCase => ({ name, addresses })
  const ask = (name: string, body: object, ...addresses: readonly string[]): ConsoleCase => ({
    name,
    method: 'POST',
    addresses,
    body,
  })
  const sum = (name: string, ...addresses: readonly string[]): ConsoleCase => ({
    name,
    addresses,
    isSum: true,
  })
  const none = (one: ConsoleCase): ConsoleCase => ({ ...one, isEmpty: true })

  const [emails, usernames, phones, orders, customers] = await Promise.all([
    some(sql`email`, 'users', customer),
    some(sql`username`, 'users', customer),
    some(sql`phone`, 'users', customer),
    some(sql`id`, 'orders'),
    some(sql`id`, 'users', customer),
  ])
  const [middleOrder, oldOrder] = [await edge('orders', 0.5), await edge('orders', 0.001)]
  const [middleUser, middleAudit] = [await edge('users', 0.5), await edge('audit_log', 0.5)]
  const middleMessage = await edge('messages', 0.5)
  const [biggest, middling] = await texts(sql`
    SELECT slug AS text FROM (
      (SELECT slug, 1 AS place FROM offers WHERE state = 'open' ORDER BY tickets_sold DESC LIMIT 1)
      UNION ALL (SELECT slug, 2 FROM offers WHERE state = 'open' ORDER BY tickets_sold LIMIT 1)
    ) AS o ORDER BY place`)
  // A list by amount looks at the newest orders first.
  const [high = ''] = await texts(sql`
    SELECT (max(total_cents) / 100.0)::numeric(9, 2)::text AS text
    FROM (SELECT total_cents FROM orders ORDER BY id DESC LIMIT 1000) AS o`)
  const [biggestId = ''] = await texts(sql`SELECT id::text AS text FROM offers WHERE slug = ${biggest}`)
  const offerIds = await texts(sql`SELECT id::text AS text FROM offers ORDER BY tickets_sold DESC LIMIT 10`)
  const buyers = await texts(sql`
    SELECT user_id::text AS text FROM orders TABLESAMPLE BERNOULLI (2) REPEATABLE (7)
    GROUP BY user_id ORDER BY count(*) DESC, 1 LIMIT ${SAMPLES}`)
  const days = await texts(sql`
    SELECT to_char(min(created_at) + (max(created_at) - min(created_at)) * n / 12, 'YYYY-MM-DD') AS text
    FROM orders CROSS JOIN generate_series(1, 11) AS n GROUP BY n ORDER BY n`)
  const bag = await some(sql`bag`, 'postal_entries')
  const entries = await some(sql`id`, 'postal_entries')
  const posters = await some(sql`name`, 'postal_entries', sql`name IS NOT NULL`)
  const posted = await some(sql`ticket_number`, 'postal_entries', sql`ticket_number IS NOT NULL`)
  const ticketsOfContests = await texts(sql`
    SELECT o.title || ' #' || t.number AS text
    FROM (SELECT * FROM tickets TABLESAMPLE BERNOULLI (1) REPEATABLE (7)) AS t JOIN offers o ON o.id = t.offer_id
    ORDER BY md5(t.id::text) LIMIT ${SAMPLES}`)
  const messages = await some(sql`id`, 'messages')
  const paid = await some(sql`id`, 'orders', sql`state = 'completed'`)
  const audited = await some(sql`subject`, 'audit_log', sql`subject_kind = 'order'`)
  const statements = await texts(sql`
    SELECT DISTINCT statement_id::text AS text FROM statement_differences LIMIT ${SAMPLES}`)
  const [firstDay = '', lastDay = ''] = [days[0], days.at(-1)]
  const sales = (more: string): string => `/api/staff/reports/sales/?from=${firstDay}&to=${lastDay}${more}`
  const post = '/api/staff/post/entries/'
  const ordersList = '/api/staff/orders/'

  return [
    search('email', emails),
    search(
      'beginning of an email',
      emails.map((email) => email.slice(0, 4)),
    ),
    search('two letters', ['lo', 'ma', 'ca', 'no', 'wi']),
    search('name', usernames),
    search(
      'word of a name',
      usernames.map((name) => name.split(/[^\p{L}]+/u).findLast((word) => word.length > 1) ?? name),
    ),
    search('phone', phones),
    search(
      'end of a phone number',
      phones.map((phone) => phone.slice(-6)),
    ),
    search('order number', await some(sql`number`, 'orders')),
    search('order id', orders),
    search('PayPal order', await some(sql`provider_order_id`, 'orders')),
    search('capture', await some(sql`capture_id`, 'captures')),
    search('refund', await some(sql`refund_id`, 'refunds')),
    search('ticket number', ['#1', '#777', '#12345', '#40000', '4711', '23456']),
    search('ticket of a contest', ticketsOfContests),
    search('ticket id', await some(sql`id`, 'tickets')),
    search('postcard', await some(sql`number`, 'postal_entries')),
    search('name on a postcard', ['Peeters', 'Lotte Maes', 'Rousseau', 'Jonas']),
    none(search('nothing that exists', ['zzzzzzzz', 'qqq@nowhere.test', '+99123456789', '2222-2222'])),

    list('orders', ordersList),
    list('orders, halfway', `${ordersList}?after=${middleOrder}`),
    list('orders, the last pages', `${ordersList}?after=${oldOrder}`),
    ...['completed', 'refunded', 'review', 'expired', 'superseded', 'held', 'refunding'].map((state) =>
      list(
        `orders: ${state}`,
        `${ordersList}?state=${state}`,
        `${ordersList}?state=${state}&after=${middleOrder}`,
      ),
    ),
    list(
      'orders of a contest',
      ...[biggest, middling].map((slug) => `${ordersList}?offer=${slug}`),
      `${ordersList}?offer=${biggest}&after=${middleOrder}`,
    ),
    list('orders of a contest, refunded', `${ordersList}?offer=${biggest}&state=refunded`),
    list('orders of a country', `${ordersList}?country=LU`, `${ordersList}?country=DE&after=${middleOrder}`),
    none(list('orders of a country without any', `${ordersList}?country=MT`)),
    list('orders of a day', ...days.map((day) => `${ordersList}?from=${day}&to=${day}`)),
    list(
      'orders of a time, refunded',
      ...days.slice(1).map((day, at) => `${ordersList}?from=${days[at]}&to=${day}&state=refunded`),
    ),
    list('orders by amount', `${ordersList}?min=${high}`, `${ordersList}?min=5.00&max=5.50`),
    none(list('orders by an amount without any', `${ordersList}?min=5000.00`)),
    list('orders of a customer', ...buyers.map((id) => `${ordersList}?customer=${id}`)),
    list('orders that hold tickets', '/api/staff/holds/'),
    list('an order', ...orders.map((id) => `${ordersList}${id}/`)),
    ask('refund preview, an order', {}, ...paid.map((id) => `${ordersList}${id}/refund/preview/`)),
    ask('resend preview, 25 orders', { ids: paid }, `${ordersList}resend-receipts/preview/`),

    list('customers', '/api/staff/customers/', `/api/staff/customers/?after=${middleUser}`),
    list('customers: suspended', '/api/staff/customers/?state=suspended'),
    list('customers: closed', '/api/staff/customers/?state=closed'),
    list('customers by a text', ...emails.map((text) => `/api/staff/customers/?q=${text.slice(0, 5)}`)),
    list(
      'customers by a phone number',
      ...phones.map((text) => `/api/staff/customers/?q=${encodeURIComponent(text.slice(0, 9))}`),
    ),
    list('a customer', ...buyers.map((id) => `/api/staff/customers/${id}/`)),
    list("a customer's orders", ...buyers.map((id) => `/api/staff/customers/${id}/orders/`)),
    list("a customer's emails", ...buyers.map((id) => `/api/staff/customers/${id}/emails/`)),
    list("a customer's history", ...buyers.map((id) => `/api/staff/customers/${id}/history/`)),
    list("a customer's tickets", ...buyers.map((id) => `/api/staff/customers/${id}/tickets/${biggestId}/`)),
    list("a customer's security log", ...customers.map((id) => `/api/staff/accounts/${id}/security/`)),

    none(list('exclusions', '/api/staff/exclusions/')),
    list('messages', '/api/staff/messages/', `/api/staff/messages/?after=done:${middleMessage}`),
    list('messages: answered', '/api/staff/messages/?state=answered'),
    list('messages: closed', '/api/staff/messages/?state=closed'),
    list('a message', ...messages.map((id) => `/api/staff/messages/${id}/`)),

    list('post: desk', '/api/staff/post/contests/'),
    list('post: entries', post),
    list('post: entries of a contest', ...offerIds.map((id) => `${post}?offer=${id}`)),
    list('post: refused', `${post}?status=refused`),
    list('post: refused of a contest', ...offerIds.map((id) => `${post}?status=refused&offer=${id}`)),
    list('post: letters to print', `${post}?letter=waiting`),
    list('post: a bag', ...bag.map((id) => `${post}?bag=${id}`)),
    list(
      'post: by name',
      ...[...posters, 'maes', 'gent', '9000'].map((text) => `${post}?search=${encodeURIComponent(text)}`),
    ),
    list('post: by ticket number', ...posted.map((number) => `${post}?search=${number}`)),
    list('post: an entry', ...entries.map((id) => `${post}${id}/`)),
    list('post: parity', '/api/staff/post/parity/'),

    list('contests', '/api/staff/offers/', '/api/staff/offers/?state=open', '/api/staff/offers/?q=voiture'),
    list('a contest', ...offerIds.map((id) => `/api/staff/offers/${id}/`)),
    list("a contest's checklist", ...offerIds.map((id) => `/api/staff/offers/${id}/checklist/`)),
    list("a contest's sales by day", ...offerIds.map((id) => `/api/staff/offers/${id}/sales/`)),
    list('cancellation preview, the biggest contest', `/api/staff/offers/${biggest}/cancellation/preview/`),
    list('cancellation preview, a small contest', `/api/staff/offers/${middling}/cancellation/preview/`),

    list('audit log', '/api/staff/audit/', `/api/staff/audit/?after=${middleAudit}`),
    list(
      'audit log of a person',
      '/api/staff/audit/?actor=1',
      '/api/staff/audit/?actor=6',
      `/api/staff/audit/?actor=3&after=${middleAudit}`,
    ),
    list(
      'audit log: an action',
      '/api/staff/audit/?action=orders.read',
      '/api/staff/audit/?action=post.register',
    ),
    list(
      'audit log: a rare action',
      '/api/staff/audit/?action=orders.refund',
      '/api/staff/audit/?action=staff.change',
    ),
    list('audit log: a kind', '/api/staff/audit/?subject_kind=order', '/api/staff/audit/?subject_kind=staff'),
    list(
      'audit log of an order',
      ...audited.map((id) => `/api/staff/audit/?subject_kind=order&subject=${id}`),
    ),
    list('audit log by a subject alone', ...audited.map((id) => `/api/staff/audit/?subject=${id}`)),
    list('draws', '/api/staff/draws/', '/api/staff/draws/?when=past'),
    list('a draw', ...offerIds.map((id) => `/api/staff/draws/${id}/`)),
    none(list('objections to a draw', ...offerIds.map((id) => `/api/staff/draws/${id}/objections/`))),
    list('calendar of draws', ...days.map((day) => `/api/staff/draw-calendar/?month=${day.slice(0, 7)}`)),
    sum('sales of a day', ...days.map((day) => `/api/staff/reports/sales/?from=${day}&to=${day}`)),
    ...['month', 'contest', 'country', 'vat'].map((group) =>
      sum(`sales of almost two years by ${group}`, sales(`&group=${group}`)),
    ),
    sum('sales of a contest by day', sales(`&offer=${middling}`)),
    list('statements', '/api/staff/reports/statements/'),
    list('a statement', ...statements.map((id) => `/api/staff/reports/statements/${id}/`)),
    list('alerts', '/api/staff/alerts/'),
    list('approvals', '/api/staff/approvals/'),
    list('staff', '/api/staff/people/'),
    list('system', '/api/staff/system/'),
    list('today', '/api/staff/today/'),
    {
      name: 'export of all orders, first byte',
      method: 'POST',
      isStream: true,
      addresses: [`${ordersList}export/`],
    },
    {
      name: 'export of the audit log, first byte',
      method: 'POST',
      isStream: true,
      addresses: ['/api/staff/audit/export/'],
    },
  ]
}

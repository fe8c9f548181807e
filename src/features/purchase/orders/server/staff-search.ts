/** The search box of the console: what a text may be is asked of the index that serves it. */
import type { ReadDatabase } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import type { Language } from '#shared/languages.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { permits } from '#shared/staff-permissions.ts'
import { type RecordSearch, type SearchHit, maskedEmail } from '#shared/staff-search.ts'
import { type SearchTerm, readSearch } from '../order-search.rules.ts'
import {
  type FoundCustomer,
  type FoundOrder,
  type FoundTicket,
  orderSearch,
} from './staff-orders.repository.ts'

/** Newest orders shown of a customer who was found. */
const ORDERS_OF_CUSTOMER = 3

/** What is found of a text: orders, tickets and customers, those found by a whole id first, then other records. */
export async function searchShop(
  { db, searches }: { db: ReadDatabase; searches: readonly RecordSearch[] },
  text: string,
  actor: StaffCaller,
  language: Language,
): Promise<SearchHit[]> {
  const terms = permits(actor.role, 'orders.read') ? readSearch(text) : []
  const lists = await Promise.all([
    ...terms.map((term) => find(db, term, actor, language)),
    ...searches.map((search) => search({ text, language, role: actor.role })),
  ])
  const known = new Set<string>()
  return lists.flat().filter(({ kind, id }) => {
    const isNew = !known.has(`${kind} ${id}`)
    known.add(`${kind} ${id}`)
    return isNew
  })
}

async function find(
  db: ReadDatabase,
  term: SearchTerm,
  actor: StaffCaller,
  language: Language,
): Promise<SearchHit[]> {
  const search = orderSearch(db)
  const orders = async (matched: SearchHit['matched'], found: Promise<FoundOrder[]>): Promise<SearchHit[]> =>
    (await found).map((one) => orderHit(matched, one))
  switch (term.by) {
    case 'id': {
      const [asOrder, asTicket] = await Promise.all([
        orders('id', search.byId(term.id)),
        search.ticketById(term.id, language),
      ])
      return [...asOrder, ...asTicket.map((one) => ticketHit('id', one))]
    }
    case 'number':
      return orders('number', search.byNumber(term.number))
    case 'provider':
      return (
        await Promise.all([
          orders('provider', search.byProviderOrder(term.ids)),
          orders('capture', search.byCapture(term.ids)),
          orders('refund', search.byRefund(term.ids)),
        ])
      ).flat()
    case 'ticket':
      return (await search.tickets(term.number, term.contest, language)).map((one) =>
        ticketHit('ticket', one),
      )
    case 'email':
    case 'username':
    case 'phone': {
      const found = await search.customers(term)
      const ofThem =
        found.length > 0
          ? search.ofCustomers(
              found.map(({ id }) => id),
              ORDERS_OF_CUSTOMER,
            )
          : []
      const theirs = (await ofThem).map((one) => orderHit('buyer', one))
      // Whoever may not open customers finds their orders all the same.
      return permits(actor.role, 'customers.read')
        ? [...found.map((one) => customerHit(term.by, one)), ...theirs]
        : theirs
    }
  }
}

const orderHit = (matched: SearchHit['matched'], found: FoundOrder): SearchHit => ({
  kind: 'order',
  id: found.id,
  title: shownOrderNumber(found.number),
  matched,
  state: found.state,
  total: toDecimal(cents(found.total_cents)),
  at: found.created_at.toISOString(),
  contest: null,
  order: null,
  customer: { id: found.user_id, name: found.username, email: '' },
})

const ticketHit = (matched: SearchHit['matched'], found: FoundTicket): SearchHit => ({
  kind: 'ticket',
  id: found.id,
  title: found.number,
  matched,
  state: found.status,
  total: null,
  at: found.issued_at.toISOString(),
  contest: { slug: found.slug, title: found.title },
  order:
    found.order_id !== null && found.order_number !== null
      ? { id: found.order_id, number: shownOrderNumber(found.order_number) }
      : null,
  customer: { id: found.user_id, name: found.username, email: '' },
})

const customerHit = (
  matched: SearchHit['matched'],
  { id, username, email, created_at }: FoundCustomer,
): SearchHit => ({
  kind: 'customer',
  id: String(id),
  title: username,
  matched,
  state: null,
  total: null,
  at: created_at.toISOString(),
  contest: null,
  order: null,
  customer: { id, name: username, email: maskedEmail(email) },
})

import type { SearchHit } from '#shared/staff-search.ts'

/** The screen of a record that was found; of a ticket that of its order, where it has one. */
export function recordPath({ kind, id, title, order, customer }: SearchHit): string {
  switch (kind) {
    case 'order':
      return `/orders/${title}`
    case 'offer':
      return `/offers/${id}`
    case 'message':
      return `/messages/${id}`
    case 'entry':
      return `/post/entries/${id}`
    case 'staff':
      return `/staff#person-${id}`
    case 'alert':
      return `/alerts?with=${id}#alert-${id}`
    case 'statement':
      return `/reports/statements/${id}`
    case 'ticket':
    case 'customer':
      return order ? `/orders/${order.number}` : `/customers/${customer?.id ?? id}`
  }
}

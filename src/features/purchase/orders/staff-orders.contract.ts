import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { type Cents, parseEur } from '#shared/money.ts'
import { SEARCH_KINDS, SEARCH_MATCHES, type SearchHit } from '#shared/staff-search.ts'
import { ORDER_STATES, type OrderState, STAFF_REFUND_REASONS } from './order-machine.rules.ts'
import {
  EXPORT_CHOSEN,
  HISTORY_ENTRIES,
  HISTORY_MOST,
  RESEND_CHOSEN,
  RESEND_FOUND,
  VIEW_NAME,
} from './staff-orders.rules.ts'
import { readAmount } from '#shared/typed-amount.ts'

const STATES = Object.keys(ORDER_STATES) as [OrderState, ...OrderState[]]

/** Decimal euro text. */
const Amount = z.string()
const Time = z.string()

const Line = z.object({
  offer_id: z.int(),
  slug: z.string(),
  title: z.string(),
  quantity: z.int(),
  unit_price: Amount,
  /** Tickets that are void, with their money sent back. */
  returned: z.int(),
  is_cancelled: z.boolean(),
})
const Capture = z.object({
  id: z.string(),
  status: z.string(),
  amount: Amount,
  currency: z.string(),
  /** Refunds that have not failed, also those under way. */
  refunded: Amount,
  at: Time,
})
const Refund = z.object({
  /** The provider's id; null without one. */
  id: z.nullable(z.string()),
  capture_id: z.string(),
  status: z.string(),
  amount: Amount,
  /** VAT in it; of a failed one none. */
  tax: Amount,
  /** See order-machine.rules.ts. */
  reason: z.string(),
  /** From staff to the buyer. */
  note: z.nullable(z.string()),
  /** `shop` or `provider`. */
  origin: z.string(),
  at: Time,
  /** Of staff: who, why, and for which part; null for all that was left. */
  by: z.nullable(z.string()),
  staff_reason: z.nullable(z.enum(STAFF_REFUND_REASONS)),
  part: z.nullable(z.enum(['lines', 'amount'])),
  /** It was approved by a second person. */
  is_approved: z.boolean(),
})
const Event = z.object({
  from: z.nullable(z.enum(STATES)),
  to: z.enum(STATES),
  /** See order-machine.rules.ts. */
  reason: z.string(),
  /** The provider's code, or the staff member and reason. */
  note: z.nullable(z.string()),
  at: Time,
})

export const TIMELINE_KINDS = [
  'event',
  'capture',
  'refund',
  'email',
  'notification',
  'note',
  'staff',
] as const
/** A code with its values, which the reader's language makes a sentence of. */
const TimelineEntry = z.object({
  at: Time,
  kind: z.enum(TIMELINE_KINDS),
  /**
   * Of an event its reason, of a capture or refund its status, of an email its kind, of a notification what it tells of
   * (NOTIFICATION_KINDS), of staff the action.
   */
  code: z.string(),
  values: z.record(z.string(), z.nullable(z.string())),
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

export const StaffOrder = z.object({
  id: z.string(),
  /** The number that the buyer knows: "K7QM-2F9P". */
  number: z.string(),
  /** The provider's id; null before the provider has created the order. */
  order_id: z.nullable(z.string()),
  user_id: z.int(),
  state: z.enum(STATES),
  subtotal: Amount,
  tax_rate: z.number(),
  tax: Amount,
  total: Amount,
  currency: z.string(),
  /** Money that was taken and has not gone back, nor is on its way. */
  left: Amount,
  refunded: Amount,
  /** Billing country. */
  country: z.string(),
  /** By the provider; null before a capture, or where it says nothing. */
  payer_country: z.nullable(z.string()),
  funding_country: z.nullable(z.string()),
  /** Of the order's emails. */
  language: z.string(),
  created_at: Time,
  changed_at: Time,
  hold_until: Time,
  buyer: z.object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    is_active: z.boolean(),
    /** The address was confirmed by a link. */
    is_confirmed: z.boolean(),
    /** Erased: the order has no buyer any more. */
    is_erased: z.boolean(),
  }),
  lines: z.array(Line),
  tickets: z.object({
    valid: z.int(),
    void: z.int(),
    /** The first 200, by contest and number. */
    numbers: z.array(z.object({ offer_id: z.int(), number: z.string(), status: z.string() })),
  }),
  captures: z.array(Capture),
  refunds: z.array(Refund),
  /** Disputes and chargebacks at the provider, the open ones first. */
  disputes: z.array(
    z.object({
      id: z.string(),
      /** The provider's code. */
      reason: z.nullable(z.string()),
      amount: z.nullable(Amount),
      /** Until when the shop can answer. */
      due_at: z.nullable(Time),
      is_resolved: z.boolean(),
      changed_at: Time,
      page: z.string(),
    }),
  ),
  events: z.array(Event),
  /** The newest about the order. */
  emails: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      subject: z.string(),
      state: z.string(),
      at: Time,
      closed_at: z.nullable(Time),
      error: z.nullable(z.string()),
    }),
  ),
  notes: z.array(
    z.object({ id: z.int(), by: z.string(), text: z.string(), at: Time, is_erased: z.boolean() }),
  ),
  /** From the first to the last. */
  timeline: z.array(TimelineEntry),
  /** Older emails, notifications or acts of staff are left out: ask for more `entries`. */
  has_more: z.boolean(),
  /** Who of staff read it last, the newest first. */
  reads: z.array(z.object({ by: z.string(), at: Time })),
  /** A refund that waits for a second person. */
  approval: z.nullable(z.object({ id: z.int(), by: z.string(), at: Time })),
})
export type StaffOrder = z.infer<typeof StaffOrder>

/** POST /api/staff/orders/{id}/release/ and POST /api/staff/offers/{slug}/cancel/: only staff read the reason. */
export const StaffReasonBody = z.object({
  reason: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(200, key('errors.field.tooLong')),
})

/** GET /api/staff/orders/{id}/release/preview/: what releasing would do now. */
export const ReleasePreview = z.object({
  tickets: z.array(z.object({ offer_id: z.int(), title: z.string(), quantity: z.int() })),
  state_after: z.enum(STATES),
  /** To the buyer. */
  emails: z.int(),
  /** The buyer may still approve the payment: it then buys tickets that are left, or goes back. */
  may_be_paid: z.boolean(),
})
export type ReleasePreview = z.infer<typeof ReleasePreview>

/** POST /api/staff/orders/{id}/notes/ */
export const StaffNoteBody = z.object({
  text: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(2_000, key('errors.field.tooLong')),
})

/** GET /api/staff/holds/: of one contest, or of all. */
export const StaffHoldsQuery = z.object({ offer: z.optional(z.string().min(1).max(200)) })

/** The orders that hold tickets, the newest first. */
export const StaffHolds = z.array(
  z.object({
    /** Ours. */
    id: z.string(),
    user_id: z.int(),
    state: z.enum(STATES),
    tickets: z.array(z.object({ slug: z.string(), quantity: z.int() })),
    created_at: Time,
    held_until: Time,
    /** The account had never completed an order. */
    newcomer: z.boolean(),
    /** Keyed hash of the network: equal for equal networks; null once the order was renewed after its expiry. */
    network: z.nullable(z.string()),
  }),
)
export type StaffHolds = z.infer<typeof StaffHolds>

/** `id` is ours, the provider's, or the order number. */
export const StaffOrderParams = z.object({ id: z.string().min(1).max(64) })

/** GET /api/staff/orders/{id}/ */
export const StaffOrderQuery = z.object({
  /** Most emails, notifications and acts of staff, the newest of each. */
  entries: z.coerce.number().int().min(1).max(HISTORY_MOST).default(HISTORY_ENTRIES),
})

/** Euros as somebody of the staff types them; the console knows in which language. */
export const TypedEuros = z.string().transform((typed, context): Cents => {
  const read = readAmount(typed)
  try {
    if ('decimal' in read) return parseEur(read.decimal)
  } catch {
    // More than an amount can be: told below.
  }
  const isAmbiguous = 'fault' in read && read.fault === 'amountAmbiguous'
  context.addIssue({
    code: 'custom',
    message: key(isAmbiguous ? 'consoleOrders.list.amountAmbiguous' : 'errors.field.amount'),
  })
  return z.NEVER
})

const Day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, key('errors.field.invalid'))
  .refine(
    (day) => !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day),
    key('errors.field.invalid'),
  )
const Filters = {
  state: z.optional(z.enum(STATES)),
  /** Slug of a contest. */
  offer: z.optional(z.string().min(1).max(200)),
  country: z.optional(z.string().regex(/^[A-Z]{2}$/, key('errors.field.country'))),
  /** Days in the shop's zone, both included. */
  from: z.optional(Day),
  to: z.optional(Day),
  /** Bounds of the total, decimal euro text. */
  min: z.optional(TypedEuros),
  max: z.optional(TypedEuros),
  /** Id of an account. */
  customer: z.optional(z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)),
}

/** POST /api/staff/orders/export/: these orders alone, whatever the filters; all that the filters find when left out. */
export const OrdersExportBody = z.nullish(
  z.object({
    ids: z.optional(
      z
        .array(z.uuid())
        .min(1, key('errors.field.required'))
        .max(EXPORT_CHOSEN, key('consoleOrders.refusals.tooManyExported')),
    ),
  }),
)

/** POST /api/staff/orders/export/?… : a CSV of the orders that the list shows. */
export const StaffOrdersFilters = z.object(Filters)
export type StaffOrdersFilters = z.infer<typeof StaffOrdersFilters>

/** GET /api/staff/orders/: the newest first. */
export const StaffOrdersQuery = z.object({
  ...Filters,
  /** `next` of the page before. */
  after: z.optional(z.uuid()),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

export const StaffOrderRow = z.object({
  id: z.string(),
  number: z.string(),
  state: z.enum(STATES),
  total: Amount,
  /** Refunds that have not failed. */
  refunded: Amount,
  country: z.string(),
  at: Time,
  user_id: z.int(),
  /** The buyer's username. */
  buyer: z.string(),
  tickets: z.int(),
  contests: z.array(z.object({ slug: z.string(), title: z.string() })),
})
export type StaffOrderRow = z.infer<typeof StaffOrderRow>

export const StaffOrders = z.object({
  items: z.array(StaffOrderRow),
  next: z.nullable(z.string()),
  /**
   * The search took its time and stopped at orders of this time: `next` goes on from there. Null when the page is full,
   * or all orders were looked at.
   */
  searched_to: z.nullable(Time),
})
export type StaffOrders = z.infer<typeof StaffOrders>

/** GET /api/staff/search/ */
export const StaffSearchQuery = z.object({
  q: z
    .string(key('errors.field.required'))
    .trim()
    .min(2, key('consoleOrders.refusals.searchTooShort'))
    .max(100, key('errors.field.tooLong')),
})

/** See staff-search.ts in src/shared/. */
const Hit = z.object({
  kind: z.enum(SEARCH_KINDS),
  id: z.string(),
  title: z.string(),
  matched: z.enum(SEARCH_MATCHES),
  state: z.nullable(z.string()),
  total: z.nullable(Amount),
  at: z.nullable(Time),
  contest: z.nullable(z.object({ slug: z.string(), title: z.string() })),
  order: z.nullable(z.object({ id: z.string(), number: z.string() })),
  customer: z.nullable(z.object({ id: z.int(), name: z.string(), email: z.string() })),
}) satisfies z.ZodType<SearchHit>
export const SearchResponse = z.object({ items: z.array(Hit) })

/** Orders by their ids, or all paid ones that the filters of the list find. */
const Chosen = z.object({
  ids: z.optional(
    z
      .array(z.uuid())
      .min(1, key('errors.field.required'))
      .max(RESEND_CHOSEN, key('consoleOrders.refusals.tooManySelected')),
  ),
  filters: z.optional(StaffOrdersFilters),
})
/** POST /api/staff/orders/resend-receipts/preview/ */
export const ResendPreviewBody = Chosen.refine(
  ({ ids, filters }) => (ids === undefined) !== (filters === undefined),
  { path: ['ids'], error: key('errors.field.required') },
)
export type ResendPreviewBody = z.infer<typeof ResendPreviewBody>

/** POST /api/staff/orders/resend-receipts/: to the orders that a preview named. */
export const ResendBody = z.object({
  ids: z.array(z.uuid()).min(1, key('errors.field.required')).max(RESEND_FOUND, key('errors.field.tooLarge')),
  /** Made for this sending: repeated with the same one it sends nobody a second copy. */
  key: z.uuid(),
})

const NotResent = z.object({
  id: z.string(),
  /** Null where there is no such order. */
  number: z.nullable(z.string()),
  code: z.string(),
  detail: z.string(),
})
/** How many copies were queued, or would be, of which orders, and which get none. */
export const Resent = z.object({ sent: z.int(), ids: z.array(z.string()), refused: z.array(NotResent) })
export type Resent = z.infer<typeof Resent>

/** As in the address of the list. */
const VIEW_QUERY = 500
const ViewName = z
  .string(key('errors.field.required'))
  .trim()
  .min(1, key('errors.field.required'))
  .max(VIEW_NAME, key('errors.field.tooLong'))

/** PUT /api/staff/self/order-views/: one of the name is replaced. */
export const OrderView = z.object({
  name: ViewName,
  /** Filters and columns, as in the address of the list. */
  query: z.string().min(1, key('errors.field.required')).max(VIEW_QUERY, key('errors.field.tooLong')),
})
export type OrderView = z.infer<typeof OrderView>
/** POST /api/staff/self/order-views/remove/ */
export const OrderViewName = z.object({ name: ViewName })
/** GET /api/staff/self/order-views/: the caller's own, by name. */
export const OrderViews = z.array(OrderView)

import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { ORDER_STATES, type OrderState } from './order-machine.rules.ts'

const STATES = Object.keys(ORDER_STATES) as [OrderState, ...OrderState[]]

/** Decimal euro text. */
const Amount = z.string()
const Time = z.string()

const Line = z.object({ offer_id: z.int(), title: z.string(), quantity: z.int(), unit_price: Amount })
const Capture = z.object({ id: z.string(), status: z.string(), amount: Amount, currency: z.string() })
const Refund = z.object({
  /** The provider's id; null without one. */
  id: z.nullable(z.string()),
  capture_id: z.string(),
  status: z.string(),
  amount: Amount,
  /** See order-machine.rules.ts. */
  reason: z.string(),
  /** From staff to the buyer. */
  note: z.nullable(z.string()),
  /** `shop` or `provider`. */
  origin: z.string(),
  at: Time,
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

export const StaffOrder = z.object({
  id: z.string(),
  /** The number that the buyer knows: "K7QM-2F9P". */
  number: z.string(),
  /** The provider's id; null before the provider has created the order. */
  order_id: z.nullable(z.string()),
  user_id: z.int(),
  state: z.enum(STATES),
  total: Amount,
  currency: z.string(),
  /** Billing country. */
  country: z.string(),
  /** By the provider; null before a capture, or where it says nothing. */
  payer_country: z.nullable(z.string()),
  funding_country: z.nullable(z.string()),
  created_at: Time,
  changed_at: Time,
  hold_until: Time,
  lines: z.array(Line),
  tickets: z.object({ valid: z.int(), void: z.int() }),
  captures: z.array(Capture),
  refunds: z.array(Refund),
  events: z.array(Event),
})
export type StaffOrder = z.infer<typeof StaffOrder>

/**
 * POST /api/staff/orders/{id}/refund/: the buyer reads the reason. …/release/ and POST
 * /api/staff/offers/{slug}/cancel/: only staff do.
 */
export const StaffReasonBody = z.object({
  reason: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(200, key('errors.field.tooLong')),
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

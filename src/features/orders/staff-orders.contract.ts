import * as z from 'zod'
import { ORDER_STATES, type OrderState } from './order-machine.rules.ts'

const STATES = Object.keys(ORDER_STATES) as [OrderState, ...OrderState[]]

/** An amount of euros as text, for example `12.10`. */
const Amount = z.string()
/** ISO 8601 in UTC. */
const Time = z.string()

const Line = z.object({ offer_id: z.int(), title: z.string(), quantity: z.int(), unit_price: Amount })
const Capture = z.object({ id: z.string(), status: z.string(), amount: Amount, currency: z.string() })
const Refund = z.object({
  /** The provider's id; null as long as it has none. */
  id: z.nullable(z.string()),
  capture_id: z.string(),
  status: z.string(),
  amount: Amount,
  /** A code (order-machine.rules.ts). */
  reason: z.string(),
  /** What staff wrote for the buyer. */
  note: z.nullable(z.string()),
  /** Who made it: `shop` or `provider`. */
  origin: z.string(),
  at: Time,
})
const Event = z.object({
  from: z.nullable(z.enum(STATES)),
  to: z.enum(STATES),
  /** A code (order-machine.rules.ts). */
  reason: z.string(),
  /** The provider's code, or the staff member and reason. */
  note: z.nullable(z.string()),
  at: Time,
})

/** An order for staff. */
export const StaffOrder = z.object({
  id: z.string(),
  /** The provider's id; null until it has made the order. */
  order_id: z.nullable(z.string()),
  user_id: z.int(),
  state: z.enum(STATES),
  total: Amount,
  currency: z.string(),
  country: z.string(),
  created_at: Time,
  changed_at: Time,
  hold_until: Time,
  lines: z.array(Line),
  tickets: z.object({ valid: z.int(), void: z.int() }),
  captures: z.array(Capture),
  refunds: z.array(Refund),
  /** From the first to the last. */
  events: z.array(Event),
})
export type StaffOrder = z.infer<typeof StaffOrder>

/** `/api/staff/orders/{id}/`: our id of the order, or the provider's. */
export const StaffOrderParams = z.object({ id: z.string().min(1).max(64) })

import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import {
  ORDER_STATES,
  type OrderState,
  STAFF_REFUND_REASONS,
} from '#features/purchase/orders/order-machine.rules.ts'
import { StaffReasonBody, TypedEuros } from '#features/purchase/orders/staff-orders.contract.ts'
import { type Cents, parseEur } from '#shared/money.ts'

/** The contest's slug. The routes of one path name their parameters alike. */
export const StaffOfferParams = z.object({ id: z.string().min(1).max(200) })

/** POST /api/staff/offers/{slug}/cancel/: done. */
export const Cancelled = z.object({ slug: z.string() })

/** Progress of a cancelled offer's refunds, as numbers of orders. Times are ISO 8601 in UTC. */
export const Cancellation = z.object({
  slug: z.string(),
  reason: z.string(),
  cancelled_at: z.string(),
  returned_at: z.nullable(z.string()),
  /** The payment is open: it completes, or the order is closed. */
  payments_in_progress: z.int(),
  /** Completed, and the share is not requested yet. */
  waiting: z.int(),
  /** Requested, and not confirmed by the provider. */
  returning: z.int(),
  in_review: z.int(),
  returned: z.int(),
})
export type Cancellation = z.infer<typeof Cancellation>

/** Decimal euro text. */
const Amount = z.string()

/** GET /api/staff/offers/{slug}/cancellation/preview/: what cancelling would do now. */
export const CancellationPreview = z.object({
  slug: z.string(),
  title: z.string(),
  /** Orders whose share is refunded, and the sum. */
  orders: z.int(),
  amount: Amount,
  /** To buyers, and to those who entered by post and gave an address; the others of these are told by letter. */
  emails: z.int(),
  letters: z.int(),
  /** Paid tickets that become void, and those that nobody paid for. */
  tickets: z.int(),
  tickets_without_order: z.int(),
  /** Orders that staff must settle first, and those whose payment is open: they complete, then they are refunded. */
  in_review: z.int(),
  payments_in_progress: z.int(),
  /** Somebody has a ticket, bought or by post: a second person must approve. */
  needs_approval: z.boolean(),
})
export type CancellationPreview = z.infer<typeof CancellationPreview>

/** Euros as people write them, more than nothing. */
const Payable = z
  .string(key('errors.field.required'))
  .pipe(TypedEuros)
  .refine((amount) => amount > 0, key('errors.field.amount'))

const Lines = z
  .array(
    z.object({
      offer_id: z.int(),
      /** Tickets; all that are left of the line when left out. */
      quantity: z.optional(z.int().min(1, key('errors.field.tooSmall')).max(10_000_000)),
    }),
  )
  .min(1, key('errors.field.required'))
  .max(100, key('errors.field.tooLarge'))
  .refine(
    (lines) => new Set(lines.map(({ offer_id }) => offer_id)).size === lines.length,
    key('consoleOrders.refusals.lineTwice'),
  )

const Part = {
  /** The tickets of these lines, of each those that were issued last. */
  lines: z.optional(Lines),
  /** Or an amount, which voids no ticket. */
  amount: z.optional(Payable),
}
const isOnePart = ({ lines, amount }: { lines?: unknown; amount?: unknown }): boolean =>
  lines === undefined || amount === undefined
const ONE_PART = { error: key('consoleOrders.refusals.linesOrAmount'), path: ['amount'] }

/** POST /api/staff/orders/{id}/refund/preview/: without a part all that is left. */
export const RefundPreviewBody = z.object(Part).refine(isOnePart, ONE_PART)

/** POST /api/staff/orders/{id}/refund/: the buyer reads the reason. */
export const RefundBody = z
  .object({
    ...StaffReasonBody.shape,
    reason_code: z.enum(STAFF_REFUND_REASONS).default('other'),
    ...Part,
    /** What the preview said is left: with another sum 409, and nothing is done. */
    expected_left: z.optional(
      z.string().transform((typed, context): Cents => {
        try {
          return parseEur(typed)
        } catch {
          context.addIssue({ code: 'custom', message: key('errors.field.amount') })
          return z.NEVER
        }
      }),
    ),
  })
  .refine(isOnePart, ONE_PART)

const STATES = Object.keys(ORDER_STATES) as [OrderState, ...OrderState[]]

export const REFUND_KINDS = ['whole', 'lines', 'amount'] as const
export const REFUND_EMAILS = [
  'takenBack',
  'paidLate',
  'sentAgain',
  'ticketsRefunded',
  'partRefunded',
] as const

/** What a refund does: computed by the function that acts. */
export const RefundPreview = z.object({
  /** `whole` also for lines that are all that is left. */
  kind: z.enum(REFUND_KINDS),
  amount: Amount,
  /** VAT in it. */
  tax: Amount,
  /** Of the order, before and after. */
  left: Amount,
  left_after: Amount,
  captures: z.array(z.object({ id: z.string(), amount: Amount })),
  /** Tickets that become void once the provider has made the refund. */
  tickets: z.array(
    z.object({
      offer_id: z.int(),
      title: z.string(),
      count: z.int(),
      /** The first hundred. */
      numbers: z.array(z.string()),
    }),
  ),
  /** Once the provider has made the refund. */
  state_after: z.enum(STATES),
  /** To the buyer. */
  emails: z.array(z.object({ kind: z.enum(REFUND_EMAILS), language: z.string() })),
  needs_approval: z.boolean(),
  /** Most that one person refunds of an order alone. */
  alone_max: Amount,
  /** Within a day. */
  day_alone_max: Amount,
  /** Of an order while its tickets stay valid. */
  amount_alone_max: Amount,
})
export type RefundPreview = z.infer<typeof RefundPreview>

import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { SALES_GROUPS, isPeriod } from './sales.rules.ts'

/** Decimal euro text, which may be below zero. */
const Sum = z.string()

/** Before PayPal there was nothing to report. */
const FIRST_DAY = '1998-01-01'

export const Day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, key('errors.field.invalid'))
  .refine(
    (day) =>
      day >= FIRST_DAY && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day),
    key('errors.field.invalid'),
  )

/** GET /api/staff/reports/sales/ and …/sales/csv/. Without days: the present month until today. */
export const SalesQuery = z
  .object({
    /** Days in the shop's zone, both included. */
    from: z.optional(Day),
    to: z.optional(Day),
    /** Slug of a contest. */
    offer: z.optional(z.string().min(1).max(200)),
    country: z.optional(z.string().regex(/^[A-Z]{2}$/, key('errors.field.country'))),
    group: z.enum(SALES_GROUPS).default('day'),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || isPeriod(from, to), {
    path: ['to'],
    message: key('consoleReports.filters.wrongPeriod'),
  })
export type SalesQuery = z.infer<typeof SalesQuery>

const figures = {
  /** Paid orders, by the day of their receipt. */
  orders: z.int(),
  tickets: z.int(),
  net: Sum,
  vat: Sum,
  gross: Sum,
  /** Refunds of such orders, by the day on which they were made. */
  refunds: z.int(),
  refunded_net: Sum,
  refunded_vat: Sum,
  refunded: Sum,
  /** Sales without refunds. */
  left_net: Sum,
  left_vat: Sum,
  left: Sum,
  /** What the provider kept of the payments of these orders. */
  fees: Sum,
  /** Payments of which the provider has not told that. */
  fees_unknown: z.int(),
}
const SalesFigures = z.object(figures)
export type SalesFigures = z.infer<typeof SalesFigures>

export const SalesRow = z.object({
  ...figures,
  /** "2026-11-23", "2026-11", the slug of a contest, a country, or a country and its rate: "BE 21". */
  key: z.string(),
  /** Of a contest, in the caller's language. */
  title: z.nullable(z.string()),
  country: z.nullable(z.string()),
  /** Percent. */
  rate: z.nullable(z.number()),
})
export type SalesRow = z.infer<typeof SalesRow>

export const SalesReport = z.object({
  from: z.string(),
  to: z.string(),
  /** The present day in the shop's zone. */
  today: z.string(),
  group: z.enum(SALES_GROUPS),
  rows: z.array(SalesRow),
  total: SalesFigures,
  /**
   * Payments that bought nothing, and second payments of an order, with their fees and what was returned of them. Null
   * with a contest, since they belong to none.
   */
  unsold: z.nullable(z.object({ payments: z.int(), taken: Sum, fees: Sum, refunds: z.int(), returned: Sum })),
  /** Contests that were ever open, the newest first, for the filter. */
  contests: z.array(z.object({ slug: z.string(), title: z.string() })),
})
export type SalesReport = z.infer<typeof SalesReport>

/** Which reports the caller gets by email. */
export const Subscriptions = z.object({ week: z.boolean(), month: z.boolean() })
export type Subscriptions = z.infer<typeof Subscriptions>

import * as z from 'zod'
import { CONTEST_NEEDS } from './needs.rules.ts'

/** Contests that Today lists in each of its tables. */
export const LISTED_CONTESTS = 30

const Sales = z.object({
  /** Paid orders, by the day of their receipt. */
  orders: z.int(),
  tickets: z.int(),
  /** What buyers paid, with VAT, before refunds, as decimal text; null for those who may not read reports. */
  revenue: z.nullable(z.string()),
})

/** GET /api/staff/today/live/ sends this as server-sent events whenever it changes. */
export const LiveSales = Sales.extend({
  /** "2026-11-23", in the shop's zone. */
  day: z.string(),
})
export type LiveSales = z.infer<typeof LiveSales>

/** GET /api/staff/today/ */
export const Today = z.object({
  /** How many matters wait; null for those that the role may not see. */
  needs: z.object({
    alerts: z.nullable(z.int()),
    approvals: z.nullable(z.int()),
    review: z.nullable(z.int()),
    messages: z.nullable(z.int()),
    drafts: z.nullable(z.int()),
    /** Letters to people without an email that nobody has printed; a thousand at most. */
    letters: z.nullable(z.int()),
  }),
  /** What contests need, of what the role may open, the most urgent first. */
  deadlines: z.array(
    z.object({
      need: z.enum(CONTEST_NEEDS),
      offer_id: z.int(),
      title: z.string(),
      /** Since or until when; null for no time. ISO 8601 in UTC. */
      at: z.nullable(z.string()),
    }),
  ),
  today: LiveSales,
  /** The last fourteen days, the newest first. */
  days: z.array(LiveSales),
  /** What these days sold by contest, what brought most first; an order counts with each of its contests. */
  sold: z.array(Sales.extend({ offer_id: z.int(), title: z.string() })),
  /** How many contests sold besides those. */
  sold_more: z.int(),
  /** Contests that sell, the next end first. */
  contests: z.array(
    z.object({
      id: z.int(),
      slug: z.string(),
      title: z.string(),
      sold: z.int(),
      /** Of the sold ones, the numbers of entries by post. */
      by_post: z.int(),
      total: z.int(),
      opened_at: z.string(),
      ends_at: z.string(),
      /** Tickets of each of the last fourteen days and of today, the oldest first, none before it opened. */
      days: z.array(z.int()),
      /** Percent of the tickets that are sold at the end, at the pace of the last seven days; above 100: sold out before. */
      pace_percent: z.int(),
    }),
  ),
  /** Whether more contests sell than are listed. */
  contests_more: z.boolean(),
})
export type Today = z.infer<typeof Today>

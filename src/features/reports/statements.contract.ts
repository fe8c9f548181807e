import * as z from 'zod'
import { DATE_ORDERS } from './statement.rules.ts'
import { Day } from './sales.contract.ts'

/** Decimal text, which may be below zero. */
const Sum = z.string()

/** POST /api/staff/reports/statements/: the file is the body, of type text/csv. */
export const ImportQuery = z.object({
  /** What comes first in dates with slashes; left out, the file decides. */
  dates: z.optional(z.enum(DATE_ORDERS)),
  /** The period of the statement, when it is longer than its rows. */
  from: z.optional(Day),
  to: z.optional(Day),
})
export type ImportQuery = z.infer<typeof ImportQuery>

export const DIFFERENCES = ['missing_here', 'missing_there', 'amount', 'fee'] as const
export type Difference = (typeof DIFFERENCES)[number]
export const ENTRIES = ['payment', 'refund', 'other'] as const

const listed = {
  id: z.int(),
  imported_at: z.string(),
  imported_by: z.string(),
  from: z.string(),
  to: z.string(),
  rows: z.int(),
  unbooked: z.int(),
  /** Payments and refunds that agree to the cent. */
  agreed: z.int(),
  /** How many differ, without those at the edge of the period. */
  differences: z.int(),
}

/** GET /api/staff/reports/statements/: the newest first. */
export const StatementList = z.object({
  items: z.array(z.object(listed)),
  next: z.nullable(z.string()),
})
export type StatementList = z.infer<typeof StatementList>
export type ListedStatement = StatementList['items'][number]

export const StatementsQuery = z.object({
  after: z.optional(z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

/** GET /api/staff/reports/statements/{id}/ */
export const Statement = z.object({
  ...listed,
  /** SHA-256 of the file, hexadecimal. */
  file_hash: z.string(),
  sums: z.array(
    z.object({
      kind: z.enum(ENTRIES),
      /** As the provider writes it. */
      type: z.string(),
      currency: z.string(),
      count: z.int(),
      gross: Sum,
      fee: Sum,
      net: Sum,
    }),
  ),
  /** At most 500; `counts` has all. */
  items: z.array(
    z.object({
      difference: z.enum(DIFFERENCES),
      entry: z.enum(['payment', 'refund']),
      transaction_id: z.string(),
      day: z.string(),
      /** Number of the order, where there is one. */
      order: z.nullable(z.string()),
      ours: z.nullable(Sum),
      theirs: z.nullable(Sum),
      /** It may belong to the statement before or after. */
      at_edge: z.boolean(),
    }),
  ),
  counts: z.record(z.enum(DIFFERENCES), z.int()),
})
export type Statement = z.infer<typeof Statement>

export const StatementParams = z.object({
  id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
})

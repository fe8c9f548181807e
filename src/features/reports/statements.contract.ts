import * as z from 'zod'
import { DATE_ORDERS } from './statement.rules.ts'
import { Day } from './sales.contract.ts'

/** Decimal text, which may be below zero. */
const Sum = z.string()

/** POST /api/staff/reports/statements/: the file is the body, of type text/csv. */
export const ImportQuery = z.object({
  /** Whether a file is compared that was compared with this period before. */
  again: z.stringbool().default(false),
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
  /** How often the file was compared for this period, with this time. */
  run: z.int(),
  /** How many differ, without those at the edge of the period. */
  differences: z.int(),
  /** How many may be in the statement before or after. */
  at_edge: z.int(),
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

/** What is missing first, what may be in another statement last; of each kind the first ten thousand. */
const differencePage = {
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
  /** Cursor of the next page; null at the end. */
  next: z.nullable(z.string()),
}
/** GET /api/staff/reports/statements/{id}/differences/ */
export const DifferencePage = z.object(differencePage)
export type DifferencePage = z.infer<typeof DifferencePage>

export const DifferencesQuery = z.object({
  after: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})
export type DifferencesQuery = z.infer<typeof DifferencesQuery>

/** GET /api/staff/reports/statements/{id}/, with the first page of its differences. */
export const Statement = z.object({
  ...listed,
  ...differencePage,
  /** SHA-256 of the file, hexadecimal. */
  file_hash: z.string(),
  sums: z.array(
    z.object({
      kind: z.enum(ENTRIES),
      /** As the provider writes it; empty where the file has descriptions instead, which may name a payer. */
      type: z.string(),
      currency: z.string(),
      count: z.int(),
      gross: Sum,
      fee: Sum,
      net: Sum,
    }),
  ),
  /** Of all, those that are not kept, too. */
  counts: z.record(z.enum(DIFFERENCES), z.int()),
})
export type Statement = z.infer<typeof Statement>

export const StatementParams = z.object({
  id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
})

import type { Trx } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import type { SoldOffer } from '#features/offers/server/index.ts'
import type { Ticket } from '../tickets.contract.ts'
import { numberPermutation } from './number-permutation.ts'
import { insertTickets, toWire } from './tickets.repository.ts'

export interface Issue {
  /** Null of an entry by post without an account. */
  userId: number | null
  /** A postal or demo ticket has no order. */
  source: { orderId: string } | 'postal' | 'demo'
  atMs: number
}

type Counted = Omit<SoldOffer, 'contest'>

const PERMUTATIONS_KEPT = 200
const permutations = new Map<string, (count: number) => number>()

/** Cached, since its tables take a millisecond. */
function permutationOf(sold: Counted): (count: number) => number {
  const name = `${sold.offerId}:${sold.total}:${sold.key.toString('base64')}`
  let permutation = permutations.get(name)
  if (!permutation) {
    if (permutations.size >= PERMUTATIONS_KEPT) permutations.clear()
    permutation = numberPermutation(sold.key, sold.total)
    permutations.set(name, permutation)
  }
  return permutation
}

const numbersOf = (sold: Counted): number[] => {
  const numberOf = permutationOf(sold)
  return Array.from({ length: sold.quantity }, (_, index) => numberOf(sold.sold - sold.quantity + index))
}

export interface NumberedIssue<Sale extends Counted = SoldOffer> extends Issue {
  sales: readonly Sale[]
  numbers: ReadonlyMap<number, readonly number[]>
}

/** `issueTickets` stores the numbers. */
export const assignNumbers = <Sale extends Counted>(
  issues: readonly (Issue & { sales: readonly Sale[] })[],
): NumberedIssue<Sale>[] =>
  issues.map((issue) => ({
    ...issue,
    numbers: new Map(issue.sales.map((sold) => [sold.offerId, numbersOf(sold)])),
  }))

/** Must run in the transaction that counted the sales. @returns the tickets of each issue by contest and number */
export async function issueTickets(trx: Trx, issues: readonly NumberedIssue[]): Promise<Ticket[][]> {
  const made = issues.map((issue) =>
    issue.sales
      .toSorted((one, other) => one.offerId - other.offerId)
      .flatMap((sold) => ticketsOf(issue, sold)),
  )
  const rows = made.flatMap((tickets) => tickets.map(({ row }) => row))
  if (rows.length === 0) return made.map(() => [])
  const issuedAt = await insertTickets(trx, rows)
  return made.map((tickets) =>
    tickets.map(({ row, sold: { offerId, total, contest } }) =>
      toWire({
        id: row.id,
        number: row.number,
        source: row.source,
        status: 'valid',
        issued_at: issuedAt ?? new Date(row.atMs),
        // The log takes it a moment later.
        leaf_index: null,
        proof_salt: null,
        terms_hash: null,
        log_key: null,
        claim_seconds: null,
        offer_id: offerId,
        total_tickets: total,
        ...contest,
      }),
    ),
  )
}

const ticketsOf = ({ source, userId, atMs, numbers }: NumberedIssue, sold: SoldOffer) =>
  (numbers.get(sold.offerId) ?? [])
    .toSorted((one, other) => one - other)
    .map((number) => ({
      sold,
      row: {
        id: newId(atMs),
        offerId: sold.offerId,
        number,
        userId,
        atMs,
        ...(typeof source === 'string'
          ? { source, orderId: null }
          : { source: 'paid' as const, orderId: source.orderId }),
      },
    }))

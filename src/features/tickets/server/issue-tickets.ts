import type { Trx } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import type { SoldOffer } from '#features/offers/server/index.ts'
import { numberPermutation } from './number-permutation.ts'
import { insertTickets } from './tickets.repository.ts'

/** Whom tickets are issued to and why. */
export interface Issue {
  userId: number
  /** The paid order; a postal or demo ticket has none. */
  source: { orderId: string } | 'postal' | 'demo'
  atMs: number
}

const PERMUTATIONS_KEPT = 200
const permutations = new Map<string, (count: number) => number>()

/** The contest's number order, made once per process: its tables cost a millisecond, a look-up nothing. */
function permutationOf(sold: SoldOffer): (count: number) => number {
  const name = `${sold.offerId}:${sold.total}:${sold.key.toString('base64')}`
  let permutation = permutations.get(name)
  if (!permutation) {
    if (permutations.size >= PERMUTATIONS_KEPT) permutations.clear()
    permutation = numberPermutation(sold.key, sold.total)
    permutations.set(name, permutation)
  }
  return permutation
}

/** The numbers that a sale of an offer gives, in the order of their issue. */
const numbersOf = (sold: SoldOffer): number[] => {
  const numberOf = permutationOf(sold)
  return Array.from({ length: sold.quantity }, (_, index) => numberOf(sold.sold - sold.quantity + index))
}

/** Issues the tickets of a sale, in the transaction that counted it. */
export async function issueTickets(trx: Trx, sales: readonly SoldOffer[], issue: Issue): Promise<void> {
  const { source } = issue
  const origin =
    typeof source === 'string' ? { source, order_id: null } : { source: 'paid', order_id: source.orderId }
  const rows = sales.flatMap((sold) =>
    numbersOf(sold).map((number) => ({
      id: newId(issue.atMs),
      offer_id: sold.offerId,
      number,
      user_id: issue.userId,
      ...origin,
    })),
  )
  await insertTickets(trx, rows)
}

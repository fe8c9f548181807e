import { setImmediate } from 'node:timers/promises'
import type { Sql } from '#platform/database.ts'
import type { Invariant } from '#platform/invariants.ts'
import { numberPermutation } from './number-permutation.ts'
import { type CountedOffer, countedOffers, packedNumbers } from './tickets.repository.ts'

/** Numbers looked at in one go: some milliseconds, after which others have their turn. */
const BATCH = 50_000
const NUMBER_BYTES = 4

/** The promise about the numbers of a contest. */
const ABOUT_NUMBERS = 'I2'

interface StrangeNumber extends Record<string, unknown> {
  offer_id: number
  slug: string
  number: number
  fault: string
}

/** Lets the invariant about numbers replay the keys of the contests, too, which SQL cannot. */
export const withNumberReplay = (invariants: readonly Invariant[]): Invariant[] =>
  invariants.map((one) => (one.name === ABOUT_NUMBERS ? { ...one, also: numbersNeverGiven } : one))

/**
 * Replays the order in which each contest gives out its numbers, and finds tickets whose number its key has not given up
 * to now. Keeps a byte for each number of one contest, and reads its tickets in batches.
 * @param most how many are enough
 */
export async function numbersNeverGiven(db: Sql, most: number): Promise<StrangeNumber[]> {
  const found: StrangeNumber[] = []
  for (const offer of await countedOffers(db)) {
    const given = await givenBy(offer)
    for await (const number of numbersOf(db, offer.id)) {
      // A number that the contest does not have at all is told by the statement.
      if (number < 1 || number > offer.total || given[number]) continue
      found.push({ offer_id: offer.id, slug: offer.slug, number, fault: 'the key never gave it' })
      if (found.length >= most) return found
    }
  }
  return found
}

/** For each number of a contest whether its key has given it. */
async function givenBy({ key, total, sold }: CountedOffer): Promise<Uint8Array> {
  const given = new Uint8Array(total + 1)
  const numberOf = numberPermutation(key, total)
  // One that sold more than it has is oversold, which is told elsewhere.
  const counts = Math.min(sold, total)
  for (let count = 0; count < counts; count++) {
    if (count % BATCH === 0) await setImmediate()
    given[numberOf(count)] = 1
  }
  return given
}

/** The numbers of a contest's tickets, rising. */
async function* numbersOf(db: Sql, offerId: number): AsyncGenerator<number> {
  let last: number | undefined
  for (;;) {
    const packed = await packedNumbers(db, offerId, last, BATCH)
    if (!packed) return
    for (let at = 0; at < packed.length; at += NUMBER_BYTES) {
      last = packed.readInt32BE(at)
      yield last
    }
  }
}

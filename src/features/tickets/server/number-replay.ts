import { setImmediate } from 'node:timers/promises'
import type { Sql } from '#platform/database.ts'
import type { Invariant } from '#platform/invariants.ts'
import { numberPermutation } from './number-permutation.ts'
import { type CountedOffer, countedOffers, packedNumbers } from './tickets.repository.ts'

/** Takes some milliseconds of the event loop. */
const BATCH = 50_000
const NUMBER_BYTES = 4

const ABOUT_NUMBERS = 'I2'

interface StrangeNumber extends Record<string, unknown> {
  offer_id: number
  slug: string
  number: number
  fault: string
}

/** SQL cannot replay the number keys. */
export const withNumberReplay = (invariants: readonly Invariant[]): Invariant[] =>
  invariants.map((one) => (one.name === ABOUT_NUMBERS ? { ...one, also: numbersNeverGiven } : one))

/** Finds tickets whose number the contest's key has not issued. @param most stops after this many */
export async function numbersNeverGiven(db: Sql, most: number): Promise<StrangeNumber[]> {
  const found: StrangeNumber[] = []
  for (const offer of await countedOffers(db)) {
    const given = await givenBy(offer)
    for await (const number of numbersOf(db, offer.id)) {
      // The invariant's SQL finds numbers outside the contest.
      if (number < 1 || number > offer.total || given[number]) continue
      found.push({ offer_id: offer.id, slug: offer.slug, number, fault: 'the key never gave it' })
      if (found.length >= most) return found
    }
  }
  return found
}

/** For each number 1 when the contest's key has issued it. */
async function givenBy({ key, total, sold }: CountedOffer): Promise<Uint8Array> {
  const given = new Uint8Array(total + 1)
  const numberOf = numberPermutation(key, total)
  // Another invariant finds an oversold contest.
  const counts = Math.min(sold, total)
  for (let count = 0; count < counts; count++) {
    if (count % BATCH === 0) await setImmediate()
    given[numberOf(count)] = 1
  }
  return given
}

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

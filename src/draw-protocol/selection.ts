import { type Sha256, concatBytes, toBytes, toHex, u64be } from './bytes.ts'

export interface Selection {
  /** How many values were made until one was below the limit. */
  tries: number
  /** That value in hexadecimal. */
  value: string
  index: number
}

/** What the values of an attempt begin with: a tag of its own, so that no attempt repeats another. */
export const seedOf = (attempt: number, randomness: Uint8Array, listHash: Uint8Array): Uint8Array =>
  concatBytes(
    toBytes(attempt === 0 ? 'volant-draw-v1' : `volant-alternate-v1-${attempt}-`),
    randomness,
    listHash,
  )

/**
 * Chooses one of `count` rows, each equally likely: values at or above the greatest multiple of `count` are skipped.
 * The digest may have any length; a test's has one byte.
 */
export function selectIndex(
  seed: Uint8Array,
  count: number,
  digest: (data: Uint8Array) => Uint8Array,
): Selection {
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`cannot choose one of ${count}`)
  const rows = BigInt(count)
  for (let tries = 1; ; tries += 1) {
    const hash = digest(concatBytes(seed, u64be(tries - 1)))
    const value = toHex(hash)
    const x = BigInt(`0x${value}`)
    const limit = ((1n << BigInt(hash.length * 8)) / rows) * rows
    if (x < limit) return { tries, value, index: Number(x % rows) }
  }
}

/** The selection of an attempt among the rows that remain (docs/draw-v1.md, sections 9 and 10). */
export const selectWinner = (
  draw: { attempt: number; randomness: Uint8Array; listHash: Uint8Array; remaining: number },
  sha256: Sha256,
): Selection => selectIndex(seedOf(draw.attempt, draw.randomness, draw.listHash), draw.remaining, sha256)

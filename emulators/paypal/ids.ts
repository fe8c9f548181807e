import { randomBytes } from 'node:crypto'

const symbols = '0123456789ABCDEFGHJKLMNPRSTUVWXY'

// The emulator shares the machine with the shop in benchmarks, so random bytes come from a pool.
let pool = Buffer.alloc(0)
let used = 0

function randomPart(length: number): Buffer {
  if (used + length > pool.length) {
    pool = randomBytes(8192)
    used = 0
  }
  used += length
  return pool.subarray(used - length, used)
}

function take(length: number): string {
  let text = ''
  for (const byte of randomPart(length)) text += symbols[byte & 31]
  return text
}

/** Seventeen capitals and digits: the shape of PayPal's order, capture and refund numbers. */
export const resourceId = (): string => take(17)
export const eventId = (): string => `WH-${take(17)}-${take(17)}`
export const debugId = (): string => randomHex(13)
export const randomHex = (length: number): string =>
  randomPart(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length)

/** A repeatable stream of numbers in [0, 1): the same seed gives the same faults. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

import { randomBytes, randomUUID } from 'node:crypto'

const letters = '0123456789ABCDEFGHJKLMNPRSTUVWXY'
let pool = Buffer.alloc(0)
let used = 0

function nextByte(): number {
  if (used >= pool.length) {
    pool = randomBytes(8192)
    used = 0
  }
  return pool[used++] ?? 0
}

const take = (length: number): string => {
  let text = ''
  for (let i = 0; i < length; i += 1) text += letters[nextByte() & 31]
  return text
}

/** Seventeen capitals and digits: the shape of PayPal's order, capture and refund numbers. */
export const resourceId = (): string => take(17)
export const eventId = (): string => `WH-${take(17)}-${take(17)}`
export const debugId = (): string => randomHex(13)

export function randomHex(length: number): string {
  let text = ''
  // The last part of a random UUID is random throughout, and Node has a stock of them.
  while (text.length < length) text += randomUUID().slice(-12)
  return text.slice(0, length)
}

export const uuid = (): string => randomUUID()

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

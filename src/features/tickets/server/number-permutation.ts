import { createCipheriv } from 'node:crypto'

/** Four rounds already make the order hard to tell from a random one. */
const ROUNDS = 12

/** Bytes of key stream for a value: enough for a negligible bias. */
const BYTES = 6

const ZERO_IV = Buffer.alloc(16)

/**
 * The shuffled order of a contest's numbers: a generalised Feistel network (Black and
 * Rogaway) permutes 0..a*b-1 with a*b just above the total; cycle walking brings the result below it. The round
 * functions are tables of about the square root of the total, from an AES-256 key stream.
 * @param key 32 secret bytes of the contest
 * @returns function from the running count (0-based) to the number (1..total)
 */
export function numberPermutation(key: Uint8Array, total: number): (count: number) => number {
  if (!Number.isSafeInteger(total) || total < 1) throw new RangeError(`not a number of tickets: ${total}`)
  const a = Math.ceil(Math.sqrt(total))
  const b = Math.ceil(total / a)
  const tables = roundTables(key, a, b)

  const permute = (value: number): number => {
    let left = value % a
    let right = Math.floor(value / a)
    for (let round = 0; round < ROUNDS; round++) {
      const size = round % 2 === 0 ? a : b
      const next = (left + (tables[round]?.[right] ?? 0)) % size
      left = right
      right = next
    }
    return a * right + left
  }

  return (count) => {
    if (!Number.isSafeInteger(count) || count < 0 || count >= total) {
      throw new RangeError(`count ${count} is outside 0..${total - 1}`)
    }
    let value = permute(count)
    while (value >= total) value = permute(value)
    return value + 1
  }
}

function roundTables(key: Uint8Array, a: number, b: number): Uint32Array[] {
  const cipher = createCipheriv('aes-256-ctr', key, ZERO_IV)
  return Array.from({ length: ROUNDS }, (_, round) => {
    // An even round maps the right half (below b) into a, an odd one the reverse.
    const [inputs, outputs] = round % 2 === 0 ? [b, a] : [a, b]
    const stream = cipher.update(Buffer.alloc(inputs * BYTES))
    return Uint32Array.from(
      { length: inputs },
      (_, index) => stream.readUIntBE(index * BYTES, BYTES) % outputs,
    )
  })
}

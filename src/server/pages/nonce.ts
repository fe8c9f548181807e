import { randomFillSync } from 'node:crypto'

/** Random bytes of a nonce: 128 bits, so that nobody guesses one. */
const BYTES = 16

/** Nonces for which random bytes are fetched at a time: one by one, fetching costs more than sending a kept page. */
const BATCH = 256

const bytes = Buffer.alloc(BYTES * BATCH)
let used = bytes.length

/** A new nonce, 22 characters of base64url; none is ever given twice. */
export function freshNonce(): string {
  if (used === bytes.length) {
    randomFillSync(bytes)
    used = 0
  }
  const nonce = bytes.toString('base64url', used, used + BYTES)
  used += BYTES
  return nonce
}

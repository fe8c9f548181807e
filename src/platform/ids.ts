import { randomBytes } from 'node:crypto'

/**
 * A new UUID of version 7: unguessable, and ordered by time so that index pages fill one after the other.
 * @param atMs milliseconds since the epoch
 */
export function newId(atMs: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(atMs, 0, 6)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

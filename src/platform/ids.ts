import { randomUUID } from 'node:crypto'

/**
 * A new UUID of version 7: unguessable, and ordered by time so that index pages fill one after the other.
 * @param atMs milliseconds since the epoch
 */
export function newId(atMs: number): string {
  const time = atMs.toString(16).padStart(12, '0')
  // Of a random UUID, which Node makes from a stock of random bytes, everything behind its version.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

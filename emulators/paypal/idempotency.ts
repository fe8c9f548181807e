import { crc32 } from 'node:zlib'
import type { Book } from './book.ts'
import { detail, PayPalError, unprocessable } from './errors.ts'
import type { Remembered } from './model.ts'

const hour = 3_600_000
/** How long PayPal keeps a request id: orders 6 hours, payments 45 days (doc comments of its server SDK 2.5.0). */
const retention: Record<Remembered['kind'], number> = {
  create: 6 * hour,
  capture: 6 * hour,
  refund: 45 * 24 * hour,
}
const sweepEvery = 1000

export type Begun = { earlier?: Remembered; done(outcome?: Pick<Remembered, 'resourceId' | 'problem'>): void }
/**
 * Remembers what each PayPal-Request-Id did. A second call while the first is under way is refused with
 * 409; later ones get the latest state of what the first made; one with other content is refused.
 */
export function createIdempotency(book: Book, now: () => Date) {
  const underWay = new Set<string>()
  let sinceSweep = 0

  const isKept = (entry: Remembered): boolean => now().getTime() - entry.at < retention[entry.kind]
  const isForgotten = ({ kind, resourceId }: Remembered): boolean =>
    !(kind === 'refund' ? book.refunds : book.orders).has(resourceId)
  const sweep = (): void => {
    sinceSweep = (sinceSweep + 1) % sweepEvery
    if (sinceSweep !== 0) return
    for (const [key, entry] of book.remembered)
      if (!isKept(entry) || isForgotten(entry)) book.remove('remembered', key)
  }

  return {
    /** Without a request id every call stands alone, as at PayPal. */
    begin(kind: Remembered['kind'], requestId: string | undefined, path: string, body: unknown): Begun {
      if (!requestId) return { done() {} }
      const key = `${kind} ${requestId}`
      if (underWay.has(key)) {
        throw new PayPalError('RESOURCE_CONFLICT', [detail('PREVIOUS_REQUEST_IN_PROGRESS')])
      }
      const fingerprint = `${path} ${crc32(JSON.stringify(body ?? null)).toString(16)}`
      const known = book.remembered.get(key)
      if (known && isKept(known)) {
        if (known.fingerprint === fingerprint) return { earlier: known, done() {} }
        throw unprocessable('PAYPAL_REQUEST_ID_PREVIOUSLY_USED', {
          field: 'PayPal-Request-Id',
          value: requestId,
          location: 'header',
        })
      }
      underWay.add(key)
      let open = true
      return {
        done(outcome) {
          if (!open) return
          open = false
          underWay.delete(key)
          if (!outcome) return
          if (known) book.remove('remembered', key)
          book.insert('remembered', key, { kind, fingerprint, at: now().getTime(), ...outcome })
          sweep()
        },
      }
    },
  }
}

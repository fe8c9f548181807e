import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Signatures of our order ids, for the provider's ways back: only they change an order by GET. */
export interface OrderSignatures {
  of(orderId: string): string
  isOf(orderId: string, given: string): boolean
}

/** @param secret SECRET_KEY */
export function orderSignatures(secret: string): OrderSignatures {
  // A separate key for this purpose; as an object, because Node takes six times as long with a buffer.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'volant order references', 32)))
  const of = (orderId: string): string => createHmac('sha256', key).update(orderId).digest('base64url')
  return {
    of,
    isOf(orderId, given) {
      const [theirs, ours] = [Buffer.from(given), Buffer.from(of(orderId))]
      return theirs.length === ours.length && timingSafeEqual(theirs, ours)
    },
  }
}

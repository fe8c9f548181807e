import { isSame, keyedHash } from '#platform/keyed-hashes.ts'

/** Signatures of our order ids, for the provider's ways back: only they change an order by GET. */
export interface OrderSignatures {
  of(orderId: string): string
  isOf(orderId: string, given: string): boolean
}

/** @param secret SECRET_KEY */
export function orderSignatures(secret: string): OrderSignatures {
  const of = keyedHash(secret, 'volant order references')
  return { of, isOf: (orderId, given) => isSame(given, of(orderId)) }
}

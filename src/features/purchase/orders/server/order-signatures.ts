import { type SecretKeys, acceptedSecrets, isSame, keyedHash } from '#platform/keyed-hashes.ts'

/** Signatures of our order ids, for the provider's ways back: only they change an order by GET. */
export interface OrderSignatures {
  of(orderId: string): string
  isOf(orderId: string, given: string): boolean
}

/** The provider sends buyers back with a reference that the previous key may have made. */
export function orderSignatures(keys: SecretKeys): OrderSignatures {
  const made = acceptedSecrets(keys).map((secret) => keyedHash(secret, 'volant order references'))
  return {
    of: made[0]!,
    isOf: (orderId, given) => made.some((of) => isSame(given, of(orderId))),
  }
}

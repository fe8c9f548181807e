/** Loaded only where a policy has keys of ML-DSA-44: no other part of a check needs it. */
import { ml_dsa44 as mlDsa } from '@noble/post-quantum/ml-dsa.js'
import type { VerifyMlDsa } from './cosignatures.ts'

/** Lengths are those of the kind of the key, which the caller has checked. */
export const verifyMlDsa: VerifyMlDsa = (signature, message, publicKey) =>
  mlDsa.verify(signature, message, publicKey)

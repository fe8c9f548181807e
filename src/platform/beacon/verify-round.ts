import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import type { BeaconChain } from './chains.ts'

const { shortSignatures } = bls12_381
const DOMAIN = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** Whether `signature` (hexadecimal) is the chain's signature of that round, in its only encoding. */
export function isSignatureOf({ publicKey }: BeaconChain, round: number, signature: string): boolean {
  const point = pointOf(() => shortSignatures.Signature.fromHex(signature))
  if (!point) return false
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(round))
  const message = shortSignatures.hash(sha256(number), DOMAIN)
  return shortSignatures.verify(point, message, Buffer.from(publicKey, 'hex'))
}

/** @param signature one that was verified */
export const randomnessOf = (signature: string): string =>
  sha256(Buffer.from(signature, 'hex')).toString('hex')

/** Whether signatures can be verified with that key: a point of G2's subgroup other than zero. */
export const isPublicKey = (hex: string): boolean =>
  pointOf(() => bls12_381.G2.Point.fromHex(hex))?.is0() === false

/** Reading a point checks curve and subgroup, and throws. */
function pointOf<Point>(read: () => Point): Point | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

import { bls12_381 } from '@noble/curves/bls12-381.js'
import { type Sha256, fromHex, sameBytes, u64be } from './bytes.ts'

/** The League of Entropy's chain `quicknet`: the only one that a live shop accepts. */
export const QUICKNET = {
  chain: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
  key: '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  genesis: 1_692_803_367,
  period: 3,
} as const

const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'

/** When rounds are. Unix seconds. */
export interface Rhythm {
  genesis: number
  period: number
}

/** The first round whose time is not before `seconds`; null before the genesis. */
export const roundAt = ({ genesis, period }: Rhythm, seconds: number): number | null =>
  seconds < genesis ? null : 1 + Math.ceil((seconds - genesis) / period)

/** When a round comes, in Unix seconds. */
export const timeOfRound = ({ genesis, period }: Rhythm, round: number): number =>
  genesis + (round - 1) * period

/** Whether a signature in hexadecimal is the key's for this round, in its one canonical encoding. */
export function isRoundSignature(
  { key, round, signature }: { key: string; round: number; signature: string },
  sha256: Sha256,
): boolean {
  const bls = bls12_381.shortSignatures
  try {
    const point = bls12_381.G1.Point.fromBytes(fromHex(signature))
    const publicKey = bls12_381.G2.Point.fromBytes(fromHex(key))
    point.assertValidity()
    publicKey.assertValidity()
    if (point.is0() || publicKey.is0()) return false
    if (!sameBytes(point.toBytes(true), fromHex(signature))) return false
    if (!sameBytes(publicKey.toBytes(true), fromHex(key))) return false
    return bls.verify(point, bls.hash(sha256(u64be(round)), DST), publicKey)
  } catch {
    // What does not decode to points of the groups is no signature.
    return false
  }
}

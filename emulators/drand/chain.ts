import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'

const { shortSignatures } = bls12_381
const scheme = 'bls-unchained-g1-rfc9380'
const domain = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const beaconId = 'volant-emulator'

/** Genesis is the Unix time of round 1; the period is the seconds between two rounds. */
export type ChainOptions = { seed: string; genesis: number; period: number }

const sha256 = (...parts: (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The hash by which relays name a chain. */
export function chainHash(chain: { publicKey: string; groupHash: string; beaconId: string } & Times): string {
  const times = Buffer.alloc(12)
  times.writeUInt32BE(chain.period, 0)
  times.writeBigInt64BE(BigInt(chain.genesis), 4)
  const bytes = (hex: string) => Buffer.from(hex, 'hex')
  return sha256(times, bytes(chain.publicKey), bytes(chain.groupHash), chain.beaconId).toString('hex')
}
type Times = Omit<ChainOptions, 'seed'>

/** A beacon with a key that follows from its seed: the same options give the same rounds. */
export function createChain({ seed, genesis, period }: ChainOptions) {
  const keys = shortSignatures.keygen(createHash('sha384').update(`drand emulator: ${seed}`).digest())
  const publicKey = keys.publicKey.toHex()
  const groupHash = sha256('group of the drand emulator', publicKey).toString('hex')
  const hash = chainHash({ publicKey, groupHash, beaconId, genesis, period })

  return {
    hash,
    beaconId,
    /** What a client pins. */
    pin: { hash, publicKey, genesis, period, scheme },
    infoV1: {
      public_key: publicKey,
      period,
      genesis_time: genesis,
      hash,
      groupHash,
      schemeID: scheme,
      metadata: { beaconID: beaconId },
    },
    infoV2: {
      public_key: publicKey,
      period,
      genesis_time: genesis,
      genesis_seed: groupHash,
      chain_hash: hash,
      scheme,
      beacon_id: beaconId,
    },
    /** The newest round at that time; 0 before the first. */
    roundAt: (time: Date): number => Math.max(0, Math.floor((time.getTime() / 1000 - genesis) / period) + 1),
    timeOf: (round: number): Date => new Date((genesis + (round - 1) * period) * 1000),
    sign: (round: number): string => {
      const number = Buffer.alloc(8)
      number.writeBigUInt64BE(BigInt(round))
      return shortSignatures.sign(shortSignatures.hash(sha256(number), domain), keys.secretKey).toHex()
    },
  }
}

export const randomnessOf = (signature: string): string =>
  sha256(Buffer.from(signature, 'hex')).toString('hex')

/** Cosignatures of witnesses under checkpoints: https://c2sp.org/tlog-cosignature (docs/draw-v1.md, section 6). */
import { ed25519 } from '@noble/curves/ed25519.js'
import {
  LF,
  type Sha256,
  concatBytes,
  fromBase64,
  sameBytes,
  toBase64,
  toBytes,
  toHex,
  u64be,
} from './bytes.ts'
import type { Checkpoint } from './checkpoints.ts'

/** The byte by which a key's text tells its kind, with the bytes of a key and of a signature. */
const KINDS = {
  ed25519: { type: 0x04, key: 32, signature: 64 },
  'ml-dsa-44': { type: 0x06, key: 1312, signature: 2420 },
} as const
type KeyKind = keyof typeof KINDS

/** A key whose owner confirms that a log only grows. */
export interface WitnessKey {
  name: string
  id: Uint8Array
  kind: KeyKind
  publicKey: Uint8Array
}

/** Whether a signature of ML-DSA-44 is valid; the library for it is loaded where a policy has such keys. */
export type VerifyMlDsa = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean

/** A witness whose time is so many seconds before that of the checkpoint has a wrong clock: it does not count. */
export const MOST_BEHIND = 60

/** A valid cosignature. */
export interface Cosignature {
  key: WitnessKey
  /** When the witness had seen no larger tree of the log, in Unix seconds. */
  time: number
}

/** Refused by a reader: a line with the name and the id of a witness, which is not its signature. */
export class FalseCosignature extends Error {
  override readonly name = 'FalseCosignature'
  /** Of the checkpoint's file. */
  readonly line: number

  constructor(witness: string, line: number) {
    super(`the cosignature of ${witness} in line ${line} is not valid`)
    this.line = line
  }
}

const witnessKeyId = (name: string, kind: KeyKind, publicKey: Uint8Array, sha256: Sha256): Uint8Array =>
  sha256(concatBytes(toBytes(name), Uint8Array.of(LF, KINDS[kind].type), publicKey)).subarray(0, 4)

/** A key made into what a policy names. */
export const witnessKey = (
  name: string,
  kind: KeyKind,
  publicKey: Uint8Array,
  sha256: Sha256,
): WitnessKey => ({ name, kind, publicKey, id: witnessKeyId(name, kind, publicKey, sha256) })

/** `NAME+KEYID+KEY` */
export const witnessKeyText = ({ name, id, kind, publicKey }: WitnessKey): string =>
  `${name}+${toHex(id)}+${toBase64(concatBytes(Uint8Array.of(KINDS[kind].type), publicKey))}`

/** Reads `NAME+KEYID+KEY`. @returns null for anything else, such as a key for checkpoints */
export function readWitnessKey(text: string, sha256: Sha256): WitnessKey | null {
  const [, name = '', id, base64 = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? []
  const bytes = fromBase64(base64)
  const [kind] = Object.entries(KINDS).find(([, { type }]) => type === bytes?.[0]) ?? []
  if (!bytes || !kind || bytes.length !== 1 + KINDS[kind as KeyKind].key) return null
  const key = witnessKey(name, kind as KeyKind, bytes.subarray(1), sha256)
  return toHex(key.id) === id ? key : null
}

/** What a witness with a key of Ed25519 signs: the time and the whole text of the checkpoint. */
const ed25519Message = (time: number, text: Uint8Array): Uint8Array =>
  concatBytes(toBytes(`cosignature/v1\ntime ${time}\n`), text)

/** `opaque value<1..2^8-1>` of RFC 8446. */
const short = (text: string): Uint8Array => {
  const bytes = toBytes(text)
  return concatBytes(Uint8Array.of(bytes.length), bytes)
}

/** What a witness with a key of ML-DSA-44 signs: its name, the time, and origin, size and root of the checkpoint. */
const mlDsaMessage = (name: string, time: number, { origin, size, root }: TreeOf): Uint8Array =>
  concatBytes(toBytes('subtree/v1\n\0'), short(name), u64be(time), short(origin), u64be(0), u64be(size), root)

type TreeOf = Pick<Checkpoint, 'origin' | 'size' | 'root'>

/** The message of a cosignature of the key at this time, in Unix seconds. */
export const cosignedMessage = (
  { name, kind }: Pick<WitnessKey, 'name' | 'kind'>,
  time: number,
  checkpoint: TreeOf & Pick<Checkpoint, 'text'>,
): Uint8Array =>
  kind === 'ed25519' ? ed25519Message(time, checkpoint.text) : mlDsaMessage(name, time, checkpoint)

const TIME = 8

/** The time of `u64 time || signature`, when it is one of Unix seconds after the first. */
function timeOf(bytes: Uint8Array): number | null {
  const time = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)
  return time > 0n && time <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(time) : null
}

/**
 * The cosignatures of a checkpoint by these keys; lines of other keys are ignored. The shop's own signature is checked
 * elsewhere. @throws FalseCosignature for a line of one of the keys that is not valid
 */
export function cosignaturesOf(
  checkpoint: Checkpoint,
  keys: readonly WitnessKey[],
  verifyMlDsa: VerifyMlDsa = () => false,
): Cosignature[] {
  return checkpoint.signatures.flatMap(({ line, name, id, signature }) => {
    const key = keys.find((one) => one.name === name && sameBytes(one.id, id))
    if (!key) return []
    const size = KINDS[key.kind].signature
    const time = signature.length === TIME + size ? timeOf(signature) : null
    if (time === null) throw new FalseCosignature(name, line)
    const bytes = signature.subarray(TIME)
    const message = cosignedMessage(key, time, checkpoint)
    const isValid =
      key.kind === 'ed25519'
        ? ed25519.verify(bytes, message, key.publicKey, { zip215: false })
        : verifyMlDsa(bytes, message, key.publicKey)
    if (!isValid) throw new FalseCosignature(name, line)
    return [{ key, time }]
  })
}

/** Signatures of witnesses under checkpoints of the shop (docs/draw-v1.md, section 6). */
import { type Sha256, fromBase64, toBase64, toBytes, toText } from './bytes.ts'
import {
  type Checkpoint,
  type VerifierKey,
  checkSignature,
  keyIdOf,
  parseCheckpoints,
  parseVerifierKey,
  signatureLine,
} from './checkpoints.ts'
import { DrawFault } from './faults.ts'
import { isConsistent } from './merkle.ts'

/** What a key's owner signs to register it, so that nobody registers somebody else's key. */
export const keyProofText = (host: string, name: string): string =>
  `volant-witness-key-v1\n${host}\n${name}\n`

/** Printable ASCII without a space or `+`, and not the shop's own name: its lines are the shop's. */
export const isWitnessName = (name: string, host: string): boolean =>
  /^[!-*,-~]{1,60}$/.test(name) && name.toLowerCase() !== host.toLowerCase()

/** Whether a signature line is the key's, over the text of the checkpoint in a note. */
export function isWitnessLine(line: string, { note, key }: { note: string; key: VerifierKey }): boolean {
  if (line.includes('\n')) return false
  try {
    const [one, ...others] = parseCheckpoints(toBytes(`${note}${line}\n`))
    if (!one || others.length > 0) return false
    checkSignature(one, key, one.origin)
    return true
  } catch (error) {
    if (error instanceof DrawFault) return false
    throw error
  }
}

/** The line of a signature, without its LF. */
export const witnessLine = (
  { name, publicKey }: Pick<VerifierKey, 'name' | 'publicKey'>,
  signature: Uint8Array,
  sha256: Sha256,
): string => toText(signatureLine(name, keyIdOf(name, publicKey, sha256), signature)).slice(0, -1)

/** What a witness signed last of a log. */
export interface KeptCheckpoint {
  /** The key of the log then. */
  logKey: string
  size: number
  /** Base64. */
  root: string
  /** Unix seconds. */
  time: number
}

export type SigningRefusal = 'notTheShop' | 'otherKey' | 'otherTimes' | 'rewritten'

/** The one checkpoint of a note. @throws DrawFault */
export function checkpointOf(note: string): Checkpoint {
  const [one, ...others] = parseCheckpoints(toBytes(note))
  if (!one || others.length > 0) throw new DrawFault('too-long', 1, { found: note })
  return one
}

export const keptOf = ({ size, root, time }: Checkpoint, logKey: string): KeptCheckpoint => ({
  logKey,
  size,
  root: toBase64(root),
  time,
})

/**
 * Why a witness does not sign a checkpoint: it is not the shop's, or it contradicts what the witness signed before.
 * @param kept null the first time @param proof of consistency between the smaller and the larger of both
 */
export function refusalToSign(
  {
    note,
    origin,
    logKey,
    kept,
    proof,
  }: {
    note: string
    origin: string
    logKey: string
    kept: KeptCheckpoint | null
    proof: readonly Uint8Array[]
  },
  sha256: Sha256,
): SigningRefusal | null {
  try {
    const checkpoint = checkpointOf(note)
    checkSignature(checkpoint, parseVerifierKey(logKey, sha256, 1), origin)
    if (!kept) return null
    if (kept.logKey !== logKey) return 'otherKey'
    const root = fromBase64(kept.root)
    if (!root) return 'rewritten'
    const before = { size: kept.size, root, time: kept.time }
    const [first, second] = before.size <= checkpoint.size ? [before, checkpoint] : [checkpoint, before]
    if (first.size < second.size && first.time > second.time) return 'otherTimes'
    return isConsistent(first, second, proof, sha256) ? null : 'rewritten'
  } catch (error) {
    if (error instanceof DrawFault) return 'notTheShop'
    throw error
  }
}

/** Checkpoints: signed notes of https://c2sp.org/signed-note (docs/draw-v1.md, section 5). */
import { ed25519 } from '@noble/curves/ed25519.js'
import {
  LF,
  type Sha256,
  concatBytes,
  fromBase64,
  toBase64,
  sameBytes,
  toBytes,
  toHex,
  toText,
} from './bytes.ts'
import { DrawFault } from './faults.ts'
import { Values, timeText } from './formats.ts'

export interface VerifierKey {
  name: string
  id: Uint8Array
  publicKey: Uint8Array
}

const ED25519 = 0x01

/** The 4 bytes by which a signature line names its key. */
export const keyIdOf = (name: string, publicKey: Uint8Array, sha256: Sha256): Uint8Array =>
  sha256(concatBytes(toBytes(name), Uint8Array.of(LF, ED25519), publicKey)).subarray(0, 4)

/** `NAME+KEYID+KEY` */
export const verifierKeyText = (name: string, publicKey: Uint8Array, sha256: Sha256): string =>
  `${name}+${toHex(keyIdOf(name, publicKey, sha256))}+${toBase64(concatBytes(Uint8Array.of(ED25519), publicKey))}`

/** Reads `NAME+KEYID+KEY`, in which base64 may have a `+` too; throws a DrawFault of `line`. */
export function parseVerifierKey(text: string, sha256: Sha256, line: number): VerifierKey {
  const [, name = '', id = '', key = ''] = /^([^+ ]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? []
  const bytes = fromBase64(key)
  if (bytes?.length !== 33 || bytes[0] !== ED25519) throw new DrawFault('base64', line, { found: text })
  const publicKey = bytes.subarray(1)
  const expected = keyIdOf(name, publicKey, sha256)
  if (toHex(expected) !== id) throw new DrawFault('key-id', line, { expected: toHex(expected), found: id })
  return { name, id: expected, publicKey }
}

export interface CheckpointBody {
  origin: string
  size: number
  root: Uint8Array
  /** Unix seconds */
  time: number
}

/** The name of the shop's key: that of its register, as witnesses expect it. */
export const keyNameOf = (host: string): string => `${host}/draws`

/** The origin of the register. */
export const registerOriginOf = (log: { host: string; rehearsal: boolean }): string =>
  `${log.host}/${log.rehearsal ? 'rehearsals' : 'draws'}`

/** The origin of a contest's log. */
export const originOf = (log: { host: string; contest: string; rehearsal: boolean }): string =>
  `${registerOriginOf(log)}/${log.contest}`

/** The text that a signature of a checkpoint is about, its last LF included. */
export const checkpointText = ({ origin, size, root, time }: CheckpointBody): Uint8Array =>
  toBytes(`${origin}\n${size}\n${toBase64(root)}\ntime ${timeText(time)}\n`)

/** One line of a signature, with its LF. */
export const signatureLine = (name: string, id: Uint8Array, signature: Uint8Array): Uint8Array =>
  toBytes(`— ${name} ${toBase64(concatBytes(id, signature))}\n`)

/** A checkpoint: its text, an empty line, the lines of its signatures. */
export const checkpointFile = (text: Uint8Array, signatureLines: readonly Uint8Array[]): Uint8Array =>
  concatBytes(text, Uint8Array.of(LF), ...signatureLines)

/** `checkpoints.txt` of checkpoints from the oldest to the newest. */
export const checkpointsFile = (checkpoints: readonly Uint8Array[]): Uint8Array =>
  concatBytes(...checkpoints.flatMap((one, at) => (at === 0 ? [one] : [Uint8Array.of(LF), one])))

export interface Checkpoint extends CheckpointBody {
  /** The line on which it begins. */
  line: number
  /** What was signed. */
  text: Uint8Array
  signatures: { line: number; name: string; id: Uint8Array; signature: Uint8Array }[]
}

const SIGNATURE = /^— ([^ +]+) ([A-Za-z0-9+/=]+)$/

/** Reads one checkpoint or more; throws a DrawFault. */
export function parseCheckpoints(bytes: Uint8Array): Checkpoint[] {
  const lines = noteLines(bytes)
  const checkpoints: Checkpoint[] = []
  let at = 0
  const next = (): string => {
    const line = lines[at]
    at += 1
    if (line === undefined) throw new DrawFault('too-short', at, { expected: 'checkpoint' })
    return line
  }
  const valuesHere = (): Values => new Values(at)
  while (at < lines.length) {
    const line = at + 1
    const origin = next()
    const sizeText = next()
    const size = valuesHere().integer(sizeText)
    const root = readRoot(next(), at)
    const time = next()
    if (!time.startsWith('time ')) throw new DrawFault('header', at, { expected: 'time', found: time })
    const body = { origin, size, root, time: valuesHere().time(time.slice(5)) }
    if (next() !== '') throw new DrawFault('line', at, { expected: '', found: lines[at - 1]! })
    const signatures = []
    do signatures.push(readSignature(next(), at))
    while (at < lines.length && lines[at] !== '')
    // The empty line between two checkpoints, after which there is one.
    if (at < lines.length && next() === '' && at === lines.length)
      throw new DrawFault('too-long', at, { found: '' })
    checkpoints.push({ ...body, line, text: checkpointText(body), signatures })
  }
  return checkpoints
}

/** Lines of a note: ASCII but for the em dash that begins a signature. */
function noteLines(bytes: Uint8Array): string[] {
  const lines = toText(bytes).split('\n')
  const last = lines.pop()
  if (last !== '') throw new DrawFault('no-final-newline', lines.length + 1)
  for (const [at, line] of lines.entries()) {
    if (!/^(?:— )?[\x20-\x7e]*$/.test(line)) throw new DrawFault('character', at + 1)
  }
  return lines
}

function readRoot(text: string, line: number): Uint8Array {
  const root = fromBase64(text)
  if (root?.length !== 32) throw new DrawFault('base64', line, { found: text })
  return root
}

function readSignature(text: string, line: number): Checkpoint['signatures'][number] {
  const [, name, base64 = ''] = SIGNATURE.exec(text) ?? []
  if (name === undefined) throw new DrawFault('signature-line', line, { found: text })
  const bytes = fromBase64(base64)
  if (!bytes || bytes.length < 5) throw new DrawFault('base64', line, { found: base64 })
  return { line, name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) }
}

/** Refuses a checkpoint of another log, or one without exactly one valid signature of the key. Throws a DrawFault. */
export function checkSignature(checkpoint: Checkpoint, key: VerifierKey, origin: string): void {
  if (checkpoint.origin !== origin)
    throw new DrawFault('origin', checkpoint.line, { expected: origin, found: checkpoint.origin })
  const [own, second] = checkpoint.signatures.filter(
    ({ name, id }) => name === key.name && sameBytes(id, key.id),
  )
  if (!own) throw new DrawFault('signature-missing', checkpoint.line, { expected: key.name })
  if (second) throw new DrawFault('signature-twice', second.line, { found: key.name })
  if (
    own.signature.length !== 64 ||
    !ed25519.verify(own.signature, checkpoint.text, key.publicKey, { zip215: false })
  )
    throw new DrawFault('signature', own.line, { size: checkpoint.size })
}

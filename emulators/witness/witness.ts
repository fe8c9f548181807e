import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { rootOfProof } from './consistency.ts'

/** A log that a witness knows: its origin, and the name and the public key by which its checkpoints are signed. */
export interface KnownLog {
  origin: string
  keyName: string
  publicKey: Uint8Array
}

/** A policy of https://c2sp.org/tlog-policy: so many of the witnesses must have confirmed. */
export const policyText = (witnesses: readonly { vkey: string; url: string }[], least: number): string =>
  [
    ...witnesses.map(({ vkey, url }, at) => `witness w${at + 1} ${vkey} ${url}`),
    `group enough ${least} ${witnesses.map((_, at) => `w${at + 1}`).join(' ')}`,
    'quorum enough',
    '',
  ].join('\n')

/** What a witness has seen last of a log. */
export interface Seen {
  size: number
  root: string
}

/** Seed, name and clock of a witness. */
export interface WitnessOptions {
  name: string
  seed: string
  logs: readonly KnownLog[]
  now: () => Date
  /** Where what was seen is kept; it is written before a response. */
  seen: Map<string, Seen>
  kept: () => void
}

type Response = { status: number; body: string; type?: string }

const sha256 = (...parts: (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const refuse = (status: number, why: string): Response => ({ status, body: `${why}\n` })
const conflict = (size: number): Response => ({ status: 409, body: `${size}\n`, type: 'text/x.tlog.size' })

const NUMBER = /^(?:0|[1-9]\d{0,15})$/

/** How a witness may misbehave in what it signs. */
export interface Signing {
  /** Seconds by which its clock is wrong. */
  clock?: number
  /** It signs with a key that nobody knows. */
  otherKey?: boolean
  /** It signs whatever it is shown. */
  signsAll?: boolean
  /** One bit of the signature is changed. */
  spoiled?: boolean
}

/**
 * A witness of https://c2sp.org/tlog-witness with a key of Ed25519 that follows from its seed. It cosigns a checkpoint whose
 * log begins with the one it has seen.
 */
export function createWitness({ name, seed, logs, now, seen, kept }: WitnessOptions) {
  const secret = sha256(`witness emulator: ${seed}`)
  const publicKey = ed25519.getPublicKey(secret)
  const idOf = (key: Uint8Array): Buffer => sha256(name, '\n', Uint8Array.of(0x04), key).subarray(0, 4)
  const vkey = `${name}+${idOf(publicKey).toString('hex')}+${Buffer.concat([Uint8Array.of(0x04), publicKey]).toString('base64')}`

  function cosign(body: string, { clock = 0, otherKey, spoiled }: Signing): string {
    const key = otherKey ? sha256(secret, 'another') : secret
    const time = Math.floor(now().getTime() / 1000) + clock
    const signature = Buffer.from(
      ed25519.sign(Buffer.from(`cosignature/v1\ntime ${time}\n${body}`, 'utf8'), key),
    )
    if (spoiled) signature[0]! ^= 1
    const stamp = Buffer.alloc(8)
    stamp.writeBigUInt64BE(BigInt(time))
    const line = Buffer.concat([idOf(publicKey), stamp, signature]).toString('base64')
    return `— ${name} ${line}\n`
  }

  /** Responds to `POST …/add-checkpoint`. */
  function addCheckpoint(request: string, signing: Signing = {}): Response {
    const split = request.indexOf('\n\n')
    const [oldLine = '', ...proofLines] = request.slice(0, split).split('\n')
    const note = request.slice(split + 2)
    const end = note.lastIndexOf('\n\n')
    const oldSize = /^old (.*)$/.exec(oldLine)?.[1] ?? ''
    if (split < 0 || end < 0 || !NUMBER.test(oldSize) || proofLines.length > 63)
      return refuse(400, 'expected an old size, a proof and a checkpoint')
    const body = note.slice(0, end + 1)
    const [origin = '', sizeText = '', rootText = ''] = body.split('\n')
    const [old, size, root] = [Number(oldSize), Number(sizeText), Buffer.from(rootText, 'base64')]
    if (!NUMBER.test(sizeText) || root.length !== 32) return refuse(400, 'expected a checkpoint')
    const log = logs.find((one) => one.origin === origin)
    if (!log) return refuse(404, `the log ${origin} is not known`)
    if (!isSigned(note.slice(end + 2), body, log)) return refuse(403, 'no signature of a known key')
    if (old > size) return refuse(400, 'the old size is above that of the checkpoint')
    const last = seen.get(origin) ?? { size: 0, root: sha256().toString('base64') }
    if (signing.signsAll) return { status: 200, body: cosign(body, signing) }
    if (old !== last.size) return conflict(last.size)
    if (old === size && rootText !== last.root) return conflict(last.size)
    const proof = proofLines.map((line) => Buffer.from(line, 'base64'))
    const first = Buffer.from(last.root, 'base64')
    if (!rootOfProof({ first, old, size, root, proof })) return refuse(422, 'the proof does not verify')
    seen.set(origin, { size, root: rootText })
    kept()
    return { status: 200, body: cosign(body, signing) }
  }

  return { name, vkey, addCheckpoint }
}

/** Whether a line is a signature of the log's key, in the format of https://c2sp.org/signed-note. */
function isSigned(lines: string, body: string, { keyName, publicKey }: KnownLog): boolean {
  const id = sha256(keyName, '\n', Uint8Array.of(0x01), publicKey).subarray(0, 4)
  return lines.split('\n').some((line) => {
    const [dash, name, base64 = ''] = line.split(' ')
    const bytes = Buffer.from(base64, 'base64')
    return (
      dash === '—' &&
      name === keyName &&
      bytes.length === 68 &&
      bytes.subarray(0, 4).equals(id) &&
      ed25519.verify(bytes.subarray(4), Buffer.from(body, 'utf8'), publicKey)
    )
  })
}

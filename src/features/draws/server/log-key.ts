import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { toText } from '#draw-protocol/bytes.ts'
import {
  type CheckpointBody,
  checkpointFile,
  checkpointText,
  keyIdOf,
  keyNameOf,
  signatureLine,
  verifierKeyText,
} from '#draw-protocol/checkpoints.ts'
import { sha256 } from './sha256.ts'

/** The key that signs the checkpoints of all logs of the shop. It signs in the name of a host. */
export interface LogKey {
  /** `NAME+KEYID+KEY`, as terms name it. */
  verifierKey: (host: string) => string
  /** A checkpoint as a signed note. */
  note: (host: string, body: CheckpointBody) => string
}

/** What precedes the seed of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_BYTES = 32

/** @param seed 64 hexadecimal digits */
export function logKeyOf(seed: string): LogKey {
  const secret = createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(seed, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = createPublicKey(secret)
    .export({ format: 'der', type: 'spki' })
    .subarray(-PUBLIC_KEY_BYTES)
  return {
    verifierKey: (host) => verifierKeyText(keyNameOf(host), publicKey, sha256),
    note(host, body) {
      const [name, text] = [keyNameOf(host), checkpointText(body)]
      const line = signatureLine(name, keyIdOf(name, publicKey, sha256), sign(null, text, secret))
      return toText(checkpointFile(text, [line]))
    },
  }
}

import { type Sha256, concatBytes, fromBase64, fromHex, toBase64, toBytes, toHex } from './bytes.ts'

/** What the holder of an entry knows besides its number. */
export interface EntrySecret {
  salt: Uint8Array
  ticketId: string
}

/** Hashed before the salt and the id. */
export const COMMITMENT_TAG = 'volant-commitment-v1'
const TAG = toBytes(COMMITMENT_TAG)

/** The commitment that stands in the log and the list. */
export const commitmentOf = ({ salt, ticketId }: EntrySecret, sha256: Sha256): Uint8Array =>
  sha256(concatBytes(TAG, salt, toBytes(ticketId)))

/** What a proof link says; the part after `#` never reaches a server. */
export interface ProofLink extends EntrySecret {
  number: number
  /** Of the terms under which the entry was issued: 64 hexadecimal digits. */
  termsHash: string
}

const base64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** `#NUMBER.SALT.ID.TERMS` */
export const proofFragment = ({ number, salt, ticketId, termsHash }: ProofLink): string =>
  `#${number}.${base64url(salt)}.${ticketId}.${base64url(fromHex(termsHash))}`

const FRAGMENT =
  /^#([1-9][0-9]{0,7})\.([A-Za-z0-9_-]{43})\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/

const bytesOf = (text: string): Uint8Array | null =>
  fromBase64(`${text.replaceAll('-', '+').replaceAll('_', '/')}=`)

/** Reads `#NUMBER.SALT.ID.TERMS`; null when it is anything else. */
export function parseProofFragment(fragment: string): ProofLink | null {
  const [, number, salt = '', ticketId = '', terms = ''] = FRAGMENT.exec(fragment) ?? []
  const [bytes, hash] = [bytesOf(salt), bytesOf(terms)]
  return number === undefined || bytes?.length !== 32 || hash?.length !== 32
    ? null
    : { number: Number(number), salt: bytes, ticketId, termsHash: toHex(hash) }
}

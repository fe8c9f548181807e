import { type Sha256, concatBytes, fromBase64, toBase64, toBytes } from './bytes.ts'

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
}

const base64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** `#NUMBER.SALT.ID` */
export const proofFragment = ({ number, salt, ticketId }: ProofLink): string =>
  `#${number}.${base64url(salt)}.${ticketId}`

const FRAGMENT =
  /^#([1-9][0-9]{0,7})\.([A-Za-z0-9_-]{43})\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** Reads `#NUMBER.SALT.ID`; null when it is anything else. */
export function parseProofFragment(fragment: string): ProofLink | null {
  const [, number, salt = '', ticketId = ''] = FRAGMENT.exec(fragment) ?? []
  const bytes = fromBase64(`${salt.replaceAll('-', '+').replaceAll('_', '/')}=`)
  return number === undefined || bytes?.length !== 32
    ? null
    : { number: Number(number), salt: bytes, ticketId }
}

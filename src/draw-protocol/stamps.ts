/** Time stamps of an authority (docs/draw-v1.md, section 6): the file of its certificates. `stamp-tokens.ts` reads the stamps. */
import { fromBase64, toBase64, toBytes } from './bytes.ts'
import { DrawFault } from './faults.ts'
import { linesOf } from './formats.ts'

/** Of `authority.pem`, and of a stamp. */
export const MOST_STAMP_BYTES = 65_536

/** A stamp that is right. */
export interface Stamp {
  /** Unix seconds; a fraction is cut off. */
  time: number
  /** What the certificate of the signer calls the authority: its organisation, else its common name; a short line, or none. */
  name: string
}

/** Whether stamps can be checked here: a browser has the functions for it on pages of a secure origin only. */
export const canCheckStamps = (): boolean => globalThis.crypto?.subtle !== undefined

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'
const WIDTH = 64

const blockOf = (certificate: Uint8Array): string[] => [
  BEGIN,
  ...(toBase64(certificate).match(new RegExp(`.{1,${WIDTH}}`, 'g')) ?? []),
  END,
]

/** `authority.pem`. @param certificates DER */
export const authorityFile = (certificates: readonly Uint8Array[]): Uint8Array =>
  toBytes(certificates.flatMap((one) => blockOf(one).map((line) => `${line}\n`)).join(''))

/** Reads `authority.pem`; throws a DrawFault. @returns the certificates, DER, whose own form nobody has looked at */
export function parseAuthority(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length > MOST_STAMP_BYTES) throw new DrawFault('file-large', 0, { most: MOST_STAMP_BYTES })
  const lines = linesOf(bytes)
  const certificates: Uint8Array[] = []
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf(END, at)
    const certificate = end < 0 ? null : fromBase64(lines.slice(at + 1, end).join(''))
    const block = certificate && certificate.length > 0 ? blockOf(certificate) : []
    const wrong = lines.slice(at, end < 0 ? at + 1 : end + 1).findIndex((line, of) => line !== block[of])
    if (!certificate || wrong >= 0) throw new DrawFault('certificate', at + Math.max(wrong, 0) + 1)
    certificates.push(certificate)
    at = end + 1
  }
  if (certificates.length === 0) throw new DrawFault('certificate', 1)
  return certificates
}

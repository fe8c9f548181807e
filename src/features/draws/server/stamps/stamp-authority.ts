/** The authority whose time stamps the terms of new draws name (docs/draw-v1.md, section 6). */
import { X509Certificate } from 'node:crypto'
import { MOST_STAMP_BYTES, authorityFile } from '#draw-protocol/stamps.ts'

export interface StampAuthority {
  /** Where it is asked. */
  url: string
  /** `authority.pem` */
  file: Uint8Array
  /** When the first of its certificates ends. */
  until: Date
}

/** P-256, P-384 and P-521, as OpenSSL calls them. */
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

const BLOCK = /-----BEGIN ([^-\r\n]+)-----([^-]*)-----END \1-----/g
const isMarked = (text: string): boolean => /-----(?:BEGIN|END) /.test(text)

/**
 * Reads certificates in PEM, with whatever stands between them.
 * @returns what is wrong, in English for the operator
 */
export function readAuthority(pem: string, url: string): StampAuthority | string {
  const blocks = [...pem.matchAll(BLOCK)]
  const other = blocks.find(([, type]) => type !== 'CERTIFICATE')
  if (other) return `a block "${other[1]}"`
  if (blocks.length === 0) return 'no certificate'
  if (isMarked(pem.replaceAll(BLOCK, ''))) return 'a certificate that is cut off'
  const certificates: X509Certificate[] = []
  for (const [at, [, , base64 = '']] of blocks.entries()) {
    try {
      const certificate = new X509Certificate(Buffer.from(base64, 'base64'))
      const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
      const { namedCurve = '' } = asymmetricKeyDetails ?? {}
      if (asymmetricKeyType !== 'rsa' && !CURVES.includes(namedCurve))
        return `a key that is neither RSA nor on P-256, P-384 or P-521 in block ${at + 1}`
      certificates.push(certificate)
    } catch {
      return `something else than a certificate in block ${at + 1}`
    }
  }
  const file = authorityFile(certificates.map(({ raw }) => raw))
  if (file.length > MOST_STAMP_BYTES) return `more than ${MOST_STAMP_BYTES} bytes of certificates`
  const ends = certificates.map(({ validTo }) => Date.parse(validTo))
  return { url, file, until: new Date(Math.min(...ends)) }
}

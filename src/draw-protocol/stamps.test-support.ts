/** An authority of time stamps with keys of its own, honest or not, for tests and for the vectors: the same bytes each time. */
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { sha256, sha384 } from '@noble/hashes/sha2.js'
import { concatBytes, fromHex, toBytes, toHex } from './bytes.ts'
import { authorityFile } from './stamps.ts'

/** What differs from an honest authority and its stamps. */
export interface AuthorityOptions {
  /** Whose keys it has. */
  name?: string
  /** From when to when its certificate is valid, in Unix seconds. */
  from?: number
  until?: number
  /** What its certificate is for: object identifiers. */
  purposes?: readonly string[]
  isCritical?: boolean
  /** Of the signer's key. */
  curve?: keyof typeof CURVES
  /** The bits of the first byte of `keyUsage`; without it there is none. */
  keyUsage?: number
  /** A critical extension of the signer's certificate that nobody knows. */
  isStrange?: boolean
  /** Whose certificate the signature names, and how. */
  names?: keyof typeof NAMES
  /** The hash under which the signature is made. */
  signedHash?: 'SHA-256' | 'SHA-384'
  /** What the content calls the authority; without it, nothing. */
  tsa?: string
  /** What the signature says that it is under. */
  contentType?: string
  status?: number
  version?: number
  /** Whose certificates `authority.pem` has: the root's, the signer's own, or both. */
  trusted?: 'root' | 'signer' | 'both'
  /** Another issuer between root and signer, and whether the root allows one. */
  between?: 'allowed' | 'forbidden'
  /** Whether a token holds the certificate of its signer. */
  hasCertificate?: boolean
  /** The time as it is written. */
  writeTime?: (time: Date) => string
  imprintAlgorithm?: string
  /** Changes the content once it is signed. */
  spoil?: (content: Uint8Array) => Uint8Array
  signers?: number
}

export interface Authority {
  /** `authority.pem` */
  file: Uint8Array
  certificates: Uint8Array[]
  /** A time stamp. @param hash hexadecimal @param time Unix seconds */
  stamp: (hash: string, time: number) => Uint8Array
}

const der = (tag: number, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = concatBytes(...parts)
  const { length } = content
  const size =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : length < 0x10000
          ? [0x82, length >> 8, length & 0xff]
          : [0x83, length >> 16, (length >> 8) & 0xff, length & 0xff]
  return concatBytes(Uint8Array.of(tag, ...size), content)
}
const sequence = (...parts: readonly Uint8Array[]): Uint8Array => der(0x30, ...parts)
const set = (...parts: readonly Uint8Array[]): Uint8Array =>
  der(0x31, ...parts.toSorted((a, b) => (toHex(a) < toHex(b) ? -1 : 1)))
const integer = (value: number): Uint8Array => der(0x02, Uint8Array.of(value))
const octets = (bytes: Uint8Array): Uint8Array => der(0x04, bytes)
const bits = (bytes: Uint8Array): Uint8Array => der(0x03, Uint8Array.of(0), bytes)
const isTrue = der(0x01, Uint8Array.of(0xff))

function oid(text: string): Uint8Array {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  const bytes = [first * 40 + second, ...others].flatMap((value) => {
    const digits = [value & 0x7f]
    for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f))
    return digits
  })
  return der(0x06, Uint8Array.from(bytes))
}

const SHA256 = '2.16.840.1.101.3.4.2.1'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const ECDSA = sequence(oid('1.2.840.10045.4.3.2'))
const ECDSA_384 = sequence(oid('1.2.840.10045.4.3.3'))
const CURVES = {
  'P-256': { curve: p256, id: '1.2.840.10045.3.1.7' },
  'P-384': { curve: p384, id: '1.3.132.0.34' },
  'P-521': { curve: p521, id: '1.3.132.0.35' },
  secp256k1: { curve: secp256k1, id: '1.3.132.0.10' },
} as const
const algorithm = (id: string): Uint8Array => sequence(oid(id))
const named = (organisation: string, name: string): Uint8Array =>
  sequence(
    set(sequence(oid('2.5.4.10'), der(0x0c, toBytes(organisation)))),
    set(sequence(oid('2.5.4.3'), der(0x0c, toBytes(name)))),
  )
const digitsOf = (time: Date): string => time.toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')
const generalized = (time: Date): string => `${digitsOf(time)}Z`
const utcTime = (seconds: number): Uint8Array =>
  der(0x17, toBytes(`${digitsOf(new Date(seconds * 1000)).slice(2)}Z`))

interface Key {
  secret: Uint8Array
  /** Of its owner, DER. */
  name: Uint8Array
  on: keyof typeof CURVES
}
function keyOf(organisation: string, name: string, on: Key['on'] = 'P-256'): Key {
  const seed = sha256(toBytes(`volant test: ${name} of ${organisation}`))
  const { lengths } = CURVES[on].curve
  const secret = concatBytes(new Uint8Array(lengths.secretKey! - seed.length), seed)
  return { secret, name: named(organisation, name), on }
}
const sign = (
  { secret, on }: Key,
  message: Uint8Array,
  hash: (bytes: Uint8Array) => Uint8Array = sha256,
): Uint8Array => CURVES[on].curve.sign(hash(message), secret, { format: 'der', prehash: false })

interface Certified {
  key: Key
  issuer: Key
  serial: number
  valid: readonly [from: number, until: number]
  extensions: readonly Uint8Array[]
}

const extension = (id: string, isCritical: boolean, value: Uint8Array): Uint8Array =>
  sequence(oid(id), ...(isCritical ? [isTrue] : []), octets(value))

function certificate({ key, issuer, serial, valid, extensions }: Certified): Uint8Array {
  const { curve, id } = CURVES[key.on]
  const point = curve.getPublicKey(key.secret, false)
  const body = sequence(
    der(0xa0, integer(2)),
    integer(serial),
    ECDSA,
    issuer.name,
    sequence(...valid.map(utcTime)),
    key.name,
    sequence(sequence(oid('1.2.840.10045.2.1'), oid(id)), bits(point)),
    der(0xa3, sequence(...extensions)),
  )
  return sequence(body, ECDSA, bits(sign(issuer, body)))
}

/** Extensions of whoever issues certificates. @param most how many others between */
const ofIssuer = (most?: number): Uint8Array[] => [
  extension('2.5.29.19', true, sequence(isTrue, ...(most === undefined ? [] : [integer(most)]))),
  // keyCertSign and cRLSign.
  extension('2.5.29.15', true, der(0x03, Uint8Array.of(1, 0x06))),
]

const attribute = (id: string, value: Uint8Array): Uint8Array => sequence(oid(id), set(value))
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12'
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47'
/** An attribute that names certificates by the parts of each name. */
const naming = (id: string, ...names: readonly Uint8Array[][]): Uint8Array =>
  attribute(id, sequence(sequence(...names.map((parts) => sequence(...parts)))))
const byHash = (certificate: Uint8Array): Uint8Array[] => [octets(sha256(certificate))]
const bySha1 = (certificate: Uint8Array): Uint8Array[] => [octets(sha1(certificate))]
interface Named {
  own: Uint8Array
  root: Uint8Array
  /** The root's name. */
  issuer: Uint8Array
}
const second = (...names: readonly Uint8Array[][]): Uint8Array => naming(SIGNING_CERTIFICATE_V2, ...names)
const issued = (issuer: Uint8Array, serial: number): Uint8Array =>
  sequence(sequence(der(0xa4, issuer)), integer(serial))
/** Attributes of a signature that name the certificate of its signer, or do not. */
const NAMES = {
  own: ({ own }: Named) => [second(byHash(own))],
  other: ({ root }: Named) => [second(byHash(root))],
  none: () => [],
  'own by SHA-1': ({ own }: Named) => [naming(SIGNING_CERTIFICATE, bySha1(own))],
  'own by SHA-1 in the second attribute': ({ own }: Named) => [
    second([algorithm('1.3.14.3.2.26'), ...bySha1(own)]),
  ],
  'other in the first attribute': ({ own, root }: Named) => [
    naming(SIGNING_CERTIFICATE, bySha1(root)),
    second(byHash(own)),
  ],
  'own and the root': ({ own, root }: Named) => [second(byHash(own), byHash(root))],
  'own and a stranger': ({ own }: Named) => [second(byHash(own), byHash(toBytes('stranger')))],
  'own with its serial number': ({ own, issuer }: Named) => [
    second([...byHash(own), issued(issuer, SIGNER_SERIAL)]),
  ],
  'own with another serial number': ({ own, issuer }: Named) => [
    second([...byHash(own), issued(issuer, SIGNER_SERIAL + 1)]),
  ],
}

const FROM = Date.UTC(2020, 0, 1) / 1000
const UNTIL = Date.UTC(2045, 0, 1) / 1000
const SIGNER_SERIAL = 2

/** An authority with a root and a signer. */
export function authorityOf({
  name = 'Horodatage Nord',
  from = FROM,
  until = UNTIL,
  purposes = [TIME_STAMPING],
  isCritical = true,
  curve = 'P-256',
  keyUsage,
  isStrange = false,
  names = 'own',
  signedHash = 'SHA-256',
  tsa,
  contentType = TST_INFO,
  status = 0,
  version = 1,
  trusted = 'root',
  between,
  hasCertificate = true,
  writeTime = generalized,
  imprintAlgorithm = SHA256,
  spoil = (content) => content,
  signers = 1,
}: AuthorityOptions = {}): Authority {
  const [root, signer] = [keyOf(name, 'Root'), keyOf(name, 'Stamps', curve)]
  const issuer = between ? keyOf(name, 'Issuer') : root
  const rootCertificate = certificate({
    key: root,
    issuer: root,
    serial: 1,
    valid: [FROM, UNTIL],
    extensions: ofIssuer(between === 'forbidden' ? 0 : undefined),
  })
  const issuerCertificate = certificate({
    key: issuer,
    issuer: root,
    serial: 3,
    valid: [FROM, UNTIL],
    extensions: ofIssuer(),
  })
  const signerCertificate = certificate({
    key: signer,
    issuer,
    serial: SIGNER_SERIAL,
    valid: [from, until],
    extensions: [
      extension('2.5.29.37', isCritical, sequence(...purposes.map(oid))),
      ...(keyUsage === undefined
        ? []
        : [extension('2.5.29.15', true, der(0x03, Uint8Array.of(0, keyUsage)))]),
      ...(isStrange ? [extension('1.2.3.4', true, integer(1))] : []),
    ],
  })
  const certificates = {
    root: [rootCertificate],
    signer: [signerCertificate],
    both: [signerCertificate, rootCertificate],
  }[trusted]
  const stamp = (hash: string, time: number): Uint8Array => {
    const content = sequence(
      integer(version),
      oid('1.2.3.4.1'),
      sequence(algorithm(imprintAlgorithm), octets(fromHex(hash))),
      integer(time % 128),
      der(0x18, toBytes(writeTime(new Date(time * 1000)))),
      ...(tsa === undefined ? [] : [der(0xa0, der(0xa4, named(tsa, 'Stamps')))]),
    )
    const attributes = [
      attribute('1.2.840.113549.1.9.3', oid(contentType)),
      attribute('1.2.840.113549.1.9.4', octets(sha256(content))),
      ...NAMES[names]({ own: signerCertificate, root: rootCertificate, issuer: issuer.name }),
    ]
    const signed = set(...attributes)
    const signerInfo = sequence(
      integer(1),
      sequence(issuer.name, integer(SIGNER_SERIAL)),
      algorithm(SHA256),
      // The same set under another tag.
      concatBytes(Uint8Array.of(0xa0), signed.subarray(1)),
      ...(signedHash === 'SHA-256'
        ? [ECDSA, octets(sign(signer, signed))]
        : [ECDSA_384, octets(sign(signer, signed, sha384))]),
    )
    const token = sequence(
      integer(3),
      set(algorithm(SHA256)),
      sequence(oid(TST_INFO), der(0xa0, octets(spoil(content)))),
      ...(hasCertificate ? [der(0xa0, signerCertificate, ...(between ? [issuerCertificate] : []))] : []),
      der(0x31, ...Array.from({ length: signers }, () => signerInfo)),
    )
    return sequence(sequence(integer(status)), sequence(oid('1.2.840.113549.1.7.2'), der(0xa0, token)))
  }
  return { file: authorityFile(certificates), certificates, stamp }
}

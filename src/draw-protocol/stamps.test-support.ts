/** An authority of time stamps with keys of its own, honest or not, for tests and for the vectors: the same bytes each time. */
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
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
  /** Whose certificate the signature names. */
  names?: 'own' | 'other' | 'none'
  /** What the signature says that it is under. */
  contentType?: string
  status?: number
  version?: number
  /** Whose certificates `authority.pem` has: the root's, or the signer's own. */
  trusted?: 'root' | 'signer'
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
}
const keyOf = (organisation: string, name: string): Key => ({
  secret: sha256(toBytes(`volant test: ${name} of ${organisation}`)),
  name: named(organisation, name),
})
const sign = ({ secret }: Key, message: Uint8Array): Uint8Array =>
  p256.sign(message, secret, { format: 'der' })

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
  const point = p256.getPublicKey(key.secret, false)
  const body = sequence(
    der(0xa0, integer(2)),
    integer(serial),
    ECDSA,
    issuer.name,
    sequence(...valid.map(utcTime)),
    key.name,
    sequence(sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7')), bits(point)),
    der(0xa3, sequence(...extensions)),
  )
  return sequence(body, ECDSA, bits(sign(issuer, body)))
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
  names = 'own',
  contentType = TST_INFO,
  status = 0,
  version = 1,
  trusted = 'root',
  hasCertificate = true,
  writeTime = generalized,
  imprintAlgorithm = SHA256,
  spoil = (content) => content,
  signers = 1,
}: AuthorityOptions = {}): Authority {
  const [root, signer] = [keyOf(name, 'Root'), keyOf(name, 'Stamps')]
  const rootCertificate = certificate({
    key: root,
    issuer: root,
    serial: 1,
    valid: [FROM, UNTIL],
    extensions: [
      extension('2.5.29.19', true, sequence(isTrue)),
      // keyCertSign and cRLSign.
      extension('2.5.29.15', true, der(0x03, Uint8Array.of(1, 0x06))),
    ],
  })
  const signerCertificate = certificate({
    key: signer,
    issuer: root,
    serial: SIGNER_SERIAL,
    valid: [from, until],
    extensions: [extension('2.5.29.37', isCritical, sequence(...purposes.map(oid)))],
  })
  const certificates = [trusted === 'root' ? rootCertificate : signerCertificate]
  const attribute = (id: string, value: Uint8Array): Uint8Array => sequence(oid(id), set(value))
  const stamp = (hash: string, time: number): Uint8Array => {
    const content = sequence(
      integer(version),
      oid('1.2.3.4.1'),
      sequence(algorithm(imprintAlgorithm), octets(fromHex(hash))),
      integer(time % 128),
      der(0x18, toBytes(writeTime(new Date(time * 1000)))),
    )
    const isOf = sha256(names === 'own' ? signerCertificate : rootCertificate)
    const attributes = [
      attribute('1.2.840.113549.1.9.3', oid(contentType)),
      attribute('1.2.840.113549.1.9.4', octets(sha256(content))),
      ...(names === 'none'
        ? []
        : [attribute('1.2.840.113549.1.9.16.2.47', sequence(sequence(sequence(octets(isOf)))))]),
    ]
    const signed = set(...attributes)
    const signerInfo = sequence(
      integer(1),
      sequence(root.name, integer(SIGNER_SERIAL)),
      algorithm(SHA256),
      // The same set under another tag.
      concatBytes(Uint8Array.of(0xa0), signed.subarray(1)),
      ECDSA,
      octets(sign(signer, signed)),
    )
    const token = sequence(
      integer(3),
      set(algorithm(SHA256)),
      sequence(oid(TST_INFO), der(0xa0, octets(spoil(content)))),
      ...(hasCertificate ? [der(0xa0, signerCertificate)] : []),
      der(0x31, ...Array.from({ length: signers }, () => signerInfo)),
    )
    return sequence(sequence(integer(status)), sequence(oid('1.2.840.113549.1.7.2'), der(0xa0, token)))
  }
  return { file: authorityFile(certificates), certificates, stamp }
}

import { createPublicKey, generateKeyPair, type KeyObject, randomBytes, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { randomHex } from './ids.ts'
import type { SigningKey } from './model.ts'

const signAsync = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>

/** What PayPal signs: `transmissionId|time|webhookId|crc32(raw body, decimal)`. */
export const signedText = (transmission: string, at: string, webhookId: string, body: string): string =>
  `${transmission}|${at}|${webhookId}|${crc32(body)}`

/** RSA-SHA256 in base64, made off the main thread. */
export async function signText(text: string, key: KeyObject): Promise<string> {
  return (await signAsync('sha256', Buffer.from(text), key)).toString('base64')
}

export const isSigned = (text: string, signature: string, certificatePem: string): boolean =>
  verify('sha256', Buffer.from(text), createPublicKey(certificatePem), Buffer.from(signature, 'base64'))

// Just enough DER to write one certificate (X.690).

function header(tag: number, length: number): Buffer {
  if (length < 128) return Buffer.from([tag, length])
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes])
}

const wrap = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([header(tag, content.length), content])
}

const sequence = (...parts: Buffer[]): Buffer => wrap(0x30, ...parts)
const set = (...parts: Buffer[]): Buffer => wrap(0x31, ...parts)
const octets = (content: Buffer): Buffer => wrap(0x04, content)
const utf8 = (text: string): Buffer => wrap(0x0c, Buffer.from(text))
const truth = (value: boolean): Buffer => wrap(0x01, Buffer.from([value ? 0xff : 0]))
const nothing = (): Buffer => wrap(0x05)
const tagged = (number: number, content: Buffer): Buffer => wrap(0xa0 | number, content)
const bits = (content: Buffer, unused = 0): Buffer => wrap(0x03, Buffer.from([unused]), content)

/** A positive integer from its big-endian bytes. */
function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const short = first === -1 ? Buffer.from([0]) : bytes.subarray(first)
  return (short[0] ?? 0) & 0x80 ? wrap(0x02, Buffer.from([0]), short) : wrap(0x02, short)
}

/** An object identifier such as `2.5.4.3`. */
function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const groups = [part & 0x7f]
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return wrap(0x06, Buffer.from(bytes))
}

/** UTCTime until 2049, GeneralizedTime after, as X.509 asks. */
function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return at.getUTCFullYear() < 2050
    ? wrap(0x17, Buffer.from(digits.slice(2)))
    : wrap(0x18, Buffer.from(digits))
}

const sha256WithRsa = sequence(objectId('1.2.840.113549.1.1.11'), nothing())
const name = (commonName: string) => sequence(set(sequence(objectId('2.5.4.3'), utf8(commonName))))
const day = 86_400_000

/** A fresh RSA key with a self-signed X.509 v3 certificate, valid for ten years from `now`. */
export async function createSigningKey(now: Date): Promise<SigningKey> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const holder = name('PayPal emulator, local tests only')
  const extension = (id: string, value: Buffer) => sequence(objectId(id), truth(true), octets(value))
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    sha256WithRsa,
    holder,
    sequence(time(new Date(now.getTime() - day)), time(new Date(now.getTime() + 3650 * day))),
    holder,
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      3,
      sequence(
        extension('2.5.29.19', sequence(truth(true))),
        // keyUsage: digitalSignature and keyCertSign, the two bits 0 and 5.
        extension('2.5.29.15', bits(Buffer.from([0b1000_0100]), 2)),
      ),
    ),
  )
  const certificate = sequence(body, sha256WithRsa, bits(sign('sha256', body, pair.privateKey)))
  return {
    id: `CERT-${randomHex(16)}`,
    privatePem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: toPem(certificate),
  }
}

const toPem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`

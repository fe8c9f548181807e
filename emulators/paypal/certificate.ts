import { createPrivateKey, generateKeyPair, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { bits, integer, nothing, objectId, octets, sequence, set, tagged, time, truth, utf8 } from './der.ts'
import { randomHex } from './ids.ts'
import type { SigningKey } from './model.ts'

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

export const privateKeyOf = (key: SigningKey) => createPrivateKey(key.privatePem)

import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'

const signAsync = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>

/** What PayPal signs: `transmissionId|time|webhookId|crc32(raw body, decimal)`. */
export const signedText = (transmission: string, at: string, webhookId: string, body: string): string =>
  `${transmission}|${at}|${webhookId}|${crc32(body)}`

/** RSA-SHA256 in base64, made off the main thread. */
export async function signText(text: string, key: KeyObject): Promise<string> {
  return (await signAsync('sha256', Buffer.from(text), key)).toString('base64')
}

export function isSigned(text: string, signature: string, certificatePem: string): boolean {
  return verify(
    'sha256',
    Buffer.from(text),
    createPublicKey(certificatePem),
    Buffer.from(signature, 'base64'),
  )
}

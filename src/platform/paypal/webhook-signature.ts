import { createVerify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { systemClock } from '#shared/clock.ts'
import { webhookCertificates } from './webhook-certificates.ts'

export interface WebhookSettings {
  /** Id of the webhook at PayPal; part of what is signed, so that another shop's notifications do not pass. */
  webhookId: string
  /** REST address of the provider: certificates are taken from its host only. */
  baseUrl: string
  timeoutMs: number
}

/** The signature headers of a notification, by lower-case name. */
export type SignatureHeaders = Record<string, string | string[] | undefined>

/** Whether a notification is genuine, from its headers, its raw body and the IP address it came from. */
export type VerifyNotification = (headers: SignatureHeaders, raw: Buffer, sender: string) => Promise<boolean>

/** Where PayPal keeps its certificates. */
const CERTIFICATE_PATH = /^\/v1\/notifications\/certs\/CERT-[\w-]{1,100}$/

/** A signature of an RSA key of 2048 to 4096 bits, as base64: 256 to 512 bytes. */
const SIGNATURE = /^[A-Za-z\d+/]{340,684}={0,2}$/

/**
 * Makes the check of PayPal's webhook signatures: RSA-SHA256 over `id|time|webhook id|crc32(body)` with a certificate
 * from the provider's own host.
 * Whatever can be told from the headers alone is refused before a certificate is asked for.
 * @returns function from headers, the raw body and the sender's IP address to whether the notification is genuine;
 * throws ProviderUnknown when the certificate cannot be fetched, so that the provider sends the notification again
 */
export function webhookVerifier(settings: WebhookSettings): VerifyNotification {
  const certificates = webhookCertificates(settings.timeoutMs)

  return async (headers, raw, sender) => {
    const read = signatureOf(headers)
    if (!read || !isProviderAddress(read.certUrl, settings.baseUrl)) return false

    const found = await certificates.get(read.certUrl, sender)
    if (!found) return false
    const now = systemClock()
    if (now < found.validFromDate || now > found.validToDate) return false
    const signed = `${read.id}|${read.time}|${settings.webhookId}|${crc32(raw)}`
    const isGenuine = createVerify('RSA-SHA256')
      .update(signed)
      .verify(found.publicKey, read.signature, 'base64')
    if (isGenuine) certificates.keep(read.certUrl, found)
    return isGenuine
  }
}

/** Longest header that is looked at; real ones are a few hundred characters. */
const HEADER_MAX = 2_000

/** The five signature headers; undefined when one is missing or not of the form that PayPal's have. */
function signatureOf(
  headers: SignatureHeaders,
): Record<'id' | 'time' | 'signature' | 'certUrl', string> | undefined {
  const read = (name: string): string => {
    const value = headers[name]
    return typeof value === 'string' && value.length <= HEADER_MAX ? value : ''
  }
  if (read('paypal-auth-algo') !== 'SHA256withRSA') return undefined
  const found = {
    id: read('paypal-transmission-id'),
    time: read('paypal-transmission-time'),
    signature: read('paypal-transmission-sig'),
    certUrl: read('paypal-cert-url'),
  }
  return SIGNATURE.test(found.signature) && Object.values(found).every((value) => value !== '')
    ? found
    : undefined
}

/**
 * Whether an address is one of the provider's certificates: for PayPal on any https host below paypal.com, otherwise of
 * the very same origin.
 */
export function isProviderAddress(address: string, baseUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const [url, base] = [new URL(address), new URL(baseUrl)]
  if (url.username || url.password || url.search || !CERTIFICATE_PATH.test(url.pathname)) return false
  if (/(^|\.)paypal\.com$/.test(base.hostname)) {
    return url.protocol === 'https:' && url.port === '' && /(^|\.)paypal\.com$/.test(url.hostname)
  }
  return url.origin === base.origin
}

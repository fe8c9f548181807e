import { X509Certificate, createVerify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { ProviderUnknown } from './faults.ts'

export interface WebhookSettings {
  /** Id of the webhook at PayPal; part of what is signed, so that another shop's notifications do not pass. */
  webhookId: string
  /** REST address of the provider: certificates are taken from its host only. */
  baseUrl: string
  timeoutMs: number
}

/** The signature headers of a notification, by lower-case name. */
export type SignatureHeaders = Record<string, string | string[] | undefined>

/** A certificate is a few kilobytes; more is not one. */
const CERTIFICATE_MAX_BYTES = 64 * 1024

/**
 * Makes the check of PayPal's webhook signatures: RSA-SHA256 over `id|time|webhook id|crc32(body)` with a certificate
 * from the provider's own host.
 * @returns function from headers and the raw body to whether the notification is genuine; throws ProviderUnknown when
 * the certificate cannot be fetched, so that the provider sends the notification again
 */
export function webhookVerifier(settings: WebhookSettings): (headers: SignatureHeaders, raw: Buffer) => Promise<boolean> {
  const certificates = new Map<string, Promise<X509Certificate>>()

  async function fetchCertificate(url: string): Promise<X509Certificate> {
    try {
      const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(settings.timeoutMs) })
      if (!response.ok) throw new Error(`answered ${response.status}`)
      const pem = Buffer.from(await response.arrayBuffer())
      if (pem.length > CERTIFICATE_MAX_BYTES) throw new Error('too large')
      return new X509Certificate(pem)
    } catch (cause) {
      certificates.delete(url)
      throw new ProviderUnknown('webhook certificate', { cause })
    }
  }

  function certificate(url: string): Promise<X509Certificate> {
    const known = certificates.get(url)
    if (known) return known
    const fetched = fetchCertificate(url)
    certificates.set(url, fetched)
    return fetched
  }

  return async (headers, raw) => {
    const [id, time, signature, certUrl, algorithm] = [
      'paypal-transmission-id',
      'paypal-transmission-time',
      'paypal-transmission-sig',
      'paypal-cert-url',
      'paypal-auth-algo',
    ].map((name) => headers[name])
    if (![id, time, signature, certUrl].every((one) => typeof one === 'string' && one.length < 2_000)) return false
    if (algorithm !== 'SHA256withRSA' || !isProviderAddress(certUrl as string, settings.baseUrl)) return false

    const found = await certificate(certUrl as string)
    const now = new Date()
    if (now < found.validFromDate || now > found.validToDate) return false
    const signed = `${id}|${time}|${settings.webhookId}|${crc32(raw)}`
    return createVerify('RSA-SHA256').update(signed).verify(found.publicKey, signature as string, 'base64')
  }
}

/** Whether an address is on the provider's own host: for PayPal any https host below paypal.com, otherwise the very same origin. */
export function isProviderAddress(address: string, baseUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const [url, base] = [new URL(address), new URL(baseUrl)]
  if (url.username || url.password) return false
  if (/(^|\.)paypal\.com$/.test(base.hostname)) {
    return url.protocol === 'https:' && url.port === '' && /(^|\.)paypal\.com$/.test(url.hostname)
  }
  return url.origin === base.origin
}

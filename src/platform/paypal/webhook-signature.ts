import { X509Certificate, createVerify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { nowMs, systemClock } from '#shared/clock.ts'
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

/** Certificates that are kept; PayPal uses one or two at a time. */
const CERTIFICATES_MAX = 20

/**
 * Unknown certificates that are asked for within a minute: anybody may send us addresses, and none of them shall have
 * us run PayPal over. Beyond that a notification waits until PayPal sends it again.
 */
const FETCHES_A_MINUTE = 10
const MINUTE_MS = 60_000

/** Where PayPal keeps its certificates. */
const CERTIFICATE_PATH = /^\/v1\/notifications\/certs\/[\w-]{1,100}$/

/**
 * Makes the check of PayPal's webhook signatures: RSA-SHA256 over `id|time|webhook id|crc32(body)` with a certificate
 * from the provider's own host.
 * @returns function from headers and the raw body to whether the notification is genuine; throws ProviderUnknown when
 * the certificate cannot be fetched, so that the provider sends the notification again
 */
export function webhookVerifier(
  settings: WebhookSettings,
): (headers: SignatureHeaders, raw: Buffer) => Promise<boolean> {
  const certificates = new Map<string, Promise<X509Certificate | undefined>>()
  let asked = { sinceMs: 0, times: 0 }

  /** Counts a fetch. @throws ProviderUnknown when there were too many of late */
  function countFetch(): void {
    if (nowMs() - asked.sinceMs >= MINUTE_MS) asked = { sinceMs: nowMs(), times: 0 }
    asked.times += 1
    if (asked.times > FETCHES_A_MINUTE) throw new ProviderUnknown('too many unknown webhook certificates')
  }

  async function fetchCertificate(url: string): Promise<X509Certificate | undefined> {
    try {
      const response = await fetch(url, {
        redirect: 'error',
        signal: AbortSignal.timeout(settings.timeoutMs),
      })
      if (response.status === 404) {
        certificates.delete(url)
        return undefined
      }
      if (!response.ok) throw new Error(`answered ${response.status}`)
      const pem = Buffer.from(await response.arrayBuffer())
      if (pem.length > CERTIFICATE_MAX_BYTES) throw new Error('too large')
      return new X509Certificate(pem)
    } catch (cause) {
      certificates.delete(url)
      throw new ProviderUnknown('webhook certificate', { cause })
    }
  }

  function certificate(url: string): Promise<X509Certificate | undefined> {
    const known = certificates.get(url)
    if (known) return known
    countFetch()
    const [oldest] = certificates.keys()
    if (oldest !== undefined && certificates.size >= CERTIFICATES_MAX) certificates.delete(oldest)
    const fetched = fetchCertificate(url)
    certificates.set(url, fetched)
    return fetched
  }

  return async (headers, raw) => {
    const read = signatureOf(headers)
    if (!read || !isProviderAddress(read.certUrl, settings.baseUrl)) return false

    const found = await certificate(read.certUrl)
    if (!found) return false
    const now = systemClock()
    if (now < found.validFromDate || now > found.validToDate) return false
    const signed = `${read.id}|${read.time}|${settings.webhookId}|${crc32(raw)}`
    return createVerify('RSA-SHA256').update(signed).verify(found.publicKey, read.signature, 'base64')
  }
}

/** Longest header that is looked at; real ones are a few hundred characters. */
const HEADER_MAX = 2_000

/** The five signature headers; undefined when one is missing or the algorithm is not the one PayPal uses. */
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
  return Object.values(found).every((value) => value !== '') ? found : undefined
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

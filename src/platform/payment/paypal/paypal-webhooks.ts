import { X509Certificate, createVerify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { readAtMost } from '#platform/http/read-at-most.ts'
import { siteOf } from '#platform/limits/network-address.ts'
import { nowMs, systemClock } from '#shared/clock.ts'
import { type NotificationHeaders, type ProviderNotifications, ProviderUnknown } from '../payment-provider.ts'
import { readNotification } from './paypal-provider.ts'

export interface WebhookSettings {
  /** Part of what is signed, so that another shop's notifications do not pass. */
  webhookId: string
  /** Certificates are taken from this host only. */
  baseUrl: string
  timeoutMs: number
}

const CERTIFICATE_PATH = /^\/v1\/notifications\/certs\/CERT-[\w-]{1,100}$/

/** Base64 of 256 to 512 bytes: RSA keys of 2048 to 4096 bits. */
const SIGNATURE = /^[A-Za-z\d+/]{340,684}={0,2}$/

/** Verifies RSA-SHA256 of `id|time|webhook id|crc32(body)`. Fetches the certificate only for plausible headers. */
export function webhookVerifier(settings: WebhookSettings): ProviderNotifications['verify'] {
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

/** Real headers have a few hundred characters. */
const HEADER_MAX = 2_000

function signatureOf(
  headers: NotificationHeaders,
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

/** Whether it is a certificate's address: https below paypal.com, or the origin of `baseUrl`. */
export function isProviderAddress(address: string, baseUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const [url, base] = [new URL(address), new URL(baseUrl)]
  if (url.username || url.password || url.search || !CERTIFICATE_PATH.test(url.pathname)) return false
  if (/(^|\.)paypal\.com$/.test(base.hostname)) {
    return url.protocol === 'https:' && url.port === '' && /(^|\.)paypal\.com$/.test(url.hostname)
  }
  return url.origin === base.origin
}

export const paypalNotifications = (settings: WebhookSettings): ProviderNotifications => ({
  verify: webhookVerifier(settings),
  read: readNotification,
})

const CERTIFICATE_MAX_BYTES = 64 * 1024

/** PayPal uses one or two certificates at a time. */
const PROVEN_MAX = 20

/** Fetches a minute, by network and in all: anybody may send addresses. */
const FETCHES_A_MINUTE = { network: 5, all: 60 }
const MINUTE_MS = 60_000

export function webhookCertificates(timeoutMs: number) {
  const proven = new Map<string, X509Certificate>()
  /** Certificates, or running fetches, that have not yet verified a notification. */
  const unproven = new Map<string, Promise<X509Certificate | undefined>>()
  let asked = { sinceMs: 0, times: 0, byNetwork: new Map<string, number>() }

  /** @throws ProviderUnknown after too many fetches */
  function countFetch(sender: string): void {
    if (nowMs() - asked.sinceMs >= MINUTE_MS) asked = { sinceMs: nowMs(), times: 0, byNetwork: new Map() }
    const network = siteOf(sender)
    const times = asked.byNetwork.get(network) ?? 0
    if (times >= FETCHES_A_MINUTE.network || asked.times >= FETCHES_A_MINUTE.all)
      throw new ProviderUnknown('too many unknown webhook certificates')
    asked.times += 1
    asked.byNetwork.set(network, times + 1)
  }

  async function fetchCertificate(url: string): Promise<X509Certificate | undefined> {
    try {
      const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
      if (response.status === 404) {
        unproven.delete(url)
        return undefined
      }
      if (!response.ok) throw new Error(`answered ${response.status}`)
      const pem = await readAtMost(response, CERTIFICATE_MAX_BYTES)
      if (!pem) throw new Error('too large')
      return new X509Certificate(pem)
    } catch (cause) {
      unproven.delete(url)
      throw new ProviderUnknown('webhook certificate', { cause })
    }
  }

  return {
    /** @returns undefined when it does not exist @throws ProviderUnknown when it cannot be fetched */
    async get(url: string, sender: string): Promise<X509Certificate | undefined> {
      const known = proven.get(url) ?? unproven.get(url)
      if (known) return known
      countFetch(sender)
      dropOldest(unproven, FETCHES_A_MINUTE.all)
      const fetched = fetchCertificate(url)
      unproven.set(url, fetched)
      return fetched
    },

    /** Keeps a certificate that has verified a notification: forgeries cannot evict it. */
    keep(url: string, certificate: X509Certificate): void {
      if (proven.has(url)) return
      dropOldest(proven, PROVEN_MAX)
      proven.set(url, certificate)
      unproven.delete(url)
    },
  }
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  const [oldest] = map.keys()
  if (oldest !== undefined && map.size >= max) map.delete(oldest)
}

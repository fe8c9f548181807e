import { X509Certificate, createVerify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { networkOf } from '#platform/limits/network-address.ts'
import { nowMs, systemClock } from '#shared/clock.ts'
import { type NotificationHeaders, type ProviderNotifications, ProviderUnknown } from '../payment-provider.ts'
import { readNotification } from './paypal-provider.ts'

export interface WebhookSettings {
  /** Id of the webhook at PayPal; part of what is signed, so that another shop's notifications do not pass. */
  webhookId: string
  /** REST address of the provider: certificates are taken from its host only. */
  baseUrl: string
  timeoutMs: number
}

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

/** Longest header that is looked at; real ones are a few hundred characters. */
const HEADER_MAX = 2_000

/** The five signature headers; undefined when one is missing or not of the form that PayPal's have. */
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

/** The notifications of PayPal. */
export const paypalNotifications = (settings: WebhookSettings): ProviderNotifications => ({
  verify: webhookVerifier(settings),
  read: readNotification,
})

/** A certificate is a few kilobytes; more is not one. */
const CERTIFICATE_MAX_BYTES = 64 * 1024

/** Certificates that are kept once they have shown a notification to be genuine; PayPal uses one or two at a time. */
const PROVEN_MAX = 20

/**
 * Unknown certificates that are asked for within a minute: anybody may send us addresses, and none of them shall have
 * us run PayPal over. The count of a network keeps one forger from using up what PayPal's own senders need. Beyond
 * them a notification waits until PayPal sends it again.
 */
const FETCHES_A_MINUTE = { network: 5, all: 60 }
const MINUTE_MS = 60_000

/**
 * Keeps PayPal's certificates and fetches those it does not know, counting by sender and in all.
 * @param timeoutMs that one fetch may take
 */
export function webhookCertificates(timeoutMs: number) {
  const proven = new Map<string, X509Certificate>()
  /** Fetched or on their way, and not yet more than an address that somebody sent. */
  const unproven = new Map<string, Promise<X509Certificate | undefined>>()
  let asked = { sinceMs: 0, times: 0, byNetwork: new Map<string, number>() }

  /** Counts a fetch. @throws ProviderUnknown, uncounted, when there were too many of late */
  function countFetch(sender: string): void {
    if (nowMs() - asked.sinceMs >= MINUTE_MS) asked = { sinceMs: nowMs(), times: 0, byNetwork: new Map() }
    const network = networkOf(sender)
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
      const pem = Buffer.from(await response.arrayBuffer())
      if (pem.length > CERTIFICATE_MAX_BYTES) throw new Error('too large')
      return new X509Certificate(pem)
    } catch (cause) {
      unproven.delete(url)
      throw new ProviderUnknown('webhook certificate', { cause })
    }
  }

  return {
    /**
     * @param url of a certificate, on the provider's host
     * @param sender IP address that named it
     * @returns undefined when the provider has none there
     * @throws ProviderUnknown when it cannot be fetched, or too many were asked for
     */
    async get(url: string, sender: string): Promise<X509Certificate | undefined> {
      const known = proven.get(url) ?? unproven.get(url)
      if (known) return known
      countFetch(sender)
      dropOldest(unproven, FETCHES_A_MINUTE.all)
      const fetched = fetchCertificate(url)
      unproven.set(url, fetched)
      return fetched
    },

    /** Keeps a certificate that has shown a notification to be genuine, where no forgery takes its place. */
    keep(url: string, certificate: X509Certificate): void {
      if (proven.has(url)) return
      dropOldest(proven, PROVEN_MAX)
      proven.set(url, certificate)
      unproven.delete(url)
    },
  }
}

/** Makes room for one more. */
function dropOldest(map: Map<string, unknown>, max: number): void {
  const [oldest] = map.keys()
  if (oldest !== undefined && map.size >= max) map.delete(oldest)
}

import { X509Certificate } from 'node:crypto'
import { networkOf } from '#platform/limits/network-address.ts'
import { nowMs } from '#shared/clock.ts'
import { ProviderUnknown } from './faults.ts'

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

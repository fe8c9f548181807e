import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { type SecretKeys, acceptedSecrets, isSame, keyedHash } from '#platform/keyed-hashes.ts'
import { isInnerAddress } from '#platform/limits/network-address.ts'
import { nowMs } from '#shared/clock.ts'
import type { Config } from '../config.ts'
import { type Check, type Finding, fault, ok, reasonOf, skipped, warning } from './findings.ts'

const DAY_MS = 86_400_000
/** A certificate that renews itself a month before its end is late by then. */
const SOON_DAYS = 21
const LAST_DAYS = 4
const RESPONSE_MS = 5_000

interface Trust {
  /** Certificates that are trusted instead of the system's. */
  ca?: string
  now?: () => number
}

/** The certificate at PUBLIC_URL: whether browsers trust it, and for how long. */
export const certificateCheck =
  ({ publicUrl }: Pick<Config, 'publicUrl'>, { ca, now = nowMs }: Trust = {}): Check =>
  async () => {
    const { protocol, hostname, port } = new URL(publicUrl)
    if (protocol !== 'https:') return skipped('plain')
    const host = hostname.replace(/^\[|\]$/g, '')
    const socket = connect({
      host,
      port: Number(port || 443),
      ...(isIP(host) === 0 && { servername: host }),
      // Told apart below; nothing is sent.
      rejectUnauthorized: false,
      ...(ca !== undefined && { ca }),
    })
    try {
      await once(socket, 'secureConnect', { signal: AbortSignal.timeout(RESPONSE_MS) })
      const until = Date.parse(socket.getPeerCertificate().valid_to)
      const days = Math.floor((until - now()) / DAY_MS)
      const values = { host, days, until: new Date(until).toISOString().slice(0, 10) }
      if (until <= now()) return fault('over', values)
      if (!socket.authorized) return fault('untrusted', { host, reason: String(socket.authorizationError) })
      if (days < LAST_DAYS) return fault('ends', values)
      return days < SOON_DAYS ? warning('soon', values) : ok('valid', values)
    } catch (error) {
      return fault('away', { host, reason: reasonOf(error) })
    } finally {
      socket.destroy()
    }
  }

const ROUTE = '/api/health/address'
const HEADER = 'x-volant-doctor'
const MINUTE_MS = 60_000
/** An address of nobody (RFC 5737). */
const FORGED = '203.0.113.7'

/** A pass for one call, for two minutes: nobody else learns how the shop sees its callers. */
const passes = (keys: SecretKeys) => {
  const hashes = acceptedSecrets(keys).map((secret) => keyedHash(secret, 'volant doctor'))
  const at = (ms: number): string[] => hashes.map((hash) => hash(String(Math.floor(ms / MINUTE_MS))))
  return {
    now: () => at(nowMs())[0]!,
    isOne: (given: string) =>
      [0, MINUTE_MS].flatMap((ago) => at(nowMs() - ago)).some((pass) => isSame(given, pass)),
  }
}

export interface Seen {
  /** Under which address the caller counts. */
  address: string
  /** The addresses that came in X-Forwarded-For. */
  forwarded: string[]
}

/** Says to the doctor under which address it is seen. */
export const addressRoute =
  (keys: SecretKeys) =>
  async (app: FastifyInstance): Promise<void> => {
    const pass = passes(keys)
    app.get(
      ROUTE,
      { config: { auth: 'ignored' }, schema: { hide: true } },
      async ({ ip, headers }, reply) => {
        if (!pass.isOne(String(headers[HEADER] ?? ''))) return reply.callNotFound()
        const forwarded = String(headers['x-forwarded-for'] ?? '')
        const seen: Seen = {
          address: ip,
          forwarded: forwarded
            .split(',')
            .map((one) => one.trim())
            .filter(Boolean),
        }
        return seen
      },
    )
  }

/** Calls the shop by its public address, with an address of its own invention, and asks what arrived. */
export const proxyCheck =
  ({ publicUrl, trustProxy }: Pick<Config, 'publicUrl' | 'trustProxy'>, keys: SecretKeys): Check =>
  async () => {
    const headers = { [HEADER]: passes(keys).now(), 'x-forwarded-for': FORGED }
    let seen: Seen
    try {
      const response = await fetch(publicUrl + ROUTE, {
        headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(RESPONSE_MS),
      })
      if (response.status !== 200) return warning('other', { url: publicUrl, status: response.status })
      seen = (await response.json()) as Seen
    } catch (error) {
      return warning('away', { url: publicUrl, reason: reasonOf((error as Error).cause ?? error) })
    }
    return judge(seen, trustProxy, publicUrl)
  }

/** What the response says of TRUST_PROXY. */
export function judge(
  { address, forwarded }: Seen,
  trustProxy: Config['trustProxy'],
  publicUrl: string,
): Finding {
  const { protocol, hostname } = new URL(publicUrl)
  const isProxied = forwarded.join() !== FORGED
  if (address === FORGED) return fault('forged')
  if (trustProxy === false && isProxied) return fault('untold', { address })
  // The shop itself speaks no TLS.
  if (!isProxied && protocol === 'https:') return fault('unheard', { address })
  const isHere = hostname === 'localhost' || isInnerAddress(hostname)
  if (isProxied && isInnerAddress(address) && !isHere) return warning('inner', { address })
  return ok(isProxied ? 'proxied' : 'direct', { address })
}

import { keyedHash } from '#platform/keyed-hashes.ts'
import { isIP } from 'node:net'

/** All texts that are not an address count as one sender. */
const UNKNOWN = 'unknown'

/** IPv6 prefixes of IPv4 addresses: mapped (RFC 4291) and NAT64 (RFC 6052). */
const EMBEDDING = new Set(['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'])

export interface Network {
  name: string
  /** Multiplies the ceiling of one address (ADR 0019). */
  factor: number
}

/**
 * The networks under which a sender counts, the narrowest first: an IPv4 address, also one embedded in IPv6, or the /64,
 * /56 and /48 of IPv6. Ports are ignored.
 */
export function networksOf(ip: string): readonly [Network, ...Network[]] {
  const address = withoutPort(ip.trim()).split('%')[0]!
  const version = isIP(address)
  if (version === 0) return [{ name: UNKNOWN, factor: 1 }]
  if (version === 4) return [{ name: address, factor: 1 }]
  const groups = groupsOf(address)
  if (EMBEDDING.has(groups.slice(0, 6).join(':'))) return [{ name: ipv4Of(groups), factor: 1 }]
  const [a, b, c, d] = groups as [string, string, string, string]
  return [
    { name: `${a}:${b}:${c}:${d}`, factor: 1 },
    { name: `${a}:${b}:${c}:${(Number.parseInt(d, 16) >> 8).toString(16)}/56`, factor: 2 },
    { name: `${a}:${b}:${c}/48`, factor: 8 },
  ]
}

/** The widest one, an IPv4 address or an IPv6 /48: who owns a /48 has 65,536 networks of 64 bits. */
export const siteOf = (ip: string): string => networksOf(ip).at(-1)!.name

/** Makes the function that hashes the widest network of an address: without the shop's key nobody can compute it. */
export function networkHash(secret: string): (ip: string) => string {
  const hash = keyedHash(secret, 'volant networks', 'hex')
  return (ip) => hash(siteOf(ip)).slice(0, 32)
}

const INNER = /^(?:::ffff:)?(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd])/i

/** Whether it is an address of this machine or of a private network, also in the brackets of a web address. */
export function isInnerAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return isIP(address) !== 0 && INNER.test(address)
}

const withoutPort = (text: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

/** The eight groups in lower case, without leading zeros and IPv4 notation, as `URL` writes them. */
function groupsOf(address: string): string[] {
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [front = [], back = []] = written.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...zeros, ...back]
}

const ipv4Of = (groups: readonly string[]): string =>
  groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')

const EVERY_MS = 60_000
/** Networks that are counted separately. */
const NETWORKS = 1_000
const OTHERS = 'others'

/** Reports at most once a minute for each network: the first event at once, later ones as a count. */
export function throttledReport(report: (times: number) => void): (address: string) => void {
  /** Unreported events of each network with a report in the last minute. */
  const unreported = new Map<string, number>()

  function begin(network: string): void {
    unreported.set(network, 0)
    setTimeout(() => {
      const times = unreported.get(network) ?? 0
      unreported.delete(network)
      if (times === 0) return
      report(times)
      begin(network)
    }, EVERY_MS).unref()
  }

  return (address) => {
    const own = siteOf(address)
    const network = unreported.has(own) || unreported.size < NETWORKS ? own : OTHERS
    const times = unreported.get(network)
    if (times !== undefined) return void unreported.set(network, times + 1)
    begin(network)
    report(1)
  }
}

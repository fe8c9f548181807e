import { isIP } from 'node:net'

/** What does not read as an address counts as one sender, so that nobody becomes many by inventing some. */
const UNKNOWN = 'unknown'

/** The first six groups of IPv6 addresses whose last two are an IPv4 address: mapped (RFC 4291), and NAT64 (RFC 6052). */
const EMBEDDING = new Set(['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'])

/**
 * What counts as one sender: an IPv4 address, also where it is part of an IPv6 one, or the 64 bits of an IPv6 address
 * that a connection gets, of which the rest is its owner's to change at will.
 * @param ip an IP address, with a port as some proxies add it in X-Forwarded-For, or whatever else came instead
 */
export function networkOf(ip: string): string {
  const address = withoutPort(ip.trim()).split('%')[0]!
  const version = isIP(address)
  if (version === 0) return UNKNOWN
  if (version === 4) return address
  const groups = groupsOf(address)
  return EMBEDDING.has(groups.slice(0, 6).join(':')) ? ipv4Of(groups) : groups.slice(0, 4).join(':')
}

/** "192.0.2.7:443" and "[2001:db8::7]:443" without what is not the address. */
const withoutPort = (text: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

/** The eight groups of an IPv6 address, in lower case and without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::')
  const [front, back] = [hexGroups(head), hexGroups(tail ?? '')]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...zeros, ...back]
}

const hexGroups = (part: string): string[] =>
  part === '' ? [] : part.split(':').flatMap((group) => (group.includes('.') ? halves(group) : [hex(group)]))

/** An IPv4 address at the end of an IPv6 one, as the two groups that it stands for. */
function halves(ipv4: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16))
}

const hex = (group: string): string => Number.parseInt(group, 16).toString(16)

const ipv4Of = (groups: readonly string[]): string =>
  groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')

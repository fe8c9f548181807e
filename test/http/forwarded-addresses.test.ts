import { expect, test } from 'vitest'
import { networkHash } from '#platform/limits/network-address.ts'
import { openShop } from '../support/shop.ts'

// Who is believed to say for whom a request is passed on; the log names networks by a hash.

const lines: Record<string, unknown>[] = []
const shop = await openShop({
  env: {
    TRUST_PROXY: '10.0.0.0/8, 192.0.2.7, 2001:db8:1::/48',
    LIMITS_FACTOR: '1000',
    LOG_LEVEL: 'info',
  },
  logLine: (line) => lines.push(line),
})
const hash = networkHash(shop.secret)

/** The hashes of the networks of which the log says that somebody tried to log in. */
const networks = (): unknown[] =>
  lines.flatMap(({ security }) => (security ? [(security as { network: unknown }).network] : []))

// Each visitor has an address of their own: of equal events of a second the log has one.
test.each([
  ['a proxy of a listed network', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['one that listens for IPv4 and IPv6', '::ffff:10.1.2.3', '198.51.100.2', '198.51.100.2'],
  ['a listed address', '192.0.2.7', '198.51.100.3', '198.51.100.3'],
  ['a listed IPv6 network, for an IPv6 visitor', '2001:db8:1:2::3', '2001:db8:9::1', '2001:db8:9::1'],
  ['two proxies, one behind the other', '10.1.2.3', '198.51.100.4, 10.9.9.9', '198.51.100.4'],
  ['a proxy whose visitor claims to be another', '10.1.2.3', '203.0.113.5, 198.51.100.5', '198.51.100.5'],
  ['a proxy whose visitor claims to be a proxy', '10.1.2.3', '10.5.5.5, 198.51.100.6', '198.51.100.6'],
  ['a proxy that says nothing', '10.1.2.4', undefined, '10.1.2.4'],
  ['a visitor who claims to be another', '198.51.100.7', '203.0.113.6', '198.51.100.7'],
  ['a visitor who claims to be a proxy', '198.51.100.8', '10.1.2.3', '198.51.100.8'],
  ['a neighbour of a listed address', '192.0.2.8', '203.0.113.7', '192.0.2.8'],
  ['a neighbour of a listed IPv6 network', '2001:db8:2::3', '203.0.113.8', '2001:db8:2::3'],
])('%s: %s with %s counts as %s', async (_, from, forwarded, counted) => {
  lines.length = 0
  const response = await shop.app.inject({
    method: 'POST',
    url: '/api/token/',
    payload: { username: 'nobody', password: 'wrong' },
    remoteAddress: from,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  })
  expect(response.statusCode).toBe(401)
  await expect.poll(networks).toEqual([hash(counted)])
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { networkHash, networksOf, throttledReport } from './network-address.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7'],
  ['64:ff9b::192.0.2.7', '192.0.2.7'],
  ['64:ff9b::c000:0207', '192.0.2.7'],
  ['0064:FF9B:0:0:0:0:c000:207', '192.0.2.7'],
  ['64:ff9b:1::c000:207', '64:ff9b:1:0'],
  ['192.0.2.7:1000', '192.0.2.7'],
  [' 192.0.2.7 ', '192.0.2.7'],
  ['[2001:db8:1:2::7]:1000', '2001:db8:1:2'],
  ['[2001:db8:1:2::7]', '2001:db8:1:2'],
  ['[::ffff:192.0.2.7]:1000', '192.0.2.7'],
  ['2001:db8:1:2:aaaa::1', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002:bbbb:1:2:3', '2001:db8:1:2'],
  ['2001:db8::7', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('%s counts as %s', (ip, network) => {
  expect(networksOf(ip)[0].name).toBe(network)
})

test('IPv6 counts by /64, /56 and /48 with growing ceilings, IPv4 by address', () => {
  expect(networksOf('2001:db8:1:23ff::7')).toEqual([
    { name: '2001:db8:1:23ff', factor: 1 },
    { name: '2001:db8:1:23/56', factor: 2 },
    { name: '2001:db8:1/48', factor: 8 },
  ])
  expect(networksOf('::ffff:192.0.2.7')).toEqual([{ name: '192.0.2.7', factor: 1 }])
})

test('a hash of a network is the same for a whole /48, and for no other', () => {
  const hash = networkHash('a secret')
  const [one, sibling, other, ipv4] = [
    '2001:db8:1:1::7',
    '2001:db8:1:ffff::1',
    '2001:db8:2:1::7',
    '192.0.2.7',
  ]
  expect(hash(one!)).toBe(hash(sibling!))
  expect(new Set([one, other, ipv4, '192.0.2.8'].map((address) => hash(address!))).size).toBe(4)
})

const NO_ADDRESSES = [
  ' unknown _hidden 192.0.2 192.0.2.256 192.0.2.7:port 192.0.2.7,192.0.2.8',
  '1::2::3 ::: 2001:db8 ::ffff:1.2.3 [::1 g::1 1:2:3:4:5:6:7:8:9',
].flatMap((line) => line.split(' '))

test.each(NO_ADDRESSES)('%j is no address and counts as unknown', (text) => {
  expect(networksOf(text)).toEqual([{ name: 'unknown', factor: 1 }])
})

describe('a throttled report', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const MINUTE = 60_000

  function open() {
    const reported: number[] = []
    return { reported, note: throttledReport((times) => reported.push(times)) }
  }

  test('of a network is written at once, then as a count each minute, and never as zero', () => {
    const { reported, note } = open()
    for (let index = 0; index < 1_000; index += 1) note('192.0.2.7')
    note('198.51.100.1')
    note('::ffff:192.0.2.7')
    expect(reported).toEqual([1, 1])
    vi.advanceTimersByTime(MINUTE)
    expect(reported).toEqual([1, 1, 1_000])
    note('192.0.2.7')
    expect(reported).toHaveLength(3)
    vi.advanceTimersByTime(MINUTE)
    expect(reported).toEqual([1, 1, 1_000, 1])
    vi.advanceTimersByTime(10 * MINUTE)
    expect(reported).toHaveLength(4)
    note('192.0.2.7')
    expect(reported).toEqual([1, 1, 1_000, 1, 1])
  })

  test('of many networks is bounded in lines and loses no event', () => {
    const { reported, note } = open()
    for (let index = 0; index < 5_000; index += 1) note(`10.0.${index >> 8}.${index & 255}`)
    expect(reported).toHaveLength(1_001)
    vi.advanceTimersByTime(MINUTE)
    expect(reported).toHaveLength(1_002)
    expect(reported.reduce((sum, times) => sum + times, 0)).toBe(5_000)
  })
})

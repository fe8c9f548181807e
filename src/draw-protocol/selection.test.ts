import { createHash } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { sized } from '../../test/support/tier.ts'
import { QUICKNET, isRoundSignature, roundAt, timeOfRound } from './beacon.ts'
import { fromHex, toBytes, toHex } from './bytes.ts'
import { seedOf, selectIndex, selectWinner } from './selection.ts'

const nodeSha256 = (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest()

test('values at or above the greatest multiple are skipped', () => {
  const bytes = [250, 200, 201, 199, 3]
  const digest = (data: Uint8Array): Uint8Array => Uint8Array.of(bytes[data.at(-1)!]!)
  const seed = toBytes('seed')
  expect(selectIndex(seed, 100, digest)).toEqual({ tries: 4, value: 'c7', index: 99 })
  expect(selectIndex(seed, 256, digest)).toEqual({ tries: 1, value: 'fa', index: 250 })
  expect(selectIndex(seed, 1, digest)).toEqual({ tries: 1, value: 'fa', index: 0 })
  expect(selectIndex(seed, 255, digest)).toEqual({ tries: 1, value: 'fa', index: 250 })
  // 250 is below 252, the greatest multiple of 7 in a byte.
  expect(selectIndex(seed, 7, digest)).toEqual({ tries: 1, value: 'fa', index: 5 })
  for (const count of [0, -1, 1.5, Number.NaN])
    expect(() => selectIndex(seed, count, digest)).toThrow(RangeError)
})

test('each attempt has a tag of its own', () => {
  const [randomness, listHash] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const tags = [0, 1, 12].map((attempt) =>
    new TextDecoder().decode(seedOf(attempt, randomness, listHash).slice(0, -64)),
  )
  expect(tags).toEqual(['volant-draw-v1', 'volant-alternate-v1-1-', 'volant-alternate-v1-12-'])
  const draw = { attempt: 0, randomness, listHash, remaining: 1_000_000 }
  expect(selectWinner(draw, sha256)).toEqual(
    selectWinner(draw, Object.assign(nodeSha256, { create: () => createHash('sha256') })),
  )
  expect(selectWinner({ ...draw, attempt: 1 }, sha256)).not.toEqual(selectWinner(draw, sha256))
})

/** Pearson's statistic of counts that should be equal, and what it exceeds once in a million (Wilson and Hilferty). */
const chiSquare = (counts: Float64Array): { found: number; most: number } => {
  const expected = counts.reduce((sum, count) => sum + count) / counts.length
  const found = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  const spread = 2 / (9 * (counts.length - 1))
  return { found, most: (counts.length - 1) * (1 - spread + 4.753 * Math.sqrt(spread)) ** 3 }
}

const counted = (rows: number, draws: number, digest: (data: Uint8Array) => Uint8Array): Float64Array => {
  const counts = new Float64Array(rows)
  for (let draw = 0; draw < draws; draw += 1) {
    const { index } = selectIndex(toBytes(`draw ${draw} of ${rows}`), rows, digest)
    counts[index]! += 1
  }
  return counts
}

test.each([3, 7, 24, 1000])('each of %i rows is as likely as another', (rows) => {
  const { found, most } = chiSquare(counted(rows, sized({ short: 30_000, extended: 1_000_000 }), nodeSha256))
  expect(found).toBeLessThan(most)
})

test('skipping is what makes them equal: a plain remainder of short values is not', () => {
  const byte = (data: Uint8Array): Uint8Array => nodeSha256(data).subarray(0, 1)
  const fair = chiSquare(counted(100, 30_000, byte))
  expect(fair.found).toBeLessThan(fair.most)
  const plain = new Float64Array(100)
  for (let draw = 0; draw < 30_000; draw += 1) plain[byte(toBytes(`draw ${draw}`))[0]! % 100]! += 1
  const unfair = chiSquare(plain)
  expect(unfair.found).toBeGreaterThan(unfair.most)
})

const ROUND_1000 =
  'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39'

test('the signature of round 1000 of quicknet is valid for that round and key alone', () => {
  const { key } = QUICKNET
  expect(isRoundSignature({ key, round: 1000, signature: ROUND_1000 }, sha256)).toBe(true)
  expect(toHex(sha256(fromHex(ROUND_1000)))).toBe(
    'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd',
  )
  for (const round of [999, 1001])
    expect(isRoundSignature({ key, round, signature: ROUND_1000 }, sha256)).toBe(false)
})

test('other encodings, other points and infinity are no signatures', () => {
  const { key } = QUICKNET
  const ask = (signature: string, by: string = key): boolean =>
    isRoundSignature({ key: by, round: 1000, signature }, sha256)
  const infinity = 'c0'.padEnd(96, '0')
  expect(ask(infinity)).toBe(false)
  // With a key at infinity the signature at infinity would satisfy the equation.
  expect(ask(infinity, 'c0'.padEnd(192, '0'))).toBe(false)
  expect(ask(ROUND_1000, 'c0'.padEnd(192, '0'))).toBe(false)
  // The same x with the other sign, without the flag of compression, and plus the modulus.
  expect(ask(`9${ROUND_1000.slice(1)}`)).toBe(false)
  expect(ask(`3${ROUND_1000.slice(1)}`)).toBe(false)
  const p =
    0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
  const x = BigInt(`0x${ROUND_1000}`) & ((1n << 381n) - 1n)
  expect(ask(((x + p) | (0b101n << 381n)).toString(16).padStart(96, '0'))).toBe(false)
  expect(ask('8'.padEnd(96, '0'))).toBe(false)
  expect(ask('')).toBe(false)
  expect(ask(ROUND_1000, ROUND_1000)).toBe(false)
})

test('the round of an instant is the first that is not before it', () => {
  expect(roundAt(QUICKNET, QUICKNET.genesis)).toBe(1)
  expect([1, 2, 3, 4].map((after) => roundAt(QUICKNET, QUICKNET.genesis + after))).toEqual([2, 2, 2, 3])
  expect(roundAt(QUICKNET, QUICKNET.genesis - 1)).toBeNull()
  expect(timeOfRound(QUICKNET, 1000)).toBe(QUICKNET.genesis + 2997)
  for (const at of [1_800_000_000, 1_800_000_001, 1_800_000_002]) {
    const round = roundAt(QUICKNET, at)!
    expect(timeOfRound(QUICKNET, round)).toBeGreaterThanOrEqual(at)
    expect(timeOfRound(QUICKNET, round - 1)).toBeLessThan(at)
  }
})

import type { ServerResponse } from 'node:http'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type DrandEmulator, startDrandEmulator } from '../../../emulators/drand/server.ts'
import { beaconClient, type BeaconSettings } from './beacon-client.ts'
import { type BeaconChain, PUBLIC_CHAINS, publicChain } from './chains.ts'
import { isPublicKey, isSignatureOf, randomnessOf } from './verify-round.ts'
import { responding } from '../../../test/support/responding.ts'

describe('a signature', () => {
  const quicknet = PUBLIC_CHAINS['quicknet'] as BeaconChain
  const signature =
    'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39'

  test('of the public network is valid for its round and no other', () => {
    expect(isSignatureOf(quicknet, 1000, signature)).toBe(true)
    for (const other of [999, 1001, 2000]) expect(isSignatureOf(quicknet, other, signature)).toBe(false)
    expect(randomnessOf(signature)).toBe('fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd')
  })

  test('has one form: whoever could give it in others would choose among winners', () => {
    const zero = `c0${'00'.repeat(47)}`
    const negative = `9${signature.slice(1)}`
    for (const wrong of [zero, negative, '', 'xyz', signature.slice(2), `${signature}00`])
      expect(isSignatureOf(quicknet, 1000, wrong), wrong).toBe(false)
  })

  test('with a point of small order added, which pairings do not see, is invalid', () => {
    const { G1, fields, shortSignatures } = bls12_381
    const { Fp, Fr } = fields
    const [x, y] = [4n, Fp.sqrt(4n ** 3n + 4n)]
    const point = G1.Point.fromAffine({ x, y })
    const small = point.multiplyUnsafe(Fr.ORDER - 1n).add(point)
    expect(small.is0()).toBe(false)
    const sum = shortSignatures.Signature.fromHex(signature).add(small).toAffine()
    // The library encodes no such point: the first three bits are compressed, zero, and the larger root.
    const flags = sum.y * 2n > Fp.ORDER ? 5n : 4n
    const other = ((flags << 381n) + sum.x).toString(16)
    expect(() => shortSignatures.Signature.fromHex(other)).toThrow('subgroup')
    expect(isSignatureOf(quicknet, 1000, other)).toBe(false)
  })

  test('is verified with keys that are points only', () => {
    expect(isPublicKey(quicknet.publicKey)).toBe(true)
    for (const wrong of ['', 'ab'.repeat(96), `c0${'00'.repeat(95)}`]) expect(isPublicKey(wrong)).toBe(false)
    expect(publicChain(quicknet.hash)).toBe(quicknet)
    expect(publicChain('constructor')).toBeUndefined()
  })
})

const now = () => new Date('2026-11-01T00:00:00Z')

describe('the client', () => {
  let relay: DrandEmulator
  let liar: DrandEmulator
  let newest: number
  beforeAll(async () => {
    relay = await startDrandEmulator({ port: 0, now })
    liar = await startDrandEmulator({ port: 0, now })
    newest = relay.roundAt(now())
    return async () => {
      await relay.close()
      await liar.close()
    }
  })
  beforeEach(() => liar.behave('honest'))

  const clientOf = (relays: readonly string[], more: Partial<BeaconSettings> = {}) =>
    beaconClient({ chain: relay.chain as BeaconChain, relays, timeoutMs: 5_000, ...more }, now)
  /** What went wrong, in the client's words. */
  const faultOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ name: 'BeaconError' })
    return error as { fault: string; message: string; faults: { fault: string; detail: string }[] }
  }

  test('responds with signature and randomness of a round', async () => {
    const response = await clientOf([relay.url]).round(newest)
    const signature = relay.sign(newest)
    const randomness = randomnessOf(signature)
    expect(response).toEqual({ round: newest, signature, randomness, relay: relay.url, faults: [] })
  })

  test.each([
    ['error', 'unavailable', /^status 500$/],
    ['unanswered', 'unavailable', /./],
    ['garbage', 'invalid', /not an answer/],
    ['huge', 'invalid', /more than 1024 bytes/],
    ['behind', 'notYet', /^status 425$/],
    ['missing', 'notYet', /^status 404$/],
    ['wrong-round', 'invalid', /another signature/],
    ['old-round', 'invalid', /^round \d+$/],
    ['bad-signature', 'invalid', /another signature/],
    ['other-chain', 'invalid', /another signature/],
  ] as const)('says of a relay that is %s: %s', async (behaviour, fault, detail) => {
    liar.behave(behaviour)
    const error = await faultOf(clientOf([liar.url]).round(newest - 1))
    const isResponse = behaviour !== 'unanswered'
    const faults = [{ relay: liar.url, fault, detail: expect.stringMatching(detail), isResponse }]
    expect(error).toMatchObject({ fault, faults, message: expect.stringContaining(fault) })
  })

  test('gives up a relay that hangs or is slow, and waits for one that is slow enough', async () => {
    liar.behave('hanging')
    const slow = { fault: 'unavailable', faults: [{ detail: 'no answer in 50 ms' }] }
    expect(await faultOf(clientOf([liar.url], { timeoutMs: 50 }).round(1))).toMatchObject(slow)
    liar.behave('honest', 60_000)
    expect(await faultOf(clientOf([liar.url], { timeoutMs: 50 }).round(1))).toMatchObject(slow)
    liar.behave('honest', 50)
    expect((await clientOf([liar.url]).round(1)).round).toBe(1)
  })

  test('asks for no round before its time, though a relay gave it', async () => {
    liar.behave('early')
    const early = `${liar.url}/${liar.chain.hash}/public/${newest + 5}`
    expect(await (await fetch(early)).json()).toMatchObject({ round: newest + 5 })
    const before = liar.counts.calls
    expect(await faultOf(clientOf([liar.url]).round(newest + 1))).toMatchObject({
      fault: 'notYet',
      faults: [],
    })
    expect(liar.counts.calls).toBe(before)
    // By the clock of whoever asks, where that is another one.
    const ahead = clientOf([liar.url]).round(newest + 1, { now: new Date(now().getTime() + 60_000) })
    expect((await ahead).round).toBe(newest + 1)
    for (const none of [0, -1, 1.5, Number.NaN])
      await expect(clientOf([liar.url]).round(none)).rejects.toThrow(RangeError)
  })

  test('tries the relays in turn: the first is dead, the second lies, the third is right', async () => {
    liar.behave('other-chain')
    const dead = 'http://127.0.0.1:1'
    const response = await clientOf([dead, liar.url, relay.url]).round(newest)
    expect(response).toMatchObject({ relay: relay.url, signature: relay.sign(newest) })
    const asked = response.faults.map(({ relay: at, fault }) => [at, fault])
    expect(asked).toEqual([
      [dead, 'unavailable'],
      [liar.url, 'invalid'],
    ])
    const calls = relay.counts.calls
    expect((await clientOf([relay.url, liar.url]).round(newest)).faults).toEqual([])
    expect(relay.counts.calls).toBe(calls + 1)
  })

  test('names a false response rather than a missing one', async () => {
    const dead = 'http://127.0.0.1:1'
    liar.behave('behind')
    expect((await faultOf(clientOf([dead, liar.url]).round(1))).fault).toBe('notYet')
    liar.behave('bad-signature')
    expect((await faultOf(clientOf([dead, liar.url]).round(1))).fault).toBe('invalid')
    expect((await faultOf(clientOf([dead]).round(1))).fault).toBe('unavailable')
  })

  test('ends at once when its caller gives up, and asks no further relay', async () => {
    liar.behave('hanging')
    const stop = new AbortController()
    const before = liar.counts.calls
    const calls = relay.counts.calls
    const asked = clientOf([liar.url, relay.url], { timeoutMs: 600_000 }).round(1, { signal: stop.signal })
    const refused = asked.catch((error: unknown) => error)
    await expect.poll(() => liar.counts.calls).toBe(before + 1)
    stop.abort(new Error('no longer wanted'))
    expect(await refused).toMatchObject({ message: 'no longer wanted' })
    expect(relay.counts.calls).toBe(calls)
  })
})

describe('a relay of any kind', () => {
  const quicknet = PUBLIC_CHAINS['quicknet'] as BeaconChain
  const signature =
    'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39'
  const ask = async (respond: (response: ServerResponse, path: string) => void) =>
    beaconClient({ chain: quicknet, relays: [await responding(respond)], timeoutMs: 5_000 }, now).round(1000)

  test('is asked by the hash of the chain; its own randomness and further fields do not count', async () => {
    let asked = ''
    const response = await ask((response, path) => {
      asked = path
      response.end(JSON.stringify({ round: 1000, randomness: '00', signature, previous_signature: '' }))
    })
    expect(asked).toBe(`/${quicknet.hash}/public/1000`)
    expect(response.randomness).toBe('fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd')
  })

  test('that sends without end is cut off', async () => {
    let sent = 0
    const flood = (response: ServerResponse): void => {
      sent += 64 * 1024
      if (response.destroyed) return
      if (response.write(' '.repeat(64 * 1024))) setImmediate(flood, response)
      else response.once('drain', () => flood(response))
    }
    await expect(ask(flood)).rejects.toMatchObject({ fault: 'invalid' })
    await expect.poll(() => sent).toBeLessThan(10 * 1024 * 1024)
  })

  test.each([
    ['the round as text', { round: '1000', signature }],
    ['no round', { signature }],
    ['capitals', { round: 1000, signature: signature.toUpperCase() }],
    ['a prefix', { round: 1000, signature: `0x${signature}` }],
    ['a list', [{ round: 1000, signature }]],
  ])('that responds with %s is invalid', async (_what, body) => {
    const asked = ask((response) => response.end(JSON.stringify(body)))
    await expect(asked).rejects.toMatchObject({
      fault: 'invalid',
      faults: [{ detail: 'not an answer of a beacon' }],
    })
  })

  test('that redirects is not followed', async () => {
    const asked = ask((response) => response.writeHead(302, { location: '/elsewhere' }).end())
    await expect(asked).rejects.toMatchObject({ fault: 'unavailable', faults: [{ detail: 'status 302' }] })
  })
})

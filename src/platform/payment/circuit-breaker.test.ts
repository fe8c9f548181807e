import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withCircuitBreaker, withRepeatedCreation } from './circuit-breaker.ts'
import { ProviderRefused, ProviderUnavailable, ProviderUnknown } from './payment-provider.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const ORDER = { id: 'O', status: 'CREATED' }

/** A provider with set responses and counted calls. */
function testbed() {
  const world = { calls: 0, respond: (): unknown => ORDER }
  const act = async () => {
    world.calls += 1
    return world.respond() as never
  }
  const calls = { createOrder: act, readOrder: act, captureOrder: act, refund: act, readRefund: act }
  const notificationKind = () => 'other' as const
  const provider = { captureKeyLifetime: 1, refundKeyLifetime: 1, notificationKind, ...calls }
  const settings = { share: 0.5, calls: 6, atLeast: 4, pauseMs: 1_000 }
  return {
    world,
    provider: withCircuitBreaker(provider, settings),
    repeating: withRepeatedCreation(provider, 1),
  }
}

const SILENCE = new ProviderUnknown('silence')
const fails = (error: Error) => () => {
  throw error
}

test('a provider that leaves more than half of the calls without a response is not called, then one call probes it', async () => {
  const { world, provider } = testbed()
  for (const hasResponse of [true, false, true, false, false]) {
    world.respond = hasResponse ? () => ORDER : fails(SILENCE)
    const [response] = await Promise.allSettled([provider.readOrder('O')])
    expect(response).toMatchObject(hasResponse ? { value: ORDER } : { reason: SILENCE })
  }
  await expect(provider.createOrder({} as never, 'a')).rejects.toBeInstanceOf(ProviderUnavailable)
  expect(world.calls).toBe(5)

  vi.setSystemTime(Date.now() + 1_000)
  const probe = provider.readOrder('O')
  await expect(provider.captureOrder('O', 'b')).rejects.toBeInstanceOf(ProviderUnavailable)
  await expect(probe).rejects.toBe(SILENCE)
  await expect(provider.readOrder('O')).rejects.toBeInstanceOf(ProviderUnavailable)
  expect(world.calls).toBe(6)

  vi.setSystemTime(Date.now() + 1_000)
  world.respond = () => ORDER
  await provider.readOrder('O')
  await Promise.all([provider.readOrder('O'), provider.readOrder('O')])
  expect(world.calls).toBe(9)
})

test('a refusal counts as a response', async () => {
  const { world, provider } = testbed()
  for (let call = 0; call < 16; call += 1) {
    const error = call % 2 ? SILENCE : new ProviderRefused('other')
    world.respond = fails(error)
    await expect(provider.readOrder('O')).rejects.toBe(error)
  }
  expect(world.calls).toBe(16)
})

test.each([
  ['a failure whose outcome is unknown', SILENCE, 2],
  ['a refusal', new ProviderRefused('other'), 1],
  ['a paused call', new ProviderUnavailable(), 1],
])('the creation of an order after %s is tried so often: %#', async (_, error, calls) => {
  const { world, repeating } = testbed()
  world.respond = fails(error)
  await expect(repeating.createOrder({} as never, 'a')).rejects.toBe(error)
  expect(world.calls).toBe(calls)
})

test('the creation of an order is not repeated after a long wait', async () => {
  const { world, repeating } = testbed()
  world.respond = () => {
    vi.setSystemTime(Date.now() + 6_000)
    throw SILENCE
  }
  await expect(repeating.createOrder({} as never, 'a')).rejects.toBe(SILENCE)
  expect(world.calls).toBe(1)
})

import { expect, test } from 'vitest'
import { withCircuitBreaker } from './circuit-breaker.ts'
import { ProviderRefused, ProviderUnavailable, ProviderUnknown } from './payment-provider.ts'

/** A provider with set answers and counted calls, and a clock that is set by hand. */
function testbed() {
  const world = { now: 0, calls: 0, answer: (): unknown => ({ id: 'O', status: 'CREATED' }) }
  const act = async () => {
    world.calls += 1
    return world.answer() as never
  }
  const calls = { createOrder: act, readOrder: act, captureOrder: act, refund: act, readRefund: act }
  const provider = { captureKeyLifetime: 1, refundKeyLifetime: 1, ...calls }
  const now = () => world.now
  return { world, provider: withCircuitBreaker(provider, { failures: 3, pauseMs: 1_000, now }) }
}

const fails = (error: Error) => () => {
  throw error
}

test('after several calls without an answer the provider is not called, then one call tries', async () => {
  const { world, provider } = testbed()
  world.answer = fails(new ProviderUnknown('silence'))
  for (let call = 0; call < 3; call += 1) await expect(provider.readOrder('O')).rejects.toThrow('silence')
  await expect(provider.createOrder({} as never, 'a')).rejects.toBeInstanceOf(ProviderUnavailable)
  expect(world.calls).toBe(3)

  world.now = 1_000
  const trial = provider.readOrder('O')
  await expect(provider.captureOrder('O', 'b')).rejects.toBeInstanceOf(ProviderUnavailable)
  await expect(trial).rejects.toThrow('silence')
  expect(world.calls).toBe(4)
  await expect(provider.readOrder('O')).rejects.toBeInstanceOf(ProviderUnavailable)

  world.now = 2_000
  world.answer = () => ({ id: 'O', status: 'CREATED' })
  await provider.readOrder('O')
  await Promise.all([provider.readOrder('O'), provider.readOrder('O')])
  expect(world.calls).toBe(7)
})

test('a refusal counts as an answer', async () => {
  const { world, provider } = testbed()
  for (const n of [1, 2, 3, 4, 5, 6]) {
    const error = n % 3 ? new ProviderUnknown('silence') : new ProviderRefused('other')
    world.answer = fails(error)
    await expect(provider.readOrder('O')).rejects.toBe(error)
  }
  expect(world.calls).toBe(6)
})

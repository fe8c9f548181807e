import { expect, test } from 'vitest'
import { withBreaker } from './breaker.ts'
import type { PayPalClient } from './client.ts'
import { ProviderAway, ProviderRefused, ProviderUnknown } from './faults.ts'

/** A provider that answers as it is told, counts its calls, and a clock that is set by hand. */
function stand() {
  const world = { now: 0, calls: 0, answer: (): unknown => ({ id: 'O', status: 'CREATED' }) }
  const act = async () => {
    world.calls += 1
    return world.answer() as never
  }
  const client: PayPalClient = {
    createOrder: act,
    getOrder: act,
    captureOrder: act,
    refundCapture: act,
    getRefund: act,
  }
  return { world, paypal: withBreaker(client, { failures: 3, pauseMs: 1_000, now: () => world.now }) }
}

const fails = (error: Error) => () => {
  throw error
}

test('after some calls without an answer it is left alone, then one call tries', async () => {
  const { world, paypal } = stand()
  world.answer = fails(new ProviderUnknown('silence'))
  for (let call = 0; call < 3; call += 1) await expect(paypal.getOrder('O')).rejects.toThrow('silence')
  await expect(paypal.createOrder({}, 'a')).rejects.toBeInstanceOf(ProviderAway)
  expect(world.calls).toBe(3)

  world.now = 1_000
  const trial = paypal.getOrder('O')
  await expect(paypal.captureOrder('O', 'b')).rejects.toBeInstanceOf(ProviderAway)
  await expect(trial).rejects.toThrow('silence')
  expect(world.calls).toBe(4)
  await expect(paypal.getOrder('O')).rejects.toBeInstanceOf(ProviderAway)

  world.now = 2_000
  world.answer = () => ({ id: 'O', status: 'CREATED' })
  await paypal.getOrder('O')
  await Promise.all([paypal.getOrder('O'), paypal.getOrder('O')])
  expect(world.calls).toBe(7)
})

test('a refusal is an answer: it never counts as silence', async () => {
  const { world, paypal } = stand()
  for (const error of [1, 2, 3, 4, 5, 6].map((n) =>
    n % 3 ? new ProviderUnknown('silence') : new ProviderRefused(422, {}),
  )) {
    world.answer = fails(error)
    await expect(paypal.getOrder('O')).rejects.toBe(error)
  }
  expect(world.calls).toBe(6)
})

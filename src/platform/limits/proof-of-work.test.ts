import { afterEach, expect, test, vi } from 'vitest'
import { encoded, solve } from '../../../test/support/proof.ts'
import { PROOF_SECONDS, proofsOfWork } from './proof-of-work.ts'

const shop = proofsOfWork({ secret: 'a secret of the tests' })

afterEach(() => void vi.useRealTimers())

test('a solution is accepted until it expires, and names its challenge', async () => {
  const [one, other] = await Promise.all(
    [shop.challenge(), shop.challenge()].map(async (text) => solve(await text)),
  )
  const [first, second] = await Promise.all([one, other].map((payload) => shop.verified(encoded(payload))))
  expect(first).toBe(one!.challenge.signature)
  expect(second).not.toBe(first)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (PROOF_SECONDS + 2) * 1000 })
  expect(await shop.verified(encoded(one))).toBeUndefined()
})

test('wrong, forged and foreign solutions are refused', async () => {
  const right = await solve(await shop.challenge())
  const { challenge, solution } = right
  const easier = { ...challenge, parameters: { ...challenge.parameters, cost: 1 } }
  const later = { ...challenge, parameters: { ...challenge.parameters, expiresAt: 9_999_999_999 } }
  const { signature: _, ...unsigned } = challenge
  const foreign = await solve(await proofsOfWork({ secret: 'another secret' }).challenge())
  const wrong = [
    { challenge, solution: { ...solution, counter: solution.counter + 1 } },
    { challenge, solution: { ...solution, derivedKey: '00'.repeat(32) } },
    { challenge, solution: null },
    { challenge: easier, solution },
    { challenge: later, solution },
    { challenge: unsigned, solution },
    foreign,
    {},
    'nonsense',
    null,
  ]
  const verdicts = await Promise.all(wrong.map((payload) => shop.verified(encoded(payload))))
  expect(verdicts).toEqual(wrong.map(() => undefined))
  expect(await shop.verified('{')).toBeUndefined()
  expect(await shop.verified(encoded({ ...right, more: 'x'.repeat(2_000) })), 'too long').toBeUndefined()
})

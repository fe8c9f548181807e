import { expect, test, vi } from 'vitest'
import { PASSWORD_SETTINGS, computeArgon2, createPasswords } from '#features/accounts/server/index.ts'
import { openShop } from '../support/shop.ts'

/** Hashes with the real limits that wait while the gate is shut. */
const gate = { waiting: [] as (() => void)[], isShut: false }
const { concurrent, waiting } = PASSWORD_SETTINGS
const passwords = createPasswords(
  { memoryKiB: 8, passes: 1, parallelism: 1, concurrent, waiting },
  async (...args) => {
    if (gate.isShut) await new Promise<void>((resolve) => gate.waiting.push(resolve))
    return computeArgon2(...args)
  },
)
const shop = await openShop({ passwords })

const STORM = 80
/** Another address than the storm's, from the documentation range (RFC 5737). */
const ELSEWHERE = '192.0.2.7'

test('many concurrent wrong logins exhaust the password queue and nothing else: logins beyond it get 429, sales go on', async () => {
  const buyer = await shop.newCustomer()
  const login = { username: buyer.email, password: buyer.password }
  gate.isShut = true
  let refused = 0
  const storm = Array.from({ length: STORM }, async (_, index) => {
    const wrong = { username: `nobody${index}@example.test`, password: 'wrong' }
    const { status } = await shop.anonymous('POST', '/api/token/', wrong)
    if (status === 429) refused += 1
    return status
  })
  const refusedAre = (count: number) => vi.waitUntil(() => refused === count, { timeout: 30_000 })
  await refusedAre(STORM - concurrent - waiting)
  expect(gate.waiting).toHaveLength(concurrent)

  // Reading and buying need no password.
  expect((await shop.anonymous('GET', '/api/offers/')).status).toBe(200)
  const orderId = (await buyer.order(await shop.newOffer(), 3)).body['order_id'] as string
  await shop.paypal.approve(orderId, 'buyer@buyer.test')
  expect((await buyer.capture(orderId)).body['tickets']).toHaveLength(3)
  const late = await shop.anonymous('POST', '/api/token/', login)
  expect(late).toMatchObject({ status: 429, body: { code: 'auth.busy' } })
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)

  // A login from another network takes the last place of the storm.
  const elsewhere = shop.app.inject({
    method: 'POST',
    url: '/api/token/',
    payload: login,
    remoteAddress: ELSEWHERE,
  })
  await refusedAre(STORM - concurrent - waiting + 1)

  gate.isShut = false
  for (const compute of gate.waiting.splice(0)) compute()
  expect((await elsewhere).statusCode).toBe(200)
  const statuses = await Promise.all(storm)
  expect(statuses.filter((status) => status === 401)).toHaveLength(concurrent + waiting - 1)
  // A refusal with 429 does not count as a wrong password.
  expect((await shop.anonymous('POST', '/api/token/', login)).status).toBe(200)
})

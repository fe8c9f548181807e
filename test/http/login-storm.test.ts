import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PASSWORD_SETTINGS, computeArgon2, createPasswords } from '#features/accounts/server/index.ts'
import { type TestShop, testShop } from '../support/shop.ts'

/** Hashing of the real bounds that takes as long as the test wants. */
const gate = { waiting: [] as (() => void)[], isShut: false }

const { concurrent, waiting } = PASSWORD_SETTINGS
const STORM = 80
/** Of documentation (RFC 5737); the storm comes from this machine. */
const ELSEWHERE = '192.0.2.7'

let shop: TestShop

beforeAll(async () => {
  const cheap = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent, waiting }
  const passwords = createPasswords(cheap, async (...args) => {
    if (gate.isShut) await new Promise<void>((resolve) => gate.waiting.push(resolve))
    return computeArgon2(...args)
  })
  shop = await testShop({ passwords })
})
afterAll(() => shop.close())

function open(): void {
  gate.isShut = false
  for (const compute of gate.waiting.splice(0)) compute()
}

test('a storm of wrong logins fills the hashing and no more: beyond its queue 429, and the shop goes on selling', async () => {
  const offerId = await shop.newOffer()
  const buyer = await shop.newCustomer()

  gate.isShut = true
  let refused = 0
  const storm = Array.from({ length: STORM }, async (_, index) => {
    const answer = await shop.anonymous('POST', '/api/token/', {
      username: `nobody${index}@example.test`,
      password: 'wrong',
    })
    if (answer.status === 429) refused += 1
    return answer
  })
  await vi.waitUntil(() => refused === STORM - concurrent - waiting, { timeout: 30_000 })
  expect(gate.waiting, 'hashes at the same time').toHaveLength(concurrent)

  // All places are taken, and stay taken: reading and buying need none.
  expect((await shop.anonymous('GET', '/api/offers/')).status).toBe(200)
  const order = await buyer.order(offerId, 3)
  expect(order.status).toBe(200)
  const orderId = order.body['order_id'] as string
  await shop.paypal.approve(orderId, 'buyer@buyer.test')
  const paid = await buyer.capture(orderId)
  expect(paid.body['tickets']).toHaveLength(3)
  const late = await shop.anonymous('POST', '/api/token/', {
    username: buyer.email,
    password: buyer.password,
  })
  expect(late).toMatchObject({ status: 429, body: { code: 'auth.busy' } })
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)

  // Who comes from another network gets a place all the same: the last one of the storm.
  const elsewhere = shop.app.inject({
    method: 'POST',
    url: '/api/token/',
    payload: { username: buyer.email, password: buyer.password },
    remoteAddress: ELSEWHERE,
  })
  await vi.waitUntil(() => refused === STORM - concurrent - waiting + 1, { timeout: 30_000 })

  open()
  expect((await elsewhere).statusCode).toBe(200)
  const answers = await Promise.all(storm)
  expect(answers.filter((one) => one.status === 401)).toHaveLength(concurrent + waiting - 1)
  // Whoever was turned away has not guessed: the owner gets in at once.
  const login = await shop.anonymous('POST', '/api/token/', {
    username: buyer.email,
    password: buyer.password,
  })
  expect(login.status).toBe(200)
})

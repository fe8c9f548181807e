import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FuzzRequest, type Known, type OpenApi, fuzzRequests } from '../support/fuzz.ts'
import { type TestShop, testShop } from '../support/shop.ts'

/** Requests that are under way at the same time. */
const TOGETHER = 20
/** FUZZ_REQUESTS and FUZZ_SEED make a longer run, or the same one again. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 100_000)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000)

let shop: TestShop
beforeAll(async () => {
  shop = await testShop({ env: { LIMITS_FACTOR: '1000000' } })
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

/** A shop with something in every table, and the names under which it can be asked for. */
async function furnish(): Promise<{ known: Known; tokens: string[] }> {
  const offerId = await shop.newOffer({ slug: 'fuzzed' })
  const asked = await shop.newOffer({ question: '1 + 1?', choices: ['1', '2'], correct_choice: '2' })
  const buyer = await shop.newCustomer()
  const staff = await shop.newCustomer()
  await shop.db.updateTable('users').set({ is_staff: true }).where('id', '=', staff.id).execute()
  const paid = await buyer.order(offerId, 2)
  await shop.paypal.approve(paid.body['order_id'])
  const [ticket] = (await buyer.capture(paid.body['order_id'])).body['tickets'] as { id: string }[]
  const open = await buyer.order(offerId, 1)
  const orders = [paid, open].map((one) => one.body['order_id'] as string)
  const mail = await shop.db.selectFrom('mails').select('id').executeTakeFirstOrThrow()
  const item = await shop.db.selectFrom('cart_items').select('id').executeTakeFirstOrThrow()
  const session = await shop.sessionOf(buyer)
  return {
    known: {
      offer_id: [offerId, asked],
      slug: ['fuzzed', 'contest-2'],
      item_id: [item.id],
      cartId: [buyer.cartId, staff.cartId],
      id: [ticket?.id ?? '', mail.id],
      order_id: orders,
      orderId: orders,
      index: ['0', '1'],
      answer: ['1', '2'],
      refresh: [session['refresh'] ?? ''],
      username: [buyer.email],
      email: [buyer.email, 'new@example.test'],
      password: [buyer.password, 'Correct-horse-7'],
      new_password: ['Correct-horse-7'],
      phone: ['+32470123456'],
      phone_number: ['+32470123456'],
      country_code: ['BE', 'FR', 'XX'],
      countryCode: ['+32'],
      subtotal: ['10.00', 10, '10.001'],
      quantity: [1, 2],
    },
    tokens: [
      '',
      'Bearer',
      'Bearer e30.e30.AAAA',
      `Bearer ${session['access']}`,
      `Bearer ${(await shop.sessionOf(staff))['access']}`,
    ],
  }
}

test(`no request whatever is a fault of the shop (seed ${SEED})`, async () => {
  const { known, tokens } = await furnish()
  const document = (await shop.app.inject('/api/docs/openapi.json')).json() as OpenApi
  const answers = new Map<number, number>()
  async function isAnswered(request: FuzzRequest): Promise<void> {
    const { statusCode, body } = await shop.app.inject(request as never)
    answers.set(statusCode, (answers.get(statusCode) ?? 0) + 1)
    if (statusCode >= 500) throw new Error(`${statusCode} ${body.slice(0, 200)}`)
    if (/\bat .+:\d+:\d+/.test(body)) throw new Error(`a stack trace: ${body.slice(0, 400)}`)
  }
  const batch = fc.array(fuzzRequests(document, known, tokens), { minLength: TOGETHER, maxLength: TOGETHER })
  await fc.assert(
    fc.asyncProperty(batch, async (requests) => {
      await Promise.all(requests.map(isAnswered))
    }),
    { numRuns: Math.ceil(REQUESTS / TOGETHER), seed: SEED },
  )
  // Requests that all end at the door would show little.
  expect([200, 400, 401, 404, 409].filter((status) => (answers.get(status) ?? 0) < REQUESTS / 1_000)).toEqual(
    [],
  )
}, 3_600_000)

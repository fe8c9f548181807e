import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type FuzzRequest, type Known, type OpenApi, fuzzRequests } from '../support/fuzz.ts'
import { asText, oddRequests } from '../support/fuzz-addresses.ts'
import { routesOf } from '../support/printed-routes.ts'
import { sendRaw } from '../support/raw-requests.ts'
import { seenRoutes } from '../support/routes.ts'
import { openShop } from '../support/shop.ts'
import { sized } from '../support/tier.ts'

/** Requests that are under way at the same time. */
const TOGETHER = 20
/** FUZZ_REQUESTS and FUZZ_SEED make a longer run, or the same one again. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? sized({ short: 3_000, extended: 100_000 }))
/** Some of those go over a socket, to any address whatever; fewer would not show every sort of answer. */
const RAW_REQUESTS = Math.max(1_000, REQUESTS / 40)
/** No answer for so long is a hang: far above the slowest answer of a busy machine, so that it measures nothing. */
const HANG_MS = 30_000
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000)

const shop = await openShop({
  env: { LIMITS_FACTOR: '1000000', METRICS_TOKEN: 'a token of the figures' },
  pages: true,
})
let furnished: Awaited<ReturnType<typeof furnish>>
let documented: fc.Arbitrary<FuzzRequest>
beforeAll(async () => {
  shop.paypal.faults.change({ missingWebhooks: 1 })
  furnished = await furnish()
  const document = (await shop.app.inject('/api/docs/openapi.json')).json() as OpenApi
  documented = fuzzRequests(document, furnished.known, furnished.tokens)
})

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
  const mail = await shop.db.selectFrom('emails').select('id').executeTakeFirstOrThrow()
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

interface Answered {
  status: number
  body: string
}

class Hang extends Error {}

/** Waits for an answer no longer than that. @throws Hang with the request's name when none comes */
async function inTime<Answer>(name: string, answer: Promise<Answer>, limitMs = HANG_MS): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Hang(`no answer after ${limitMs} ms to ${name}`)), limitMs)
  })
  try {
    return await Promise.race([answer, limit])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends many requests, several at a time, and holds every answer against what no answer may be.
 * @returns how often each status came
 */
async function sendAll(
  requests: fc.Arbitrary<FuzzRequest>,
  count: number,
  send: (request: FuzzRequest) => Promise<Answered>,
): Promise<(status: number) => number> {
  const answers = new Map<number, number>()
  let hung = false
  async function isAnswered(request: FuzzRequest): Promise<void> {
    const name = JSON.stringify(request).slice(0, 2_000)
    const { status, body } = await inTime(name, send(request)).catch((error: unknown) => {
      hung ||= error instanceof Hang
      throw error
    })
    answers.set(status, (answers.get(status) ?? 0) + 1)
    if (status >= 500) throw new Error(`${status} to ${name}: ${body.slice(0, 400)}`)
    if (/\bat [^<>"]+:\d+:\d+/.test(body)) throw new Error(`a stack trace to ${name}: ${body.slice(0, 400)}`)
  }
  const batch = fc.array(requests, { minLength: TOGETHER, maxLength: TOGETHER })
  const together = fc.asyncProperty(batch, async (some) => {
    // Nothing is sent any more: to look for the smallest batch that hangs would take hours.
    fc.pre(!hung)
    await Promise.all(some.map(isAnswered))
  })
  await fc.assert(together, { numRuns: Math.ceil(count / TOGETHER), seed: SEED })
  return (status) => answers.get(status) ?? 0
}

test(`no request whatever is a fault of the shop, and none stays without an answer (seed ${SEED})`, async () => {
  const came = await sendAll(documented, REQUESTS, async (request) => {
    const { statusCode, body } = await shop.app.inject(request as never)
    return { status: statusCode, body }
  })
  // Requests that all end at the door would show little.
  expect([200, 400, 401, 404, 409].filter((status) => came(status) < REQUESTS / 1_000)).toEqual([])
}, 3_600_000)

test(`nor is any to the addresses that no document names, as they stand in a request line (seed ${SEED})`, async () => {
  const pages = seenRoutes.map(({ path }) => path)
  const odd = oddRequests({ routes: routesOf(shop.app), pages, ...furnished })
  const raw = fc.oneof({ weight: 9, arbitrary: odd }, { weight: 1, arbitrary: documented })
  const came = await sendAll(raw, RAW_REQUESTS, async (request) => {
    const { status, answer } = await sendRaw(shop.port, asText(request))
    if (status === 0) throw new Error(`hung up without an answer to ${JSON.stringify(request)}`)
    const [, location = '/'] = /^location: (.*)\r$/im.exec(answer) ?? []
    if (!/^\/(?![/\\])/.test(location)) throw new Error(`led to ${location} by ${request.url}`)
    return { status, body: answer }
  })
  expect([200, 308, 400, 404, 405].filter((status) => came(status) < RAW_REQUESTS / 100)).toEqual([])
}, 3_600_000)

test('a request that stays without an answer is named', async () => {
  const never = new Promise(() => undefined)
  await expect(inTime('GET /never', never, 10)).rejects.toThrow('no answer after 10 ms to GET /never')
})

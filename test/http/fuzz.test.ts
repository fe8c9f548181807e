import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Caller,
  type FuzzRequest,
  type Known,
  type OpenApi,
  asText,
  fuzzRequests,
  oddRequests,
} from '../support/fuzz.ts'
import { routesOf } from '../support/printed-routes.ts'
import { sendRaw } from '../support/raw-requests.ts'
import { seenRoutes } from '../support/routes.ts'
import { openShop } from '../support/shop.ts'
import { sized } from '../support/tier.ts'

/** Concurrent requests. */
const TOGETHER = 20
/** FUZZ_REQUESTS and FUZZ_SEED make a longer run, or repeat one. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? sized({ short: 2_000, extended: 100_000 }))
/** Requests to any address, over a socket; fewer would not lead to every status. */
const RAW_REQUESTS = Math.max(1_000, REQUESTS / 40)
/** Far above the slowest response of a busy machine. */
const HANG_MS = 30_000
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000)

const shop = await openShop({
  env: { LIMITS_FACTOR: '1000000', METRICS_TOKEN: 'a token for the metrics' },
  pages: true,
})
shop.paypal.faults.change({ missingWebhooks: 1 })
const filled = await fillShop()
const document = (await shop.app.inject('/api/docs/openapi.json')).json() as OpenApi
/** Ends when its caller leaves. */
const isEndless = ({ url }: FuzzRequest): boolean => url.includes('today/live')
const documented = fuzzRequests(document, filled.known, filled.callers).filter((one) => !isEndless(one))

/** A row in every table, and the values by which they can be requested. */
async function fillShop(): Promise<{ known: Known; callers: Caller[] }> {
  const offerId = await shop.newOffer({ slug: 'fuzzed' })
  const asking = await shop.newOffer({ question: '1 + 1?', choices: ['1', '2'], correct_choice: '2' })
  const [buyer, staff] = [await shop.newCustomer(), await shop.newStaff('owner')]
  const paid = await buyer.order(offerId, 2)
  await shop.paypal.approve(paid.body['order_id'])
  const [ticket] = (await buyer.capture(paid.body['order_id'])).body['tickets'] as { id: string }[]
  const open = await buyer.order(offerId, 1)
  const orders = [paid, open].map(({ body }) => body['order_id'] as string)
  const email = await shop.db.selectFrom('emails').select('id').executeTakeFirstOrThrow()
  const item = await shop.db.selectFrom('cart_items').select('id').executeTakeFirstOrThrow()
  const { access, refresh = '' } = await shop.sessionOf(buyer)
  const tokens = ['Bearer', 'Bearer e30.e30.AAAA', `Bearer ${access}`]
  const { cookie } = staff
  return {
    known: {
      offer_id: [offerId, asking],
      slug: ['fuzzed', 'contest-2'],
      item_id: [item.id],
      cartId: [buyer.cartId],
      id: [ticket?.id ?? '', email.id],
      order_id: orders,
      orderId: orders,
      index: ['0', '1'],
      answer: ['1', '2'],
      refresh: [refresh],
      username: [buyer.email],
      email: [buyer.email, 'new@example.test'],
      password: [buyer.password, 'Correct-horse-7'],
      current_password: [buyer.password],
      new_password: ['Correct-horse-7'],
      phone: ['+32470123456'],
      phone_number: ['+32470123456'],
      country_code: ['BE', 'FR', 'XX'],
      countryCode: ['+32'],
      subtotal: ['10.00', 10, '10.001'],
      quantity: [1, 2],
    },
    callers: [
      {},
      ...tokens.map((authorization) => ({ authorization })),
      { cookie },
      { cookie, origin: shop.config.publicUrl },
    ],
  }
}

/** Undoes what staff do to themselves, and keeps their step-ups going. */
const KEEP_STAFF = `
  UPDATE users SET role = 'owner' WHERE id IN (SELECT user_id FROM staff_sessions) AND role IS DISTINCT FROM 'owner';
  UPDATE staff_sessions SET ended_at = NULL WHERE ended_at IS NOT NULL;
  UPDATE staff_step_ups SET until = now() + interval '1 hour' WHERE until < now() + interval '1 minute'`

/** Sends many requests and checks what no response may be. @returns how often each status came */
async function sendAll(
  requests: fc.Arbitrary<FuzzRequest>,
  count: number,
  send: (request: FuzzRequest) => Promise<{ status: number; body: string }>,
): Promise<(status: number) => number> {
  const responses = new Map<number, number>()
  async function hasResponse(request: FuzzRequest): Promise<void> {
    const name = JSON.stringify(request).slice(0, 2_000)
    const { status, body } = await send(request)
    responses.set(status, (responses.get(status) ?? 0) + 1)
    const isHealth = request.url.startsWith('/api/health/jobs')
    if (status >= 500 && !isHealth) throw new Error(`${status} to ${name}: ${body.slice(0, 400)}`)
    if (/\bat [^<>"]+:\d+:\d+/.test(body)) throw new Error(`a stack trace to ${name}: ${body.slice(0, 400)}`)
  }
  const batch = fc.array(requests, { minLength: TOGETHER, maxLength: TOGETHER })
  const together = fc.asyncProperty(batch, async (some) => {
    await Promise.all(some.map(hasResponse))
    // Some of them end the sessions of the callers.
    await shop.db.updateTable('sessions').set({ revoked_at: null }).execute()
    await shop.pool.query(KEEP_STAFF)
  })
  // Without shrinking, which would take hours for a batch that gets no response.
  const limits = { timeout: HANG_MS, endOnFailure: true }
  await fc.assert(together, { numRuns: Math.ceil(count / TOGETHER), seed: SEED, ...limits })
  return (status) => responses.get(status) ?? 0
}

test(`generated requests to documented calls get no 5xx and no stack trace, and all get a response (seed ${SEED})`, async () => {
  const came = await sendAll(documented, REQUESTS, async (request) => {
    const leaving = new AbortController()
    const options = { ...request, payloadAsStream: true, signal: leaving.signal }
    const response = await shop.app.inject(options as object)
    // A stream of events has no end.
    const isEndless = String(response.headers['content-type']).startsWith('text/event-stream')
    if (isEndless) leaving.abort()
    const body = isEndless ? '' : await new Response(response.stream() as never).text()
    return { status: response.statusCode, body }
  })
  // Requests that are all refused early would test little.
  expect([200, 400, 401, 404, 409].filter((status) => came(status) < REQUESTS / 1_000)).toEqual([])
}, 3_600_000)

test(`the same holds for any other address, sent as it is over a socket (seed ${SEED})`, async () => {
  const pages = seenRoutes.map(({ path }) => path)
  const odd = oddRequests({ routes: routesOf(shop.app), pages, ...filled }).filter((one) => !isEndless(one))
  const raw = fc.oneof({ weight: 9, arbitrary: odd }, { weight: 1, arbitrary: documented })
  const came = await sendAll(raw, RAW_REQUESTS, async (request) => {
    const { status, response } = await sendRaw(shop.port, asText(request))
    if (status === 0)
      throw new Error(`closed the connection without a response to ${JSON.stringify(request)}`)
    const [, location = '/'] = /^location: (.*)\r$/im.exec(response) ?? []
    if (!/^\/(?![/\\])/.test(location)) throw new Error(`${request.url} redirects to ${location}`)
    return { status, body: response }
  })
  expect([200, 308, 400, 404, 405].filter((status) => came(status) < RAW_REQUESTS / 100)).toEqual([])
}, 3_600_000)

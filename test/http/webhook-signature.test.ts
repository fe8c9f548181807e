import { type RequestListener, createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type PaypalEmulator, startPaypalEmulator } from '../../emulators/paypal/server.ts'
import type { ProviderNotifications } from '#platform/payment/payment-provider.ts'
import { paypalClient } from '#platform/payment/paypal/paypal-client.ts'
import { isProviderAddress, webhookVerifier } from '#platform/payment/paypal/paypal-webhooks.ts'

/** A server on the loopback. */
async function listen(handler: RequestListener): Promise<{ url: string; close: () => void }> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() }
}

let paypal: PaypalEmulator
let delivery: { headers: Record<string, string>; body: Buffer }

beforeAll(async () => {
  const got = Promise.withResolvers<typeof delivery>()
  const sink = await listen((request, response) => {
    response.end()
    void buffer(request).then((body) => got.resolve({ headers: request.headers as never, body }))
  })
  paypal = await startPaypalEmulator({ port: 0, webhookUrl: `${sink.url}/` })
  const { clientId, clientSecret } = paypal.settings
  const client = paypalClient({ baseUrl: paypal.url, clientId, clientSecret, timeoutMs: 30_000 })
  const amount = { currency_code: 'EUR', value: '1.00' }
  const order = await client.createOrder({ intent: 'CAPTURE', purchase_units: [{ amount }] }, 'a:create')
  await paypal.approve(order.id)
  delivery = await got.promise
  sink.close()
})
afterAll(() => paypal.close())

/** The sender's address of genuine notifications. */
const PAYPAL_SENDER = '198.51.100.7'

const verifier = (change: { webhookId?: string; baseUrl?: string } = {}) =>
  webhookVerifier({ webhookId: paypal.settings.webhookId, baseUrl: paypal.url, timeoutMs: 30_000, ...change })
const isGenuine = (headers = delivery.headers, body = delivery.body, verify = verifier()) =>
  verify(headers, body, PAYPAL_SENDER)

test('a notification is genuine as it was sent, but not with another body or for another webhook', async () => {
  expect(await isGenuine()).toBe(true)
  const changed = Buffer.from(delivery.body.toString().replace('CHECKOUT', 'CHECKOUt'))
  expect(changed.equals(delivery.body)).toBe(false)
  expect(await isGenuine(delivery.headers, changed)).toBe(false)
  const another = verifier({ webhookId: 'WH-SOMEBODY-ELSE' })
  expect(await isGenuine(delivery.headers, delivery.body, another)).toBe(false)
})

test('one signed with a certificate that has expired is not', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2126-11-23') })
  try {
    expect(await isGenuine()).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['paypal-transmission-id', 'another'],
  ['paypal-transmission-time', '2020-01-01T00:00:00Z'],
  ['paypal-transmission-sig', 'AAAA'],
  ['paypal-auth-algo', 'none'],
  ['paypal-cert-url', 'http://127.0.0.1:1/cert.pem'],
])('a changed or missing header %s makes it a forgery', async (name, value) => {
  expect(await isGenuine({ ...delivery.headers, [name]: value })).toBe(false)
  const { [name]: _, ...without } = delivery.headers
  expect(await isGenuine(without)).toBe(false)
})

test.each([
  ['https://api.paypal.com/v1/notifications/certs/CERT-1', true],
  ['https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1', true],
  ['http://api.paypal.com/v1/notifications/certs/CERT-1', false],
  ['https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1', false],
  ['https://evilpaypal.com/v1/notifications/certs/CERT-1', false],
  ['https://api.paypal.com:8443/v1/notifications/certs/CERT-1', false],
  ['https://user@api.paypal.com/v1/notifications/certs/CERT-1', false],
  ['https://api.paypal.com/v1/notifications/certs/CERT-1?again=1', false],
  ['https://www.paypal.com/anything/else', false],
  ['https://api.paypal.com/v1/notifications/certs/../../x', false],
  ['https://api.paypal.com/v1/notifications/certs/anything', false],
  ['not an address', false],
])('a certificate from %s is taken: %s', (address, taken) => {
  expect(isProviderAddress(address, 'https://api-m.paypal.com')).toBe(taken)
})

describe('forgeries with addresses of unknown certificates', () => {
  let asked: string[]
  let provider: Awaited<ReturnType<typeof listen>>

  /** A provider that has the one genuine certificate. */
  beforeEach(async () => {
    asked = []
    provider = await listen((request, response) => {
      asked.push(request.url ?? '')
      if (request.url !== genuinePath()) return void response.writeHead(404).end()
      void fetch(delivery.headers['paypal-cert-url']!)
        .then((found) => found.text())
        .then((pem) => response.end(pem))
    })
  })
  afterEach(() => provider.close())

  const genuinePath = (): string => new URL(delivery.headers['paypal-cert-url']!).pathname
  const naming = (path: string) => ({ ...delivery.headers, 'paypal-cert-url': `${provider.url}${path}` })
  const genuine = () => naming(genuinePath())
  const verifying = () => verifier({ baseUrl: provider.url })
  const forge = (verify: ProviderNotifications['verify'], count: number, sender: (index: number) => string) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, index) =>
        verify(naming(`/v1/notifications/certs/CERT-${index}`), delivery.body, sender(index)),
      ),
    )
  const unknown = { name: 'ProviderUnknown' }

  test('from one network do not delay genuine notifications of another', async () => {
    const verify = verifying()
    // One owner controls the rest of an IPv6 address.
    const responses = await forge(verify, 12, (index) => `2001:db8:1:2::${index}`)
    // Without a certificate it is no notification; beyond the limit the response is unknown, and PayPal repeats it.
    expect(responses).toMatchObject([
      ...Array(5).fill({ value: false }),
      ...Array(7).fill({ reason: unknown }),
    ])
    await expect(verify(genuine(), delivery.body, '2001:db8:1:2::ff')).rejects.toMatchObject(unknown)
    expect(await isGenuine(genuine(), delivery.body, verify)).toBe(true)
    expect(asked).toHaveLength(6)
  })

  test('from very many networks do not overload the provider', async () => {
    const responses = await forge(verifying(), 200, (index) => `192.0.2.${index}`)
    expect(asked).toHaveLength(60)
    expect(responses.filter(({ status }) => status === 'fulfilled')).toHaveLength(60)
  })

  test('do not evict a certificate that has proved a notification genuine', async () => {
    const verify = verifying()
    expect(await isGenuine(genuine(), delivery.body, verify)).toBe(true)
    await forge(verify, 200, (index) => `192.0.2.${index}`)
    expect(await verify(genuine(), delivery.body, '192.0.2.0')).toBe(true)
    expect(asked.filter((path) => path === genuinePath())).toHaveLength(1)
  })

  test('cause no request with an impossible signature, or an address that is none of a certificate', async () => {
    const impossible = { ...genuine(), 'paypal-transmission-sig': 'A'.repeat(339) }
    for (const headers of [impossible, naming('/v1/notifications/certs/x')])
      expect(await isGenuine(headers, delivery.body, verifying())).toBe(false)
    expect(asked).toEqual([])
  })
})

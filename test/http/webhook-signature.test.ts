import { type Server, createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type PaypalEmulator, startPaypalEmulator } from '../../emulators/paypal/server.ts'
import type { ProviderNotifications } from '#platform/payment/payment-provider.ts'
import { paypalClient } from '#platform/payment/paypal/paypal-client.ts'
import { isProviderAddress, webhookVerifier } from '#platform/payment/paypal/paypal-webhooks.ts'

interface Delivery {
  headers: Record<string, string>
  body: Buffer
}

let paypal: PaypalEmulator
let delivery: Delivery

beforeAll(async () => {
  const got = Promise.withResolvers<Delivery>()
  const sink = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      response.end()
      got.resolve({ headers: request.headers as Record<string, string>, body: Buffer.concat(parts) })
    })
  })
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  const { port } = sink.address() as { port: number }
  paypal = await startPaypalEmulator({ port: 0, webhookUrl: `http://127.0.0.1:${port}/` })
  const { clientId, clientSecret } = paypal.settings
  const client = paypalClient({ baseUrl: paypal.url, clientId, clientSecret, timeoutMs: 30_000 })
  const amount = { currency_code: 'EUR', value: '1.00' }
  const order = await client.createOrder({ intent: 'CAPTURE', purchase_units: [{ amount }] }, 'a:create')
  await paypal.approve(order.id)
  delivery = await got.promise
  sink.close()
})
afterAll(() => paypal.close())

/** Where the genuine ones come from. */
const PAYPALS_SENDER = '198.51.100.7'

const verifier = (change: { webhookId?: string; baseUrl?: string } = {}) =>
  webhookVerifier({ webhookId: paypal.settings.webhookId, baseUrl: paypal.url, timeoutMs: 30_000, ...change })

test('a notification as it was sent is genuine', async () => {
  expect(await verifier()(delivery.headers, delivery.body, PAYPALS_SENDER)).toBe(true)
})

test('a changed body is not', async () => {
  const changed = Buffer.from(delivery.body.toString().replace('CHECKOUT', 'CHECKOUt'))
  expect(changed.equals(delivery.body)).toBe(false)
  expect(await verifier()(delivery.headers, changed, PAYPALS_SENDER)).toBe(false)
})

test('one meant for another webhook is not', async () => {
  expect(
    await verifier({ webhookId: 'WH-SOMEBODY-ELSE' })(delivery.headers, delivery.body, PAYPALS_SENDER),
  ).toBe(false)
})

test('one signed with a certificate that has expired is not', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2126-11-23') })
  try {
    expect(await verifier()(delivery.headers, delivery.body, PAYPALS_SENDER)).toBe(false)
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
])('a changed header %s makes it a forgery', async (name, value) => {
  expect(await verifier()({ ...delivery.headers, [name]: value }, delivery.body, PAYPALS_SENDER)).toBe(false)
  const { [name]: _, ...without } = delivery.headers
  expect(await verifier()(without, delivery.body, PAYPALS_SENDER)).toBe(false)
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

describe('forgeries that name certificates nobody knows', () => {
  let asked: string[]
  let provider: Server
  let baseUrl: string

  /** A provider that has the one genuine certificate. */
  beforeEach(async () => {
    asked = []
    provider = createServer((request, response) => {
      asked.push(request.url ?? '')
      if (request.url !== new URL(delivery.headers['paypal-cert-url']!).pathname)
        return void response.writeHead(404).end()
      void fetch(delivery.headers['paypal-cert-url']!)
        .then((found) => found.text())
        .then((pem) => response.end(pem))
    })
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    baseUrl = `http://127.0.0.1:${(provider.address() as { port: number }).port}`
  })
  afterEach(() => void provider.close())

  const naming = (path: string) => ({ ...delivery.headers, 'paypal-cert-url': `${baseUrl}${path}` })
  const genuine = () => naming(new URL(delivery.headers['paypal-cert-url']!).pathname)
  const forge = (verify: ProviderNotifications['verify'], count: number, sender: (index: number) => string) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, index) =>
        verify(naming(`/v1/notifications/certs/CERT-${index}`), delivery.body, sender(index)),
      ),
    )
  const noNotification = { status: 'fulfilled', value: false }
  const unknown = { reason: { name: 'ProviderUnknown' } }

  test('from one network do not keep another network’s genuine one waiting', async () => {
    const verify = verifier({ baseUrl })
    // The rest of an IPv6 address is its owner's to change at will.
    const answers = await forge(verify, 12, (index) => `2001:db8:1:2::${index}`)
    // Those whose certificate is not there are no notifications; of the others nobody can say it, and PayPal sends again.
    expect(answers.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => noNotification))
    for (const answer of answers.slice(5)) expect(answer).toMatchObject(unknown)
    await expect(verify(genuine(), delivery.body, '2001:db8:1:2::ff')).rejects.toMatchObject(unknown.reason)

    expect(await verify(genuine(), delivery.body, PAYPALS_SENDER)).toBe(true)
    expect(asked).toHaveLength(6)
  })

  test('from very many networks do not have the provider run over', async () => {
    const answers = await forge(verifier({ baseUrl }), 200, (index) => `192.0.2.${index}`)
    expect(asked).toHaveLength(60)
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(60)
  })

  test('do not take the place of a certificate that has shown a notification to be genuine', async () => {
    const verify = verifier({ baseUrl })
    expect(await verify(genuine(), delivery.body, PAYPALS_SENDER)).toBe(true)
    await forge(verify, 200, (index) => `192.0.2.${index}`)
    expect(await verify(genuine(), delivery.body, '192.0.2.0')).toBe(true)
    expect(asked.filter((path) => path === new URL(genuine()['paypal-cert-url']).pathname)).toHaveLength(1)
  })

  test.each([
    ['a signature that none can be', 'paypal-transmission-sig', 'A'.repeat(339)],
    ['an address where no certificate lies', 'paypal-cert-url', '/v1/notifications/certs/x'],
  ])('and carry %s have nothing asked for', async (_, name, value) => {
    const headers = { ...genuine(), [name]: value.startsWith('/') ? `${baseUrl}${value}` : value }
    expect(await verifier({ baseUrl })(headers, delivery.body, PAYPALS_SENDER)).toBe(false)
    expect(asked).toEqual([])
  })
})

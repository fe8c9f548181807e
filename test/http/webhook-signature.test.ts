import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PaypalEmulator, startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { paypalClient } from '#platform/paypal/client.ts'
import { isProviderAddress, webhookVerifier } from '#platform/paypal/webhook-signature.ts'

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
  const client = paypalClient({ baseUrl: paypal.url, clientId, clientSecret, timeoutMs: 5_000 })
  const amount = { currency_code: 'EUR', value: '1.00' }
  const order = await client.createOrder({ intent: 'CAPTURE', purchase_units: [{ amount }] }, 'a:create')
  await paypal.approve(order.id)
  delivery = await got.promise
  sink.close()
})
afterAll(() => paypal.close())

const verifier = (change: { webhookId?: string; baseUrl?: string } = {}) =>
  webhookVerifier({ webhookId: paypal.settings.webhookId, baseUrl: paypal.url, timeoutMs: 5_000, ...change })

test('a notification as it was sent is genuine', async () => {
  expect(await verifier()(delivery.headers, delivery.body)).toBe(true)
})

test('a changed body is not', async () => {
  const changed = Buffer.from(delivery.body.toString().replace('CHECKOUT', 'CHECKOUt'))
  expect(changed.equals(delivery.body)).toBe(false)
  expect(await verifier()(delivery.headers, changed)).toBe(false)
})

test('one meant for another webhook is not', async () => {
  expect(await verifier({ webhookId: 'WH-SOMEBODY-ELSE' })(delivery.headers, delivery.body)).toBe(false)
})

test.each([
  ['paypal-transmission-id', 'another'],
  ['paypal-transmission-time', '2020-01-01T00:00:00Z'],
  ['paypal-transmission-sig', 'AAAA'],
  ['paypal-auth-algo', 'none'],
  ['paypal-cert-url', 'http://127.0.0.1:1/cert.pem'],
])('a changed header %s makes it a forgery', async (name, value) => {
  expect(await verifier()({ ...delivery.headers, [name]: value }, delivery.body)).toBe(false)
  const { [name]: _, ...without } = delivery.headers
  expect(await verifier()(without, delivery.body)).toBe(false)
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
  ['not an address', false],
])('a certificate from %s is taken: %s', (address, taken) => {
  expect(isProviderAddress(address, 'https://api-m.paypal.com')).toBe(taken)
})

test('a flood of forgeries with certificates nobody knows does not have the provider run over', async () => {
  let asked = 0
  const provider = createServer((_request, response) => {
    asked += 1
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as { port: number }
  const baseUrl = `http://127.0.0.1:${port}`
  const verify = verifier({ baseUrl })
  const forged = (name: string) =>
    verify(
      { ...delivery.headers, 'paypal-cert-url': `${baseUrl}/v1/notifications/certs/${name}` },
      delivery.body,
    )
  const answers = await Promise.allSettled(Array.from({ length: 200 }, (_, index) => forged(`C-${index}`)))
  provider.close()
  expect(asked).toBe(10)
  // Those whose certificate is not there are no notifications; of the others nobody can say it, and PayPal sends again.
  expect(answers.slice(0, 10)).toEqual(
    Array.from({ length: 10 }, () => ({ status: 'fulfilled', value: false })),
  )
  for (const answer of answers.slice(10))
    expect(answer).toMatchObject({ reason: { name: 'ProviderUnknown' } })
})

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { startPaypalEmulator } from './server.ts'
import { defaults, type EmulatorOptions } from './settings.ts'

export interface EmulatorResponse {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- a body of any shape, which the tests match
  body: any
  headers: Headers
}

type AtEnd = (close: () => Promise<void>) => void

/** An emulator, closed after the test, and a client that sends what a shop would send. `afterAll` closes it after the file. */
export async function openShop(options: EmulatorOptions = {}, atEnd: AtEnd = onTestFinished) {
  const emulator = await startPaypalEmulator({ port: 0, ...options })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= emulator.close())
  atEnd(close)
  return { emulator, ...(await createClient(emulator.url)), close }
}

export type Received = { headers: IncomingHttpHeaders; body: string }

/** A shop that records what it is sent; `respond` gives the status of its response. */
export async function listen(options: EmulatorOptions = {}, respond: (count: number) => number = () => 200) {
  const received: Received[] = []
  const server = createServer((request, reply) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body })
      reply.writeHead(respond(received.length)).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  onTestFinished(() => void server.close())
  const shop = await openShop({ webhookUrl, webhookRetryMs: 10, ...options })
  const types = () => received.map(({ body }) => JSON.parse(body).event_type as string).toSorted()
  const firstEvent = () => [...shop.emulator.book.events.values()][0]
  return { shop, received, types, firstEvent }
}

export async function createClient(url: string) {
  const basic = Buffer.from(`${defaults.clientId}:${defaults.clientSecret}`).toString('base64')
  const reply = await fetch(`${url}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  const { access_token: token } = (await reply.json()) as { access_token: string }

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<EmulatorResponse> => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { status, headers: received } = response
    const whole = await response.text()
    const isJson = received.get('content-type')?.includes('json') && whole !== ''
    return { status, body: isJson ? JSON.parse(whole) : whole, headers: received }
  }
  const withId = (requestId?: string): Record<string, string> =>
    requestId ? { 'paypal-request-id': requestId } : {}

  return {
    call,
    token,
    post: (path: string, body?: unknown, headers?: Record<string, string>) =>
      call('POST', path, body, headers),
    get: (path: string) => call('GET', path),
    create: (body: unknown = orderBody(), requestId?: string) =>
      call('POST', '/v2/checkout/orders', body, withId(requestId)),
    capture: (id: string, requestId?: string) =>
      call('POST', `/v2/checkout/orders/${id}/capture`, {}, withId(requestId)),
    refund: (id: string, body?: unknown, requestId?: string) =>
      call('POST', `/v2/payments/captures/${id}/refund`, body, withId(requestId)),
    /** A form as a browser without JavaScript posts it. */
    submit: (fields: Record<string, string>, path = '/checkoutnow'): Promise<Response> =>
      fetch(url + path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' }),
    async approved(buyer = 'buyer@buyer.test', body: unknown = orderBody()): Promise<string> {
      const order = await call('POST', '/v2/checkout/orders', body)
      await call('POST', `/_emulator/orders/${order.body.id}/approve`, { buyer })
      return order.body.id
    },
  }
}

export const eur = (value: string) => ({ currency_code: 'EUR', value })

/** Two tickets at 5.00 with 21 percent tax: 12.10. */
export const orderBody = (unit: Record<string, unknown> = {}, root: Record<string, unknown> = {}) => ({
  intent: 'CAPTURE',
  purchase_units: [
    {
      custom_id: 'order-1',
      amount: { ...eur('12.10'), breakdown: { item_total: eur('10.00'), tax_total: eur('2.10') } },
      items: [{ name: 'Ticket', quantity: '2', unit_amount: eur('5.00'), tax: eur('1.05') }],
      ...unit,
    },
  ],
  application_context: {
    return_url: 'http://shop.test/back?from=paypal',
    cancel_url: 'http://shop.test/cart?canceled=true',
    brand_name: 'Volant',
    locale: 'fr-BE',
  },
  ...root,
})

export const issueOf = (response: EmulatorResponse): string | undefined => response.body.details?.[0]?.issue
export const captureOf = (response: EmulatorResponse) => response.body.purchase_units[0].payments.captures[0]

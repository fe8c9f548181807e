import type * as z from 'zod'
import { nowMs } from '#shared/clock.ts'
import { ProviderRefused, ProviderUnknown } from './faults.ts'
import { ProviderFault, ProviderOrder, Refund, Token } from './messages.ts'
import { type Received, type Sent, providerTransport } from './transport.ts'

export interface PayPalSettings {
  /** REST address without a trailing slash. */
  baseUrl: string
  clientId: string
  clientSecret: string
  timeoutMs: number
}

/** The calls the shop makes to PayPal. Each throws ProviderRefused or ProviderUnknown. */
export interface PayPalClient {
  /** POST /v2/checkout/orders */
  createOrder(order: object, requestId: string): Promise<ProviderOrder>
  /** GET /v2/checkout/orders/{id} */
  getOrder(id: string): Promise<ProviderOrder>
  /** POST /v2/checkout/orders/{id}/capture */
  captureOrder(id: string, requestId: string): Promise<ProviderOrder>
  /** POST /v2/payments/captures/{id}/refund */
  refundCapture(captureId: string, refund: object, requestId: string): Promise<Refund>
  /** GET /v2/payments/refunds/{id} */
  getRefund(id: string): Promise<Refund>
}

/** A token is renewed this long before PayPal says it ends. */
const TOKEN_MARGIN_MS = 60_000

/** Refusals that say nothing of the request itself: it took too long to arrive, or there were too many. */
const NO_DECISION = new Set([408, 425, 429])

const isOk = (status: number): boolean => status >= 200 && status < 300

/** A client of PayPal's REST API, or of anything that speaks it. */
export function paypalClient(settings: PayPalSettings): PayPalClient {
  let token: { value: string; until: number } | undefined
  let renewal: Promise<string> | undefined

  const transport = providerTransport(settings.timeoutMs)

  async function send(path: string, sent: Sent): Promise<Received & { body: unknown }> {
    try {
      const received = await transport(settings.baseUrl + path, sent)
      return { ...received, body: received.text === '' ? undefined : JSON.parse(received.text) }
    } catch (cause) {
      throw new ProviderUnknown(`${sent.method} ${path}`, { cause })
    }
  }

  async function newToken(): Promise<string> {
    const basic = Buffer.from(`${settings.clientId}:${settings.clientSecret}`).toString('base64')
    const { status, body } = await send('/v1/oauth2/token', {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    })
    const answer = Token.safeParse(body)
    if (!isOk(status) || !answer.success) throw new ProviderUnknown(`token request answered ${status}`)
    const { access_token, expires_in } = answer.data
    token = { value: access_token, until: nowMs() + expires_in * 1000 - TOKEN_MARGIN_MS }
    return access_token
  }

  /** Many requests at once share one renewal. */
  function bearer(): Promise<string> {
    if (token && token.until > nowMs()) return Promise.resolve(token.value)
    renewal ??= newToken().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  async function call<Schema extends z.ZodType>(
    schema: Schema,
    method: 'GET' | 'POST',
    path: string,
    options: { body?: object; requestId?: string } = {},
    mayRenew = true,
  ): Promise<z.output<Schema>> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${await bearer()}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    }
    if (options.requestId) headers['paypal-request-id'] = options.requestId
    const { status, body, ...received } = await send(path, {
      method,
      headers,
      ...(method === 'POST' && { body: JSON.stringify(options.body ?? {}) }),
    })
    if (status === 401 && mayRenew) {
      token = undefined
      return call(schema, method, path, options, false)
    }
    const debugId = received.headers['paypal-debug-id']?.toString()
    if (status >= 400 && status < 500 && !NO_DECISION.has(status)) {
      const fault = ProviderFault.safeParse(body)
      throw new ProviderRefused(status, { debug_id: debugId, ...(fault.success ? fault.data : {}) })
    }
    const parsed = schema.safeParse(body)
    if (!isOk(status) || !parsed.success) {
      throw new ProviderUnknown(`${method} ${path} answered ${status}`, {
        debugId,
        cause: parsed.error,
      })
    }
    return parsed.data
  }

  const orderPath = (id: string): string => `/v2/checkout/orders/${encodeURIComponent(id)}`
  return {
    createOrder: (body, requestId) => call(ProviderOrder, 'POST', '/v2/checkout/orders', { body, requestId }),
    getOrder: (id) => call(ProviderOrder, 'GET', orderPath(id)),
    captureOrder: (id, requestId) => call(ProviderOrder, 'POST', `${orderPath(id)}/capture`, { requestId }),
    refundCapture: (captureId, body, requestId) =>
      call(Refund, 'POST', `/v2/payments/captures/${encodeURIComponent(captureId)}/refund`, {
        body,
        requestId,
      }),
    getRefund: (id) => call(Refund, 'GET', `/v2/payments/refunds/${encodeURIComponent(id)}`),
  }
}

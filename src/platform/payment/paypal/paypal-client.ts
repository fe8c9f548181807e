import http from 'node:http'
import https from 'node:https'
import * as z from 'zod'
import { traceHeaders } from '#platform/http/request-context.ts'
import { nowMs } from '#shared/clock.ts'
import { ProviderUnknown } from '../payment-provider.ts'

export interface PayPalSettings {
  /** REST address without a trailing slash. */
  baseUrl: string
  clientId: string
  clientSecret: string
  timeoutMs: number
}

/** Each call throws PayPalRefused or ProviderUnknown. */
export interface PayPalClient {
  createOrder(order: object, requestId: string): Promise<PayPalOrder>
  getOrder(id: string): Promise<PayPalOrder>
  captureOrder(id: string, requestId: string): Promise<PayPalOrder>
  refundCapture(captureId: string, refund: object, requestId: string): Promise<PayPalRefund>
  getRefund(id: string): Promise<PayPalRefund>
  /** Gets a new token. */
  logIn(): Promise<void>
  getWebhook(id: string): Promise<PayPalWebhook>
}

export class PayPalRefused extends Error {
  override readonly name = 'PayPalRefused'
  readonly status: number
  readonly fault: PayPalFault

  constructor(status: number, fault: PayPalFault) {
    super(`PayPal refused (${status}): ${fault.name ?? ''}`)
    this.status = status
    this.fault = fault
  }
}

/** A token is renewed this long before its end. */
const TOKEN_MARGIN_MS = 60_000

/** Refusals that leave the outcome open. */
const NO_DECISION = new Set([408, 425, 429])

const isOk = (status: number): boolean => status >= 200 && status < 300
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && !NO_DECISION.has(status)

/** A refusal may come from a machine in between, without JSON. @throws SyntaxError for another response without it */
function readBody({ status, text }: Received): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (isRefusal(status)) return undefined
    throw error
  }
}

/** Calls PayPal's REST API with a shared token. */
export function paypalClient(settings: PayPalSettings): PayPalClient {
  let token: { value: string; until: number } | undefined
  let renewal: Promise<string> | undefined

  const transport = paypalTransport(settings.timeoutMs)

  async function send(path: string, sent: Sent): Promise<Received & { body: unknown }> {
    try {
      const headers = { ...sent.headers, ...traceHeaders() }
      const received = await transport(settings.baseUrl + path, { ...sent, headers })
      return { ...received, body: readBody(received) }
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
    const response = Token.safeParse(body)
    if (isRefusal(status)) throw new PayPalRefused(status, { name: 'AUTHENTICATION_FAILURE' })
    if (!isOk(status) || !response.success) throw new ProviderUnknown(`token request answered ${status}`)
    const { access_token, expires_in } = response.data
    token = { value: access_token, until: nowMs() + expires_in * 1000 - TOKEN_MARGIN_MS }
    return access_token
  }

  /** Concurrent requests share one renewal. */
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
    const posted = method === 'POST' && { body: JSON.stringify(options.body ?? {}) }
    const { status, body, ...received } = await send(path, { method, headers, ...posted })
    if (status === 401 && mayRenew) {
      token = undefined
      return call(schema, method, path, options, false)
    }
    const debugId = received.headers['paypal-debug-id']?.toString()
    if (isRefusal(status)) {
      const fault = PayPalFault.safeParse(body)
      throw new PayPalRefused(status, { debug_id: debugId, ...(fault.success ? fault.data : {}) })
    }
    const parsed = schema.safeParse(body)
    if (!isOk(status) || !parsed.success) {
      throw new ProviderUnknown(`${method} ${path} answered ${status}`, { debugId, cause: parsed.error })
    }
    return parsed.data
  }

  const orderPath = (id: string): string => `/v2/checkout/orders/${encodeURIComponent(id)}`
  return {
    createOrder: (body, requestId) => call(PayPalOrder, 'POST', '/v2/checkout/orders', { body, requestId }),
    getOrder: (id) => call(PayPalOrder, 'GET', orderPath(id)),
    captureOrder: (id, requestId) => call(PayPalOrder, 'POST', `${orderPath(id)}/capture`, { requestId }),
    refundCapture: (captureId, body, requestId) =>
      call(PayPalRefund, 'POST', `/v2/payments/captures/${encodeURIComponent(captureId)}/refund`, {
        body,
        requestId,
      }),
    getRefund: (id) => call(PayPalRefund, 'GET', `/v2/payments/refunds/${encodeURIComponent(id)}`),
    async logIn() {
      await newToken()
    },
    getWebhook: (id) => call(PayPalWebhook, 'GET', `/v1/notifications/webhooks/${encodeURIComponent(id)}`),
  }
}

export interface Sent {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

/** A response with any status; a redirect is not followed. */
export interface Received {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

const CONNECTIONS = 64

const RESPONSE_MAX_BYTES = 1024 * 1024

/** Uses `http.request`, since `fetch` takes 2.5 times as much CPU time. @param timeoutMs for a whole response */
export function paypalTransport(timeoutMs: number): (url: string, sent: Sent) => Promise<Received> {
  const options = { keepAlive: true, maxSockets: CONNECTIONS }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }

  const exchange = (
    url: string,
    { method, headers, body }: Sent,
    begun: (request: http.ClientRequest) => void,
  ) =>
    new Promise<Received>((resolve, reject) => {
      const target = new URL(url)
      const secure = target.protocol === 'https:'
      const request = (secure ? https : http).request(
        target,
        {
          method,
          agent: secure ? agents['https:'] : agents['http:'],
          headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
        },
        (response) => {
          const chunks: Buffer[] = []
          let size = 0
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk)
            size += chunk.length
            if (size > RESPONSE_MAX_BYTES) request.destroy(new Error('the answer is too long'))
          })
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          )
          response.on('error', reject)
          response.on('aborted', () => reject(new Error('the answer was cut off')))
        },
      )
      request.on('error', reject)
      begun(request)
      request.end(body)
    })

  return async (url, sent) => {
    // A timer, since an abort signal costs more than the rest of a request.
    let timer: NodeJS.Timeout | undefined
    try {
      return await exchange(url, sent, (request) => {
        timer = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs)
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

const Amount = z.object({ currency_code: z.string(), value: z.string() })
export type PayPalAmount = z.infer<typeof Amount>

const ProviderId = z.string().regex(/^[\w.-]{1,64}$/)

/** The token goes into a header unchanged; its life is in seconds. */
export const Token = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().min(0).catch(300),
})

const Link = z.object({ href: z.string(), rel: z.string(), method: z.string().optional() })
export type PayPalLink = z.infer<typeof Link>

export const PayPalCapture = z.looseObject({
  id: ProviderId,
  status: z.string(),
  amount: Amount.optional(),
  custom_id: z.string().optional(),
  invoice_id: z.string().optional(),
  status_details: z.looseObject({ reason: z.string().optional() }).optional(),
  /** For reports only: another form must not make a response unreadable. */
  seller_receivable_breakdown: z.looseObject({ paypal_fee: Amount.optional() }).optional().catch(undefined),
})
export type PayPalCapture = z.infer<typeof PayPalCapture>

const RelatedIds = z
  .looseObject({
    related_ids: z
      .looseObject({ order_id: z.string().optional(), capture_id: z.string().optional() })
      .optional(),
  })
  .optional()

export const PayPalRefund = z.looseObject({
  id: ProviderId,
  status: z.string(),
  amount: Amount.optional(),
  create_time: z.string().optional().catch(undefined),
  update_time: z.string().optional().catch(undefined),
  supplementary_data: RelatedIds,
  links: z.array(Link).optional(),
})
export type PayPalRefund = z.infer<typeof PayPalRefund>

/** Where PayPal sends notifications, and which; `*` is all of them. */
const PayPalWebhook = z.object({
  id: z.string(),
  url: z.string(),
  event_types: z.array(z.object({ name: z.string() })),
})
export type PayPalWebhook = z.infer<typeof PayPalWebhook>

/** What it says of the payer: another form must not make a response unreadable. */
const PayerText = z.string().max(254).optional().catch(undefined)
const Address = z.looseObject({ country_code: PayerText }).optional().catch(undefined)
const FundingSource = z.looseObject({
  account_id: PayerText,
  email_address: PayerText,
  country_code: PayerText,
  address: Address,
  billing_address: Address,
  bin_details: z.looseObject({ bin_country_code: PayerText }).optional().catch(undefined),
})

export const PayPalOrder = z.looseObject({
  id: ProviderId,
  status: z.string(),
  links: z.array(Link).optional(),
  payer: z
    .looseObject({ payer_id: PayerText, email_address: PayerText, address: Address })
    .optional()
    .catch(undefined),
  /** One entry, by the name of the means of payment. */
  payment_source: z.record(z.string(), FundingSource).optional().catch(undefined),
  purchase_units: z
    .array(
      z.looseObject({
        custom_id: z.string().optional(),
        amount: Amount.optional(),
        payments: z
          .looseObject({
            captures: z.array(PayPalCapture).optional(),
            refunds: z.array(PayPalRefund).optional(),
          })
          .optional(),
      }),
    )
    .optional(),
})
export type PayPalOrder = z.infer<typeof PayPalOrder>

/** What a refusal says. A part of another form is left out, so that the others count. */
const FaultText = z
  .string()
  .max(2_000)
  // It is stored and shown.
  .transform((text) => text.toWellFormed().replaceAll(/\p{Cc}+/gu, ' '))
  .optional()
  .catch(undefined)
const FaultDetail = z.looseObject({ issue: FaultText, description: FaultText })
const listOf = <Entry extends z.ZodType>(entry: Entry) =>
  z
    .array(z.unknown())
    .transform((list) =>
      list.slice(0, 50).flatMap((one): z.output<Entry>[] => {
        const read = entry.safeParse(one)
        return read.success ? [read.data] : []
      }),
    )
    .optional()
    .catch(undefined)

export const PayPalFault = z.looseObject({
  name: FaultText,
  message: FaultText,
  debug_id: FaultText,
  details: listOf(FaultDetail),
  links: listOf(Link),
})
export type PayPalFault = z.infer<typeof PayPalFault>

/** Of a dispute: a part of another form must not make its notification unreadable. */
const DisputeCode = z
  .string()
  .regex(/^[\w-]{1,100}$/)
  .optional()
  .catch(undefined)
const DisputeTime = z.string().max(40).optional().catch(undefined)

export const PayPalNotification = z.looseObject({
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  event_type: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  create_time: DisputeTime,
  resource: z.looseObject({
    id: z.string().optional(),
    custom_id: z.string().optional(),
    supplementary_data: RelatedIds,
    purchase_units: z.array(z.looseObject({ custom_id: z.string().optional() })).optional(),
    /** Of a refund or reversal: `up` is its capture. */
    links: z.array(Link).optional(),
    disputed_transactions: z
      .array(z.looseObject({ seller_transaction_id: z.string().optional() }))
      .optional(),
    dispute_id: DisputeCode,
    reason: DisputeCode,
    status: DisputeCode,
    dispute_amount: Amount.optional().catch(undefined),
    seller_response_due_date: DisputeTime,
    create_time: DisputeTime,
    update_time: DisputeTime,
  }),
})
export type PayPalNotification = z.infer<typeof PayPalNotification>

import { field } from './http.ts'

/** A call that can get a response on purpose. */
const calls = ['create', 'capture', 'refund', 'read', 'token'] as const
export type Call = (typeof calls)[number]

/** The response to the next calls of a kind, instead of what they would do. */
export type OrderedResponse = { call: Call; status: number; type: string; body: string; times: number }

/** A POST of the shop: how often a call was made, and with which request ids. */
export type Made = { call: Call; id: string; requestId: string | undefined; answered: boolean }

const mostMade = 5000
const mostTimes = 10_000

/** Responses that a test has ordered, and the calls that were made. */
export function createResponses() {
  let ordered: OrderedResponse[] = []
  const made: Made[] = []
  return {
    made: (): readonly Made[] => made,
    waiting: (): readonly OrderedResponse[] => ordered,
    order(response: OrderedResponse): void {
      ordered.push(response)
    },
    clear(): void {
      ordered = []
      made.length = 0
    },
    /** Notes a call. @returns the response that was ordered for it */
    take(call: Call, id: string, requestId: string | undefined): OrderedResponse | undefined {
      const response = ordered.find((one) => one.call === call)
      if (call !== 'read' && call !== 'token')
        made.push({ call, id, requestId, answered: response !== undefined })
      if (made.length > mostMade) made.shift()
      if (!response) return undefined
      response.times -= 1
      if (response.times <= 0) ordered = ordered.filter((one) => one !== response)
      return response
    },
  }
}

/** What kind of call a method and path are; `id` of the order, capture or refund. */
export function callOf(method: string, path: string): { call: Call; id: string } | undefined {
  const [, , area, kind, id = '', act] = path.split('/')
  if (area === 'checkout' && kind === 'orders') {
    if (method === 'GET') return { call: 'read', id }
    if (method === 'POST') return act === 'capture' ? { call: 'capture', id } : { call: 'create', id }
  }
  if (area === 'payments') return method === 'POST' ? { call: 'refund', id } : { call: 'read', id }
  return undefined
}

/**
 * Reads `{call, status?, issues?, name?, links?, body?, type?, times?}`. Issues make PayPal's own form of a refusal; `body` is
 * sent as it is: text, or JSON.
 */
export function readResponse(input: unknown): { response?: OrderedResponse; wrong: string[] } {
  const wrong: string[] = []
  const given = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const call = calls.find((one) => one === given['call'])
  if (!call) wrong.push(`call: expected one of ${calls.join(', ')}`)
  const status = given['status'] ?? 422
  if (!Number.isSafeInteger(status) || (status as number) < 200 || (status as number) > 599)
    wrong.push('status: expected a whole number from 200 to 599')
  const times = given['times'] ?? 1
  if (!Number.isSafeInteger(times) || (times as number) < 1 || (times as number) > mostTimes)
    wrong.push(`times: expected a whole number from 1 to ${mostTimes}`)
  const issues = given['issues'] ?? []
  if (!Array.isArray(issues) || issues.some((one) => typeof one !== 'string'))
    wrong.push('issues: expected a list of texts')
  if (!call || wrong.length > 0) return { wrong }
  const body =
    given['body'] ??
    ({
      name: given['name'] ?? 'UNPROCESSABLE_ENTITY',
      message:
        'The requested action could not be performed, semantically incorrect, or failed business validation.',
      debug_id: 'f00df00df00d0',
      details: (issues as string[]).map((issue) => ({ issue, description: `About ${issue}.` })),
      links: given['links'] ?? [],
    } as const)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = field(given, 'type') || (typeof body === 'string' ? 'text/html' : 'application/json')
  return {
    response: { call, status: status as number, type, body: text, times: times as number },
    wrong,
  }
}

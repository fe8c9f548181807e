import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readResponse } from './responses.ts'
import { isCountry, isEmail } from './buyers.ts'
import type { Core } from './core.ts'
import { detail, PayPalError } from './errors.ts'
import { readFaults } from './faults.ts'
import { addPastOrders, readPastOrders } from './history.ts'
import { field } from './http.ts'
import type { Instrument, Payer } from './model.ts'
import { centsOf, formatAmount } from './money.ts'
import { readRefundRequest } from './requests.ts'

type WithId = FastifyRequest<{ Params: { id: string } }>
type ForVerdict = FastifyRequest<{ Params: { id: string; verdict: string } }>
const rowsPerChunk = 250
const historyLimit = 8 * 1024 * 1024

/** The emulator's own calls, which PayPal does not have: approving without a page, faults, the whole book. */
export async function emulatorRoutes(app: FastifyInstance, core: Core): Promise<void> {
  const { responses, book, captures, injector, orders, refunds, views } = core

  app.get('/_emulator/health', async () => ({
    status: 'ok',
    orders: book.orders.size,
    captures: book.captures.size,
  }))
  app.get('/_emulator/book', async (_request, reply) =>
    reply.type('application/json').send(Readable.from(bookChunks(core))),
  )
  app.get('/_emulator/events', async () =>
    [...book.events.values()].toReversed().map(({ body: _body, ...event }) => event),
  )

  app.post('/_emulator/history', { bodyLimit: historyLimit }, async ({ body }) => {
    const added = addPastOrders(book, readPastOrders(book, body))
    await book.written()
    return { added }
  })

  const respond = async <T>(row: T, view: (row: T) => object): Promise<object> => {
    await book.written()
    return view(row)
  }
  app.post('/_emulator/orders/:id/approve', async ({ body, params }: WithId) =>
    respond(orders.approve(params.id, readPayer(body), field(body, 'funding')), views.order),
  )
  app.post('/_emulator/orders/:id/decline', async ({ body, params }: WithId) => {
    const payer = readPayer(body)
    return respond(orders.approve(params.id, { ...payer, instrument: 'declining' }), views.order)
  })
  app.post('/_emulator/orders/:id/cancel', async ({ params }: WithId) =>
    respond(orders.cancel(params.id), views.order),
  )
  app.post('/_emulator/orders/:id/void', async ({ params }: WithId) =>
    respond(orders.void(params.id), views.order),
  )
  app.post('/_emulator/captures/:id/:verdict', async ({ body, params }: ForVerdict, reply) => {
    const { id, verdict } = params
    if (verdict === 'release' || verdict === 'deny') {
      return respond(captures.settle(id, verdict === 'release'), views.captureView)
    }
    if (verdict === 'dispute') return respond(dispute(core, id, body), (resource) => resource)
    if (verdict !== 'refund' && verdict !== 'reverse') return reply.callNotFound()
    const kind = verdict === 'reverse' ? 'reversal' : 'refund'
    return respond(refunds.refund(id, readRefundRequest(body), kind), views.refundView)
  })
  app.post('/_emulator/refunds/:id/fail', async ({ params }: WithId) =>
    respond(refunds.fail(params.id), views.refundView),
  )

  app.get('/_emulator/faults', async () => ({ ...injector.current(), seed: injector.seed() }))
  app.post('/_emulator/faults', async (request) => {
    const { faults, seed, wrong } = readFaults(request.body)
    if (wrong.length > 0) throw invalidFields(wrong)
    core.changeFaults(faults, seed)
    await book.written()
    return { ...injector.current(), seed: injector.seed() }
  })
  app.get('/_emulator/answers', async () => ({ waiting: responses.waiting(), made: responses.made() }))
  app.post('/_emulator/answers', async ({ body }) => {
    const { response: ordered, wrong } = readResponse(body)
    if (!ordered) throw invalidFields(wrong)
    responses.order(ordered)
    return { waiting: responses.waiting() }
  })
  app.post('/_emulator/reset', async () => {
    await core.reset()
    return { status: 'empty' }
  })
}

const disputeEvents = ['CREATED', 'UPDATED', 'RESOLVED'] as const

/** Tells the shop of a dispute of a capture: `{event?: CREATED, UPDATED or RESOLVED, id?, reason?, due?, at?}`. No money moves. */
function dispute({ captures, settings, webhooks }: Core, captureId: string, body: unknown): object {
  const capture = captures.find(captureId)
  const event = disputeEvents.find((one) => one === (field(body, 'event') || 'CREATED'))
  if (!event) throw invalidFields([`event: expected one of ${disputeEvents.join(', ')}`])
  const at = field(body, 'at') || settings.now().toISOString()
  const due = new Date(Date.parse(at) + 10 * 24 * 3_600_000).toISOString()
  const resource = {
    dispute_id: field(body, 'id') || `PP-D-${captureId}`,
    create_time: at,
    update_time: at,
    disputed_transactions: [{ seller_transaction_id: captureId, seller: { merchant_id: 'VOLANTTEST123' } }],
    reason: field(body, 'reason') || 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    status: event === 'RESOLVED' ? 'RESOLVED' : 'WAITING_FOR_SELLER_RESPONSE',
    dispute_amount: { currency_code: capture.currency, value: formatAmount(capture.cents, capture.currency) },
    dispute_life_cycle_stage: 'INQUIRY',
    ...(event === 'RESOLVED' ? {} : { seller_response_due_date: field(body, 'due') || due }),
  }
  webhooks.emit(`CUSTOMER.DISPUTE.${event}`, 'dispute', `A dispute was ${event.toLowerCase()}`, resource)
  return resource
}

/** Turns texts such as `http5xx: expected a number` into one detail each. */
export const invalidFields = (wrong: readonly string[]) =>
  new PayPalError(
    'INVALID_REQUEST',
    wrong.map((text) => {
      const [name = '', ...rest] = text.split(': ')
      return detail('INVALID_PARAMETER_VALUE', {
        field: `/${name}`,
        description: rest.join(': '),
        location: 'body',
      })
    }),
  )

const instruments: readonly Instrument[] = ['default', 'other', 'declining']

/** `{buyer?, instrument?, country?}`; without a buyer it is `buyer@buyer.test`. */
function readPayer(body: unknown): Payer {
  const email = (field(body, 'buyer') || 'buyer@buyer.test').trim().toLowerCase()
  const wanted = field(body, 'instrument') || 'default'
  const instrument = instruments.find((name) => name === wanted)
  const named: unknown = (body as { country?: unknown } | undefined)?.country
  const country = named === null || isCountry(named) ? named : undefined
  const wrong = [
    ...(country === named ? [] : ['country: expected two capitals, or null']),
    ...(isEmail(email) ? [] : ['buyer: expected an e-mail address']),
    ...(instrument ? [] : [`instrument: expected ${instruments.join(', ')}`]),
  ]
  if (!instrument || wrong.length > 0) throw invalidFields(wrong)
  return { email, instrument, ...(country === undefined ? {} : { country }) }
}

/** The whole book as JSON, written piece by piece so that a million orders need no million rows at once. */
function* bookChunks({ book }: Core): Generator<string> {
  yield '{"orders":['
  yield* rows(book.orders.values(), (order) => {
    const currency = order.units[0]?.amount.currency_code ?? ''
    const cents = order.units.reduce((all, unit) => all + centsOf(unit), 0)
    return {
      id: order.id,
      status: order.status,
      custom_id: order.units[0]?.custom_id,
      invoice_id: order.units[0]?.invoice_id,
      ...sumOf({ cents, currency }),
      payer: order.payer?.email,
      declines: order.declines,
      captures: order.captureIds,
    }
  })
  yield '],"captures":['
  yield* rows(book.captures.values(), (capture) => ({
    id: capture.id,
    order_id: capture.orderId,
    status: capture.status,
    custom_id: capture.customId,
    invoice_id: capture.invoiceId,
    ...sumOf(capture),
    refunded_cents: capture.refunded,
  }))
  yield '],"refunds":['
  yield* rows(book.refunds.values(), (refund) => ({
    id: refund.id,
    capture_id: refund.captureId,
    order_id: refund.orderId,
    kind: refund.kind,
    status: refund.status ?? 'COMPLETED',
    custom_id: refund.customId,
    ...sumOf(refund),
  }))
  yield `],"sums":${JSON.stringify(book.sums())},"forgotten":${book.forgotten()}}`
}

const sumOf = ({ cents, currency }: { cents: number; currency: string }) => ({
  currency,
  value: formatAmount(cents, currency),
  cents,
})

function* rows<T>(source: Iterable<T>, view: (row: T) => object): Generator<string> {
  let text = ''
  let count = 0
  for (const row of source) {
    text += `${count === 0 ? '' : ','}${JSON.stringify(view(row))}`
    count += 1
    if (count % rowsPerChunk !== 0) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

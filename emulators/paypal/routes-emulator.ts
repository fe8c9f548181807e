import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isEmail } from './buyers.ts'
import type { Core } from './core.ts'
import { PayPalError } from './errors.ts'
import { readFaults } from './faults.ts'
import { field } from './http.ts'
import { type Instrument, type Payer, hasLeft } from './model.ts'
import { formatAmount } from './money.ts'
import { centsOf } from './orders.ts'
import { readRefundRequest } from './refunds.ts'

type WithId = FastifyRequest<{ Params: { id: string } }>
type ForVerdict = FastifyRequest<{ Params: { id: string; verdict: string } }>
const rowsPerChunk = 250

/** The emulator's own calls, which PayPal does not have: approving without a page, faults, the whole book. */
export async function emulatorRoutes(app: FastifyInstance, core: Core): Promise<void> {
  const { book, captures, dice, orders, refunds, views, webhooks } = core

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

  app.post('/_emulator/orders/:id/approve', async (request: WithId) => {
    const order = orders.approve(request.params.id, readPayer(request.body), field(request.body, 'funding'))
    await book.written()
    return views.order(order)
  })
  app.post('/_emulator/orders/:id/decline', async (request: WithId) => {
    const { email } = readPayer(request.body)
    const order = orders.approve(request.params.id, { email, instrument: 'declining' })
    await book.written()
    return views.order(order)
  })
  app.post('/_emulator/orders/:id/cancel', async (request: WithId) => {
    const order = orders.cancel(request.params.id)
    await book.written()
    return views.order(order)
  })
  app.post('/_emulator/orders/:id/void', async (request: WithId) => {
    const order = orders.void(request.params.id)
    await book.written()
    return views.order(order)
  })
  app.post('/_emulator/captures/:id/:verdict', async (request: ForVerdict, reply) => {
    const { id, verdict } = request.params
    if (verdict === 'release' || verdict === 'deny') {
      const capture = captures.settle(id, verdict === 'release')
      await book.written()
      return views.captureView(capture)
    }
    if (verdict !== 'refund' && verdict !== 'reverse') return reply.callNotFound()
    const refund = refunds.refund(
      id,
      readRefundRequest(request.body),
      verdict === 'reverse' ? 'reversal' : 'refund',
    )
    await book.written()
    return views.refundView(refund)
  })

  app.post('/_emulator/refunds/:id/fail', async (request: WithId) => {
    const refund = refunds.fail(request.params.id)
    await book.written()
    return views.refundView(refund)
  })

  app.get('/_emulator/faults', async () => ({ ...dice.current(), seed: dice.seed() }))
  app.post('/_emulator/faults', async (request) => {
    const { faults, seed, wrong } = readFaults(request.body)
    if (wrong.length > 0) throw invalidFields(wrong)
    dice.change(faults, seed)
    book.insert('faults', 'current', faults)
    await book.written()
    return { ...dice.current(), seed: dice.seed() }
  })
  app.post('/_emulator/reset', async () => {
    webhooks.forget()
    captures.close()
    dice.clear()
    await book.reset()
    return { status: 'empty' }
  })
}

const invalidFields = (wrong: readonly string[]) =>
  new PayPalError(
    'INVALID_REQUEST',
    wrong.map((text) => {
      const [name = '', ...rest] = text.split(': ')
      return {
        field: `/${name}`,
        issue: 'INVALID_PARAMETER_VALUE',
        description: rest.join(': '),
        location: 'body' as const,
      }
    }),
  )

const instruments: readonly Instrument[] = ['default', 'other', 'declining']

/** `{buyer?, instrument?}`; without a buyer it is `buyer@buyer.test`. */
function readPayer(body: unknown): Payer {
  const email = (field(body, 'buyer') || 'buyer@buyer.test').trim().toLowerCase()
  const wanted = field(body, 'instrument') || 'default'
  const instrument = instruments.find((name) => name === wanted)
  const wrong = [
    ...(isEmail(email) ? [] : ['buyer: expected an e-mail address']),
    ...(instrument ? [] : [`instrument: expected ${instruments.join(', ')}`]),
  ]
  if (!instrument || wrong.length > 0) throw invalidFields(wrong)
  return { email, instrument }
}

type Sums = Record<
  string,
  { ordered: number; captured: number; pending: number; refunded: number; net: number }
>

/** The whole book as JSON, written piece by piece so that a million orders need no million rows at once. */
function* bookChunks({ book }: Core): Generator<string> {
  const sums: Sums = {}
  const sumOf = (currency: string) =>
    (sums[currency] ??= { ordered: 0, captured: 0, pending: 0, refunded: 0, net: 0 })

  yield '{"orders":['
  yield* rows(book.orders.values(), (order) => {
    const currency = order.units[0]?.amount.currency_code ?? ''
    const cents = order.units.reduce((all, unit) => all + centsOf(unit), 0)
    sumOf(currency).ordered += cents
    return {
      id: order.id,
      status: order.status,
      custom_id: order.units[0]?.custom_id,
      invoice_id: order.units[0]?.invoice_id,
      currency,
      value: formatAmount(cents, currency),
      cents,
      payer: order.payer?.email,
      declines: order.declines,
      captures: order.captureIds,
    }
  })
  yield '],"captures":['
  yield* rows(book.captures.values(), (capture) => {
    const sum = sumOf(capture.currency)
    if (capture.status === 'PENDING') sum.pending += capture.cents
    else if (capture.status !== 'DECLINED' && capture.status !== 'FAILED') sum.captured += capture.cents
    return {
      id: capture.id,
      order_id: capture.orderId,
      status: capture.status,
      custom_id: capture.customId,
      invoice_id: capture.invoiceId,
      currency: capture.currency,
      value: formatAmount(capture.cents, capture.currency),
      cents: capture.cents,
      refunded_cents: capture.refunded,
    }
  })
  yield '],"refunds":['
  yield* rows(book.refunds.values(), (refund) => {
    if (hasLeft(refund)) sumOf(refund.currency).refunded += refund.cents
    return {
      id: refund.id,
      capture_id: refund.captureId,
      order_id: refund.orderId,
      kind: refund.kind,
      status: refund.status ?? 'COMPLETED',
      custom_id: refund.customId,
      currency: refund.currency,
      value: formatAmount(refund.cents, refund.currency),
      cents: refund.cents,
    }
  })
  for (const sum of Object.values(sums)) sum.net = sum.captured - sum.refunded
  yield `],"sums":${JSON.stringify(sums)}}`
}

function* rows<T>(source: Iterable<T>, view: (row: T) => object): Generator<string> {
  let chunk: string[] = []
  let first = true
  const text = () => {
    const joined = `${first ? '' : ','}${chunk.join(',')}`
    first = false
    chunk = []
    return joined
  }
  for (const row of source) {
    chunk.push(JSON.stringify(view(row)))
    if (chunk.length === rowsPerChunk) yield text()
  }
  if (chunk.length > 0) yield text()
}

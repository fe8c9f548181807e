import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isCountry, isEmail, payerIdOf } from './buyers.ts'
import type { Core } from './core.ts'
import { invalid, PayPalError } from './errors.ts'
import { faultNames, readFaults } from './faults.ts'
import { field } from './http.ts'
import type { Instrument, Language, Order } from './model.ts'
import {
  approvalPage,
  type ApprovalView,
  messagePage,
  openingPage,
  resultPage,
} from './pages/approval-page.ts'
import { bookPage } from './pages/book-page.ts'
import { approvalTexts, fill, languageOf } from './pages/texts.ts'
import { invalidFields } from './routes-emulator.ts'

const popupFile = new URL('./pages/popup-result.js', import.meta.url)
const read = (file: URL): string => readFileSync(file, 'utf8')
const styleOf = (name: string): string => read(new URL(`./pages/${name}.css`, import.meta.url))

const sendPage = (reply: FastifyReply, text: string, targets: readonly string[] = []): FastifyReply => {
  // Chromium applies form-action to the redirect after a form as well, so the shop's origins are named.
  const forms = ["'self'", ...targets].join(' ')
  const policy = `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .send(text)
}

const originsOf = (order: Order): string[] => {
  const addresses = [order.context.return_url, order.context.cancel_url].filter((text) => text !== undefined)
  return [...new Set(addresses.filter((text) => URL.canParse(text)).map((text) => new URL(text).origin))]
}

const withQuery = (address: string, query: Record<string, string>): string => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

/** The approval page, the emulator's own page and their files. */
export async function pageRoutes(app: FastifyInstance, core: Core): Promise<void> {
  const { book, orders, settings } = core
  const styles = ['base', 'checkout', 'book'].map(styleOf).join('\n')
  const popupScript = `(() => {\n${read(popupFile).replace('export {}', '')}})()\n`

  app.addHook('onRequest', async (request, reply) => {
    const ours =
      request.url === '/' || request.url.startsWith('/_emulator/') || request.url.startsWith('/checkoutnow')
    if (ours && request.method === 'POST' && request.headers['sec-fetch-site'] === 'cross-site') {
      return reply.code(403).send(new PayPalError('INVALID_REQUEST').toBody())
    }
  })

  app.get('/_assets/styles.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(styles),
  )
  app.get('/_assets/popup-result.js', async (_request, reply) =>
    reply.type('application/javascript; charset=utf-8').send(popupScript),
  )
  app.get('/sdk/opening', async (request, reply) =>
    sendPage(reply, openingPage(languageOf(request, settings.language, field(request.query, 'locale')))),
  )

  const viewOf = (request: FastifyRequest, source: unknown, order: Order): ApprovalView => ({
    order,
    merchant: order.context.brand_name ?? settings.merchantName,
    language: languageOf(request, settings.language, field(source, 'locale'), order.context.locale ?? ''),
    flow: field(source, 'flow'),
    origin: field(source, 'origin'),
    fundingSource: field(source, 'fundingSource') || order.funding,
  })
  const unknownOrder = (request: FastifyRequest, reply: FastifyReply, source: unknown) => {
    const language = languageOf(request, settings.language, field(source, 'locale'))
    const texts = approvalTexts[language]
    return sendPage(reply.code(404), messagePage(language, texts.notFoundTitle, texts.notFound))
  }
  const closedOrder = (reply: FastifyReply, { order, language, merchant }: ApprovalView) => {
    const texts = approvalTexts[language]
    const paid = order.status === 'COMPLETED'
    const address = paid ? order.context.return_url : order.context.cancel_url
    const way = address && {
      href: withQuery(address, { token: order.id }),
      label: fill(texts.back, { merchant }),
    }
    const [title, message] = paid ? [texts.paidTitle, texts.paid] : [texts.voidTitle, texts.void]
    return sendPage(reply.code(paid ? 200 : 410), messagePage(language, title, message, way || undefined))
  }

  app.get('/checkoutnow', async (request, reply) => {
    const order = book.orders.get(field(request.query, 'token'))
    if (!order) return unknownOrder(request, reply, request.query)
    const view = viewOf(request, request.query, order)
    return orders.isOpen(order)
      ? sendPage(reply, approvalPage(view), originsOf(order))
      : closedOrder(reply, view)
  })

  app.post('/checkoutnow', async (request, reply) => {
    const { body } = request
    const order = book.orders.get(field(body, 'token'))
    if (!order) return unknownOrder(request, reply, body)
    const view = viewOf(request, body, order)
    if (!orders.isOpen(order)) return closedOrder(reply, view)
    const action = field(body, 'action')
    if (action === 'cancel') {
      orders.cancel(order.id)
      await book.written()
      return finish(reply, view, 'cancelled')
    }
    const typed = field(body, 'buyer_other').trim()
    const buyer = (typed || field(body, 'buyer') || 'buyer@buyer.test').toLowerCase()
    if (!isEmail(buyer) || (action !== 'approve' && action !== 'decline')) {
      const fault = approvalTexts[view.language].badAddress
      return sendPage(reply.code(400), approvalPage({ ...view, chosen: { buyer, fault } }), originsOf(order))
    }
    const chosen: Instrument = field(body, 'instrument') === 'other' ? 'other' : 'default'
    const country = field(body, 'country')
    const from = country === 'none' ? { country: null } : isCountry(country) ? { country } : {}
    orders.approve(
      order.id,
      { email: buyer, instrument: action === 'decline' ? 'declining' : chosen, ...from },
      view.fundingSource,
    )
    await book.written()
    return finish(reply, view, 'approved')
  })

  const finish = (
    reply: FastifyReply,
    { order, language, flow, origin }: ApprovalView,
    outcome: 'approved' | 'cancelled',
  ) => {
    const approved = outcome === 'approved'
    const payerID = approved ? payerIdOf(order.payer?.email ?? '') : ''
    if (flow === 'popup' && URL.canParse(origin)) {
      const result = { outcome, orderID: order.id, payerID, origin: new URL(origin).origin }
      return sendPage(reply, resultPage(language, result))
    }
    const address = approved ? order.context.return_url : order.context.cancel_url
    if (address && URL.canParse(address)) {
      const query = { token: order.id, ...(payerID ? { PayerID: payerID } : {}) }
      return reply.redirect(withQuery(address, query), 303)
    }
    const { cancelledTitle, done, doneTitle } = approvalTexts[language]
    return sendPage(reply, messagePage(language, approved ? doneTitle : cancelledTitle, done))
  }

  app.get('/', async (request, reply) => {
    const language: Language = languageOf(request, settings.language, field(request.query, 'locale'))
    return sendPage(reply, bookPage(core, language))
  })
  app.post('/', async (request, reply) => {
    await bookAction(core, request.body)
    await book.written()
    return reply.redirect('/', 303)
  })
}

/** One button of the emulator's page. A stale button (the capture has moved on) is refused in PayPal's shape. */
async function bookAction(core: Core, body: unknown): Promise<void> {
  const { captures, refunds, webhooks } = core
  const id = field(body, 'id')
  const action = field(body, 'action')
  if (action === 'release' || action === 'deny') captures.settle(id, action === 'release')
  else if (action === 'refund') refunds.refund(id, {})
  else if (action === 'reverse') refunds.refund(id, { note: 'Payment reversed' }, 'reversal')
  else if (action === 'resend') webhooks.resend(id)
  else if (action === 'reset') await core.reset()
  else if (action === 'faults') {
    const numberOf = (name: string): number => Number(field(body, name).replace(',', '.') || 'x')
    const numbers = [...faultNames, 'seed'].map((name) => [name, numberOf(name)])
    const { faults, seed, wrong } = readFaults(Object.fromEntries(numbers))
    if (wrong.length > 0) throw invalidFields(wrong)
    core.changeFaults(faults, seed)
  } else throw invalid('INVALID_PARAMETER_VALUE', { description: 'Unknown action.', field: '/action' })
}

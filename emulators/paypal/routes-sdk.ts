import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Core } from './core.ts'
import { FUNDING_NAMES } from './funding.ts'
import { field } from './http.ts'
import { isSupportedCurrency } from './money.ts'
import { languageOf, sdkTexts } from './pages/texts.ts'

/** The modules of `sdk/` as one classic script; they import only one another. */
const source = [
  new URL('./sdk/dom.js', import.meta.url),
  new URL('./sdk/popup.js', import.meta.url),
  new URL('./sdk/buttons.js', import.meta.url),
  new URL('./sdk/main.js', import.meta.url),
]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')
  .replaceAll(/^import .*$/gm, '')
  .replaceAll(/^export /gm, '')

const knownFunding = new Set(
  'paypal venmo applepay itau credit paylater card ideal sepa bancontact giropay sofort eps mybank p24 verkkopankki payu blik trustly zimpler maxima oxxo boletobancario wechatpay mercadopago multibanco satispay'.split(
    ' ',
  ),
)
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** The browser script and what it reads. */
export async function sdkRoutes(
  app: FastifyInstance,
  { orders, settings, urls, views }: Core,
): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/sdk/')) {
      reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
    }
  })

  app.get('/sdk/js', async (request, reply) => {
    const { query } = request
    const wrong = faultOf(query, settings.clientId)
    if (wrong) return refuse(reply, wrong)
    const disabled = listOf(field(query, 'disable-funding'))
    const enabled = listOf(field(query, 'enable-funding'))
    const components = listOf(field(query, 'components') || 'buttons')
    const language = languageOf(request, settings.language, field(query, 'locale'))
    const config = {
      publicUrl: urls.public,
      language,
      currency: field(query, 'currency') || 'USD',
      funding: FUNDING_NAMES.filter(
        (name) => (name === 'paypal' || enabled.includes(name)) && !disabled.includes(name),
      ),
      buttons: components.includes('buttons'),
      debug: field(query, 'debug') === 'true',
      texts: sdkTexts[language],
    }
    reply.type('application/javascript; charset=utf-8').header('vary', 'accept-language')
    return `(() => {\n'use strict'\n${source}\nstart(${JSON.stringify(config)})\n})()\n`
  })

  app.get('/sdk/orders/:id', async (request: FastifyRequest<{ Params: { id: string } }>) =>
    views.order(orders.find(request.params.id)),
  )
}

function faultOf(query: unknown, clientId: string): string | undefined {
  const currency = field(query, 'currency')
  const locale = field(query, 'locale')
  const client = field(query, 'client-id')
  const funding = [...listOf(field(query, 'enable-funding')), ...listOf(field(query, 'disable-funding'))]
  if (!client) return "'client-id' is missing"
  if (client !== clientId && client !== 'test' && client !== 'sb')
    return "'client-id not recognized for either production or sandbox'"
  if (currency && !isSupportedCurrency(currency)) return "'Invalid query value for currency'"
  if (locale && !/^[a-z]{2}_[A-Z]{2}$/.test(locale)) return "'Expected locale of the form xx_XX'"
  if (funding.some((name) => !knownFunding.has(name)))
    return "'Invalid query value for enable-funding or disable-funding'"
  const intent = field(query, 'intent')
  if (intent && intent !== 'capture') return "'this emulator only knows intent=capture'"
  return undefined
}

function refuse(reply: FastifyReply, reason: string): FastifyReply {
  const message = JSON.stringify(`SDK Validation error: ${reason}`)
  return reply.code(400).type('application/javascript; charset=utf-8').send(`throw new Error(${message})\n`)
}

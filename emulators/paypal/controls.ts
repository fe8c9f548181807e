import type { FastifyInstance, FastifyRequest } from 'fastify'
import { field, headerOf, same } from './http.ts'

const cookie = 'demo_token'
const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])
const refusal =
  'The controls of the PayPal emulator only answer on the machine that runs it, or with the token that its start prints.\n'

/**
 * The emulator's page and its own calls move money and show all buyers: they answer on this machine, and elsewhere with
 * the token. What PayPal has, too, is open to buyers and shops.
 */
export function guardControls(app: FastifyInstance, token: string | undefined): void {
  const isToken = (given: string | undefined): boolean =>
    token !== undefined && given !== undefined && same(given, token)

  app.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url ?? ''
    if (route !== '/' && (!route.startsWith('/_emulator/') || route === '/_emulator/health')) return
    if (isToken(field(request.query, 'token'))) {
      reply.header('set-cookie', `${cookie}=${token}; Path=/; HttpOnly; SameSite=Lax`)
      if (request.method === 'GET' && route === '/') return reply.redirect('/', 303)
      return
    }
    if (isToken(cookieOf(request)) || isOnThisMachine(request)) return
    return reply.code(403).type('text/plain; charset=utf-8').send(refusal)
  })
}

/** A direct connection from this machine to a name of this machine: neither a proxy nor another site's page. */
function isOnThisMachine(request: FastifyRequest): boolean {
  const from = request.raw.socket.remoteAddress ?? ''
  const isLoopback = from === '::1' || /^(?:::ffff:)?127\./.test(from)
  const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  return isLoopback && loopbackNames.has(name) && forwarded.every((header) => !headerOf(request, header))
}

const cookieOf = ({ headers }: FastifyRequest): string | undefined =>
  headers.cookie
    ?.split('; ')
    .find((one) => one.startsWith(`${cookie}=`))
    ?.slice(cookie.length + 1)

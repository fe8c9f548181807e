import type { FastifyInstance } from 'fastify'
import { Refusal } from '#shared/refusal.ts'

interface KnownPath {
  pattern: RegExp
  methods: Set<string>
}

/**
 * Answers API paths that do not exist with 404, and those that exist for other methods with 405 and an Allow header.
 * Must be called before the routes, since it listens to their registration.
 */
export function unknownApiPaths(app: FastifyInstance): void {
  const known = new Map<string, KnownPath>()

  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith('/api/') || url.includes('*')) return
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) path.methods.add(one)
    known.set(url, path)
  })

  for (const url of ['/api', '/api/*'])
    app.route({
      url,
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      config: { auth: 'ignored', withoutKey: 'it does nothing' },
      schema: { hide: true },
      // Before the body is read: whatever it is, the answer is the same.
      onRequest: async (request, reply) => {
        const path = new URL(request.url, 'http://shop').pathname
        const methods = [...known.values()].find((one) => one.pattern.test(path))?.methods
        // A path that takes this very method came here because its address is beyond what a route reads.
        if (!methods || methods.has(request.method))
          throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        reply.header('allow', [...methods].toSorted().join(', '))
        throw new Refusal('request.methodNotAllowed', 405, 'errors.request.methodNotAllowed')
      },
      handler: async () => undefined,
    })
}

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replace(/\/+$/, '').replace(/:\w+/g, '[^/]+').replace(/\./g, '\\.')}/?$`)

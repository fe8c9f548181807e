import type { FastifyInstance } from 'fastify'

/** Methods that HTTP adds by itself to a route that reads. */
const IMPLIED = new Set(['HEAD', 'OPTIONS'])

/** Every route that an app answers, as "GET /api/offers/:slug": read from the router itself, so none can be forgotten. */
export function routesOf(app: FastifyInstance): string[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', path = '', methods = ''] = /^(.*?)[├└]── (\S+) \((.+)\)$/.exec(line) ?? []
      if (!path) return []
      const depth = indent.length / 4
      above.length = depth
      above.push(path)
      const whole = above.join('').replace(/([^/])\*$/, '$1/*')
      return methods
        .split(', ')
        .filter((method) => !IMPLIED.has(method))
        .map((method) => `${method} ${whole}`)
    })
    .toSorted((one, other) => one.localeCompare(other))
}

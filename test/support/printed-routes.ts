import type { FastifyInstance } from 'fastify'

const IMPLIED = new Set(['HEAD', 'OPTIONS'])

/** Every route that an app serves, as "GET /api/offers/:slug", without the methods that HTTP adds by itself. */
export function routesOf(app: FastifyInstance): string[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', path = '', methods = ''] = /^(.*?)[├└]── (\S+) \((.+)\)$/.exec(line) ?? []
      if (!path) return []
      above.length = indent.length / 4
      above.push(path)
      const whole = above.join('').replace(/([^/])\*$/, '$1/*')
      return methods
        .split(', ')
        .filter((method) => !IMPLIED.has(method))
        .map((method) => `${method} ${whole}`)
    })
    .toSorted((one, other) => one.localeCompare(other))
}

import type { FastifyInstance } from 'fastify'

/** No call has a body with more arrays and objects in each other than five; who walks one by recursion needs a bound. */
const MAX_DEPTH = 32

/** Reads JSON bodies: an empty one is none, and one with more than 32 arrays and objects in each other is refused with 400. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    return void parse(request, body as string, (error, value: unknown) => {
      if (!error && isDeeper(value, MAX_DEPTH))
        done(Object.assign(new Error('The body has too many levels'), { statusCode: 400 }))
      else done(error, value)
    })
  })
}

/** Whether a value has more levels of arrays and objects; read level by level, since a recursion may not end. */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    level = level.filter((one) => typeof one === 'object' && one !== null)
    if (depth === most && level.length > 0) return true
    level = level.flatMap((one) => Object.values(one as object))
  }
  return false
}

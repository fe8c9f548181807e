import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { handleErrors } from './errors.ts'
import { acceptIdempotencyKeys, takesKey } from './idempotency.ts'

const SECRET = 'a secret of the tests, long enough to sign with'
const UNLIMITED = { check: () => undefined, hit: () => undefined } as unknown as Limit

let database: TestDatabase
let app: FastifyInstance
let userId = 0
let done = 0

beforeAll(async () => {
  database = await testDatabase()
  const made = await database.db
    .insertInto('users')
    .values({ username: 'ann', email: 'ann@example.test', password_hash: 'none' })
    .returning('id')
    .executeTakeFirstOrThrow()
  userId = made.id
  app = Fastify()
  handleErrors(app)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization) request.caller = { userId, sessionId: '1' }
  })
  acceptIdempotencyKeys(app, { db: database.db, secret: SECRET, calls: UNLIMITED, reused: UNLIMITED })
  app.delete('/api/thing/', async (_request, reply) => {
    done += 1
    return reply.code(204).send()
  })
  await app.ready()
})
afterAll(async () => {
  await app?.close()
  await database?.close()
})

const remove = (headers: Record<string, string>) =>
  app.inject({ method: 'DELETE', url: '/api/thing/', headers: { 'idempotency-key': 'one', ...headers } })

test('an answer without a body is kept, too', async () => {
  const before = done
  const answers = [await remove({ authorization: 'x' }), await remove({ authorization: 'x' })]
  expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
    [204, ''],
    [204, ''],
  ])
  expect(answers.map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true'])
  expect(done).toBe(before + 1)
})

test('a visitor’s key is nobody’s: nothing is kept under it', async () => {
  const before = done
  for (const answer of [await remove({}), await remove({})])
    expect(answer.headers['idempotency-replayed']).toBeUndefined()
  expect(done).toBe(before + 2)
})

test.each([
  ['POST', '/api/new/', {}, true],
  ['PUT', '/api/new/', { auth: 'optional' as const }, true],
  [['GET', 'PATCH'], '/api/new/', undefined, true],
  ['GET', '/api/new/', {}, false],
  ['POST', '/api/new/', { withoutKey: 'a reason' }, false],
  ['POST', '/elsewhere', { withoutKey: 'a reason' }, false],
])('whether %s %s with %j takes a key is decided when it is registered', (method, url, config, takes) => {
  expect(takesKey({ method, url, ...(config && { config }) })).toBe(takes)
})

test('a route that cannot know whose key it gets has to say why it takes none', () => {
  const fresh = Fastify()
  acceptIdempotencyKeys(fresh, { db: database.db, secret: SECRET, calls: UNLIMITED, reused: UNLIMITED })
  const open = () => fresh.post('/api/open/', { config: { auth: 'ignored' } }, async () => 1)
  expect(open).toThrow('POST /api/open/ does not know whose key it gets: say why in config.withoutKey')
  expect(() => fresh.post('/elsewhere', async () => 1)).toThrow('config.withoutKey')
})

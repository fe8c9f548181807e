import { randomBytes, randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accessTokens, authentication } from '#features/accounts/server/index.ts'
import { handleErrors } from '#platform/http/errors.ts'
import { readLanguage } from '#platform/http/request.ts'
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts'
import { onStatements } from '../../../../test/support/statements.ts'
import { TicketList } from '../tickets.contract.ts'
import { readPdf } from './pdf-reader.test-support.ts'
import { ticketsOfOrder } from './ticket-wire.ts'
import { ticketsRoutes } from './tickets.routes.ts'

let database: TestDatabase
let app: FastifyInstance
const tokens = accessTokens({ secret: 'a secret of the tests, long enough to sign with' })

beforeAll(async () => {
  database = await testDatabase()
  app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  await app.register(cookie)
  readLanguage(app)
  handleErrors(app)
  await app.register(authentication(tokens, database.db))
  const settings = { brand: 'Volant', publicUrl: 'https://shop.example', timeZone: 'Europe/Brussels' }
  await app.register(ticketsRoutes({ db: database.db, ...settings }))
})
afterAll(async () => {
  await app.close()
  await database.close()
})

let counter = 0

async function user(): Promise<{ id: number; token: string }> {
  counter += 1
  const { id } = await database.db
    .insertInto('users')
    .values({ username: `holder ${counter}`, email: `holder${counter}@example.test`, password_hash: '!' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return {
    id,
    token: await tokens.issue({ userId: id, sessionId: randomUUID() }),
  }
}

async function contest(total_tickets = 5000): Promise<number> {
  counter += 1
  const offer = {
    slug: `contest-${counter}`,
    title: `Concours ${counter}`,
    title_nl: `Wedstrijd ${counter}`,
    title_en: `Contest ${counter}`,
    price_cents: 490,
    total_tickets,
    end_date: new Date('2026-05-31T18:00:00Z'),
    number_key: randomBytes(32),
  }
  const { id } = await database.db
    .insertInto('offers')
    .values(offer)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function order(user_id: number): Promise<string> {
  const id = randomUUID()
  counter += 1
  await database.db
    .insertInto('orders')
    .values({
      id,
      user_id,
      cart_version: counter,
      state: 'completed',
      country: 'BE',
      language: 'fr',
      subtotal_cents: 490,
      tax_percent: 21,
      tax_cents: 103,
      total_cents: 593,
      hold_until: new Date(),
    })
    .execute()
  return id
}

/** Tickets of a user; a paid one needs its order. */
async function issue(
  user_id: number,
  offer_id: number,
  numbers: number[],
  more: Record<string, unknown> = {},
): Promise<string[]> {
  const rows = numbers.map((number) => ({
    id: randomUUID(),
    offer_id,
    number,
    user_id,
    source: 'postal',
    ...more,
  }))
  await database.db.insertInto('tickets').values(rows).execute()
  return rows.map(({ id }) => id)
}

const get = (url: string, token?: string, headers: Record<string, string> = { 'accept-language': 'en' }) =>
  app.inject({
    url,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  })
const list = async (token: string, url = '/api/tickets/') => TicketList.parse((await get(url, token)).json())
const download = (id: string, token?: string, headers?: Record<string, string>) =>
  get(`/api/tickets/${id}/download/`, token, headers)

describe.each(['/api/tickets/', '/api/tickets/user/'])('GET %s', (url) => {
  test('answers an empty list to who holds none', async () => {
    const anna = await user()
    const answer = await get(url, anna.token)
    expect([answer.statusCode, answer.json(), answer.headers['cache-control']]).toEqual([200, [], 'no-store'])
  })

  test('answers the caller’s own tickets only, whole [spec 3.15]', async () => {
    const [ben, other, offer_id] = [await user(), await user(), await contest()]
    const order_id = await order(ben.id)
    const issued_at = new Date('2026-03-04T14:05:00Z')
    const [id] = await issue(ben.id, offer_id, [42], { source: 'paid', order_id, issued_at })
    await issue(other.id, offer_id, [43, 44])
    const { slug, title, title_nl, title_en } = await database.db
      .selectFrom('offers')
      .selectAll()
      .where('id', '=', offer_id)
      .executeTakeFirstOrThrow()
    expect((await get(url, ben.token)).json()).toEqual([
      {
        id,
        ticket_number: '0042',
        title,
        title_nl,
        title_en,
        end_date: '2026-05-31T18:00:00.000Z',
        offer_id,
        offer_slug: slug,
        status: 'valid',
        source: 'paid',
        issued_at: '2026-03-04T14:05:00.000Z',
      },
    ])
  })

  test('puts the newest first, and those of one moment by number', async () => {
    const [carl, offer_id] = [await user(), await contest(24)]
    await issue(carl.id, offer_id, [9, 3], { issued_at: new Date('2026-01-01') })
    await issue(carl.id, offer_id, [20, 10], { issued_at: new Date('2026-02-01'), status: 'void' })
    const shown = (await list(carl.token, url)).map(
      ({ ticket_number, status }) => `${ticket_number} ${status}`,
    )
    expect(shown).toEqual(['10 void', '20 void', '03 valid', '09 valid'])
  })

  test('refuses a visitor [spec 6.9]', async () => {
    const answer = await get(url, undefined, { 'accept-language': 'nl' })
    expect([answer.statusCode, answer.json()]).toEqual([
      401,
      { detail: 'Log in om verder te gaan.', code: 'auth.required' },
    ])
  })

  test('takes thousands of tickets in its stride', async () => {
    const [dora, offer_id] = [await user(), await contest(250_000)]
    const numbers = Array.from({ length: 10_000 }, (_, index) => index * 7 + 1)
    for (let start = 0; start < numbers.length; start += 5000)
      await issue(dora.id, offer_id, numbers.slice(start, start + 5000))
    const statements: string[] = []
    onStatements(({ text, send }) => {
      statements.push(text)
      return send()
    })
    const tickets = (await get(url, dora.token)).json() as { ticket_number: string }[]
    const ofThousands = statements.splice(0)
    await get(url, (await user()).token)
    vi.restoreAllMocks()
    // As many statements as for nobody's tickets: none is asked for alone.
    expect(ofThousands).toEqual(statements.filter((text) => !text.startsWith('insert into "users"')))
    expect(new Set(tickets.map(({ ticket_number }) => ticket_number)).size).toBe(10_000)
  })
})

describe('downloading a ticket', () => {
  test.each([
    ['fr', 'Concours'],
    ['nl', 'Wedstrijd'],
    ['en', 'Contest'],
  ])('answers a PDF in the caller’s language (%s)', async (language, title) => {
    const [eve, offer_id] = [await user(), await contest()]
    const [id = ''] = await issue(eve.id, offer_id, [7])
    const answer = await download(id, eve.token, { 'accept-language': language })
    const [ticket] = await list(eve.token)
    expect([answer.statusCode, answer.headers]).toMatchObject([
      200,
      {
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="volant-${ticket?.offer_slug}-0007.pdf"`,
        'content-language': language,
        'content-length': String(answer.rawPayload.length),
        'cache-control': 'no-store',
      },
    ])
    const texts = readPdf(answer.rawPayload).elements.map(({ text }) => text)
    expect(texts).toEqual(
      expect.arrayContaining(['0007', `holder ${counter - 1}`, expect.stringContaining(title)]),
    )
    const again = await download(id.toUpperCase(), eve.token, { cookie: `language=${language}` })
    expect(again.rawPayload.equals(answer.rawPayload)).toBe(true)
  })

  test.each([
    ['fr', 'Billet introuvable.'],
    ['nl', 'Lot niet gevonden.'],
    ['en', 'Ticket not found.'],
  ])('somebody else’s, an unknown and a malformed one are not found (%s)', async (language, detail) => {
    const [finn, gus, offer_id] = [await user(), await user(), await contest()]
    const [his = ''] = await issue(gus.id, offer_id, [7])
    const malformed = [
      '1',
      '0',
      '-1',
      'x',
      "'%20or%20true--",
      '%00',
      his.slice(1),
      `${his}0`,
      'é'.repeat(30),
      '%F0%9F%9A%97',
    ]
    for (const id of [his, randomUUID(), ...malformed]) {
      const answer = await download(id, finn.token, { 'accept-language': language })
      expect([id, answer.statusCode, answer.json()]).toEqual([id, 404, { detail, code: 'ticket.notFound' }])
    }
    expect((await download(his, gus.token)).statusCode).toBe(200)
  })

  test('a visitor, an expired and a forged token get nothing [spec 6.14]', async () => {
    const [hal, offer_id] = [await user(), await contest()]
    const [id = ''] = await issue(hal.id, offer_id, [7])
    const caller = { userId: hal.id, sessionId: randomUUID() }
    const secret = 'a secret of the tests, long enough to sign with'
    const expired = await accessTokens({ secret, clock: () => new Date('2026-01-01') }).issue(caller)
    const forged = await accessTokens({ secret: `${secret}!` }).issue(caller)
    const answers = await Promise.all([download(id), download(id, expired), download(id, forged)])
    expect(answers.map((answer) => [answer.statusCode, answer.json<{ code: string }>().code])).toEqual([
      [401, 'auth.required'],
      [401, 'auth.tokenExpired'],
      [401, 'auth.tokenInvalid'],
    ])
  })

  test('staff see no more than their own here', async () => {
    const [ida, offer_id] = [await user(), await contest()]
    const [id = ''] = await issue(ida.id, offer_id, [7])
    const staff = await user()
    const rights = { is_staff: true, is_superuser: true }
    await database.db.updateTable('users').set(rights).where('id', '=', staff.id).execute()
    const token = await tokens.issue({ userId: staff.id, sessionId: randomUUID() })
    expect((await download(id, token)).statusCode).toBe(404)
    expect(await list(token)).toEqual([])
  })
})

test('the tickets of an order are those it brought, by contest and number', async () => {
  const [jim, first, second] = [await user(), await contest(24), await contest(24)]
  const [mine, another] = [await order(jim.id), await order(jim.id)]
  await issue(jim.id, second, [5], { source: 'paid', order_id: mine })
  await issue(jim.id, first, [21, 4], { source: 'paid', order_id: mine })
  await issue(jim.id, first, [7], { source: 'paid', order_id: another })
  const brought = (await ticketsOfOrder(database.db, mine)).map(({ offer_id, ticket_number }) => [
    offer_id,
    ticket_number,
  ])
  expect(brought).toEqual([
    [first, '04'],
    [first, '21'],
    [second, '05'],
  ])
  expect(await ticketsOfOrder(database.db, randomUUID())).toEqual([])
})

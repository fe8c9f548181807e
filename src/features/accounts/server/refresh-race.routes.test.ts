import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts'
import { accountsTestApp, member, send } from './accounts.test-app.ts'

const TABS = 50

let database: TestDatabase
/** Two processes on one database. */
let apps: FastifyInstance[]

beforeAll(async () => {
  database = await testDatabase()
  apps = [await accountsTestApp(database.db), await accountsTestApp(database.db)]
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await database.close()
})

const at = (index: number): FastifyInstance => apps[index % apps.length]!

const renew = (refresh: string, index: number) =>
  send(at(index), 'POST', '/api/token/refresh/', { body: { refresh } })

const everywhere = (refresh: string) =>
  Promise.all(Array.from({ length: TABS }, (_, index) => renew(refresh, index)))

test('fifty tabs that all renew at once, over two processes: each gets a token that works, none is logged out', async () => {
  const { refresh } = await member(at(0))
  const answers = await everywhere(refresh)
  expect(new Set(answers.map((one) => one.status))).toEqual(new Set([200]))
  const tokens = answers.map((one) => one.body['access'] as unknown as string)
  const uses = await Promise.all(
    tokens.map((token, index) => send(at(index + 1), 'GET', '/api/user/profile/', { token })),
  )
  expect(new Set(uses.map((one) => one.status))).toEqual(new Set([200]))
  expect((await renew(refresh, 0)).status, 'and once more').toBe(200)
})

test('a logout amid fifty renewals: whoever comes after it is refused, at every process, every time', async () => {
  const { refresh } = await member(at(0))
  const racing = everywhere(refresh)
  await send(at(1), 'POST', '/api/token/logout/', { body: { refresh } })
  for (const { status } of await racing) expect([200, 401]).toContain(status)
  const replayed = await everywhere(refresh)
  expect(new Set(replayed.map((one) => one.status))).toEqual(new Set([401]))
})

test('the token of a session that a new password has ended is refused every time, the session that changed it stays', async () => {
  const kim = await member(at(0))
  const other = await kim.logIn()
  const change = { current_password: kim.password, new_password: 'Chosen-1!', confirm_password: 'Chosen-1!' }
  const changed = await send(at(1), 'PUT', '/api/user/change-password/', { token: kim.access, body: change })
  expect(changed.status).toBe(200)
  const replayed = await everywhere(other.refresh)
  expect(new Set(replayed.map((one) => one.status))).toEqual(new Set([401]))
  expect((await renew(kim.refresh, 0)).status).toBe(200)
})

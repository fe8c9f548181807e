import { beforeEach, expect, test } from 'vitest'
import { CHEAP, member, newcomer, openAccounts, send } from './accounts.test-app.ts'
import { computeArgon2, createPasswords } from './passwords.ts'

/** What each hash cost, instead of how long it took. */
const hashes: string[] = []
const passwords = createPasswords(CHEAP, (algorithm, parameters) => {
  const { memory, passes, parallelism, tagLength } = parameters
  hashes.push([memory, passes, parallelism, tagLength].join())
  return computeArgon2(algorithm, parameters)
})

const { database, app } = await openAccounts({ passwords })
const kim = await member(app)
const suspended = await member(app)
await database.db
  .updateTable('users')
  .set({ is_active: false })
  .where('email', '=', suspended.email)
  .execute()

beforeEach(() => {
  hashes.length = 0
})

const work = async (url: string, body: unknown) => {
  hashes.length = 0
  const answer = await send(app, 'POST', url, { body })
  const names = Object.keys(answer.headers).filter((name) => !['date', 'content-length'].includes(name))
  return { status: answer.status, body: answer.body, names, hashes: [...hashes] }
}

test('a refused login costs one and the same hash, whoever it is for', async () => {
  const known = await work('/api/token/', { username: kim.email, password: 'wrong' })
  expect(known.status).toBe(401)
  expect(known.hashes).toHaveLength(1)
  for (const username of ['nobody@example.test', kim.username, 'nobody', suspended.email, 'no\u0000body'])
    expect(await work('/api/token/', { username, password: 'wrong' }), username).toEqual(known)
})

test('asking for a new password costs no hash and gets one answer, whoever it is for', async () => {
  const known = await work('/api/user/forgot-password/', { email: kim.email })
  expect(known).toMatchObject({ status: 202, hashes: [] })
  for (const email of ['nobody@example.test', suspended.email])
    expect(await work('/api/user/forgot-password/', { email }), email).toEqual(known)
})

test('a registration says what is taken, as decided, and hashes only for the account it makes', async () => {
  expect(await work('/api/user/register/', newcomer({ email: kim.email }))).toMatchObject({
    status: 400,
    body: { email: ['An account with this email address already exists.'] },
    hashes: [],
  })
  expect(await work('/api/user/register/', newcomer())).toMatchObject({
    status: 201,
    hashes: [expect.any(String)],
  })
})

test('a link that is none costs no hash', async () => {
  const body = { token: 'x'.repeat(43), new_password: 'Correct1!', confirm_password: 'Correct1!' }
  expect(await work('/api/user/reset-password/', body)).toMatchObject({ status: 410, hashes: [] })
})

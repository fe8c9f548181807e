import { describe, expect, test } from 'vitest'
import {
  hour,
  newNetwork,
  newcomer,
  openAccounts,
  passwordChange,
  statusesInTurn,
} from './accounts.test-app.ts'
import { statuses } from '../../../../test/support/races.ts'

const limits = {
  login: { accountAtAddress: hour(5), account: hour(8), address: hour(40) },
  register: { address: hour(3) },
  refresh: { account: hour(60) },
  logout: { account: hour(3), address: hour(5) },
  password: { account: hour(2) },
  rightPassword: { account: hour(5), address: hour(6) },
  profile: { account: hour(2) },
  forgot: { account: hour(1), address: hour(2) },
  reset: { address: hour(2) },
}
const shop = await openAccounts({ limits })
/** Two processes on one database. */
const processes = [shop, await shop.another({ limits })]
const { member } = shop

const logIn = (username: string, password: string, from: string, process = 0) =>
  processes[process]!.logIn(username, password, { from })
const statusOf = async (...login: Parameters<typeof logIn>) => (await logIn(...login)).status

/** Failed logins in turn: at one network, or each at a new one. */
const guess = (count: number, username: string, from?: string) =>
  statusesInTurn(count, (index) => logIn(username, 'wrong', from ?? newNetwork(), index % 2))

/** An account that was registered at a network and never used. */
async function account(from = newNetwork()) {
  const body = newcomer()
  expect((await shop.register(body, { from })).status).toBe(201)
  return body
}

describe('failed logins', () => {
  test('beyond five at a network refuse even the right password, with the time to wait', async () => {
    const { email, password } = await account()
    const from = newNetwork()
    expect(await guess(6, email, from)).toEqual([401, 401, 401, 401, 401, 429])
    const refused = await logIn(email, password, from)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(refused.body).toMatchObject({
      code: 'limit.login',
      detail: expect.stringMatching(/^Too many requests\. Please try again in \d+ seconds?\.$/),
    })
    expect(await statusOf(email, password, newNetwork()), 'elsewhere').toBe(200)
  })

  test('are forgotten after a login', async () => {
    const { email, password } = await account()
    const from = newNetwork()
    for (let round = 0; round < 3; round += 1) {
      await guess(4, email, from)
      expect(await statusOf(email, password, from)).toBe(200)
    }
  })

  test('of strangers do not lock the owner out on a network of an earlier login', async () => {
    const { email, password } = await account()
    const home = newNetwork()
    expect(await statusOf(email, password, home)).toBe(200)
    expect(await guess(12, email)).toEqual([...Array(8).fill(401), ...Array(4).fill(429)])
    expect(await statusOf(email, password, newNetwork()), 'elsewhere').toBe(429)
    expect(await statusOf(email, password, home)).toBe(200)
  })

  test.each([
    ['username', 'email'],
    ['email', 'username'],
  ] as const)(
    'of strangers do not lock the owner out after a login by %s and then by %s',
    async (by, other) => {
      const one = await account()
      const home = newNetwork()
      expect(await statusOf(one[by], one.password, home)).toBe(200)
      await guess(9, one[other])
      expect(await statusOf(one[other], one.password, newNetwork()), 'elsewhere').toBe(429)
      expect(await statusOf(one[other], one.password, home)).toBe(200)
    },
  )

  test('count together by e-mail and by username, in any spelling', async () => {
    const { email, username } = await account()
    const names = [email, username, email.toUpperCase(), ` ${username.toUpperCase()} `]
    const guesses = []
    for (let index = 0; index < 10; index += 1)
      guesses.push(...(await guess(1, names[index % names.length] ?? email)))
    expect(guesses).toEqual([...Array(8).fill(401), 429, 429])
  })

  test('of strangers do not lock the owner out at home after a change of the address', async () => {
    const { email, password } = await account()
    const home = newNetwork()
    const { body } = await logIn(email, password, home)
    const owner = { access: body['access'] ?? '', password }
    expect((await shop.changeEmail(owner, `new-${email}`, { from: home })).status).toBe(200)
    await guess(9, `new-${email}`)
    expect(await statusOf(`new-${email}`, password, newNetwork()), 'elsewhere').toBe(429)
    expect(await statusOf(`new-${email}`, password, home)).toBe(200)
  })

  test('of strangers do not lock the owner out before the first login, where the account was made', async () => {
    const home = newNetwork()
    const { email, username, password } = await account(home)
    await guess(9, email)
    await guess(9, username)
    expect(await statusOf(email, password, newNetwork()), 'elsewhere').toBe(429)
    expect(await statusOf(email, password, home, 1)).toBe(200)
    expect(await statusOf(username, password, home)).toBe(200)
  })

  test('where an account was made are limited as anywhere, also after a refused registration', async () => {
    const home = newNetwork()
    const body = await account(home)
    expect(await guess(7, body.email, home)).toEqual([401, 401, 401, 401, 401, 429, 429])
    const again = await shop.register({ ...body, username: 'somebody else' }, { from: home })
    expect(again.status).toBe(400)
    expect(await statusOf(body.email, 'wrong', home)).toBe(429)
  })

  test('are counted and get the same response with and without an account', async () => {
    const { email } = await account()
    const shape = async (name: string) => {
      const from = newNetwork()
      const responses = []
      let counted = 0
      for (let index = 0; index < 7; index += 1) {
        if (index === 5) counted = performance.now()
        responses.push(await logIn(name, 'wrong', from))
      }
      const went = (performance.now() - counted) / 1_000
      return responses.map(({ status, body, headers }) => {
        // The pause is the same; the remaining time depends on the speed of this machine.
        const left = Number(headers['retry-after'] ?? 15)
        expect(left).toBeLessThanOrEqual(15)
        expect(left).toBeGreaterThanOrEqual(15 - went - 1)
        return [status, JSON.stringify(body).replace(`in ${left} second`, 'in N second')]
      })
    }
    expect(await shape('nobody@example.test')).toEqual(await shape(email))
  })

  test('for many accounts from one network are limited', async () => {
    const from = newNetwork()
    const responses = await statusesInTurn(43, (index) => logIn(`nobody${index}@example.test`, 'wrong', from))
    expect(responses).toEqual([...Array(40).fill(401), 429, 429, 429])
  })
})

describe('right passwords', () => {
  test('of one account are limited over all networks, logins and changes together', async () => {
    const one = await account()
    const next = 'Another-1!'
    const { body } = await logIn(one.email, one.password, newNetwork())
    const change = (current: string, replacement: string) =>
      shop.changePassword(body['access'] ?? '', passwordChange(current, replacement), { from: newNetwork() })
    expect((await change(one.password, 'Another-1')).status).toBe(400)
    expect((await change(one.password, next)).status).toBe(200)
    const more = await statusesInTurn(3, () => logIn(one.email, next, newNetwork()))
    expect(more).toEqual([200, 200, 200])
    const refused = await logIn(one.username, next, newNetwork())
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    for (const response of [refused, await change(one.password, 'Another-2!')])
      expect(response).toMatchObject({ status: 429, body: { code: 'limit.rightPassword' } })
  })

  test('of many accounts from one network are limited, and wrong ones do not count', async () => {
    const from = newNetwork()
    const responses = []
    for (let index = 0; index < 7; index += 1) {
      const { email, password } = await account()
      responses.push(await statusOf(email, 'wrong', from), await statusOf(email, password, from))
    }
    expect(responses).toEqual([...Array(6).fill([401, 200]).flat(), 429, 429])
  })
})

test('registrations of a network are limited, refused ones too, because they show who has an account', async () => {
  const from = newNetwork()
  const { email } = await account()
  const responses = []
  for (const change of [{ email }, { email }, {}, {}])
    responses.push(await shop.register(newcomer(change), { from }))
  expect(responses.map(({ status }) => status)).toEqual([400, 400, 201, 429])
  expect(responses[3]?.body).toMatchObject({ code: 'limit.register' })
  expect(Number(responses[3]?.headers['retry-after'])).toBeGreaterThan(3_000)
})

test('requests for reset links are limited by network, and their responses do not depend on the address', async () => {
  const from = newNetwork()
  const byNetwork = await statusesInTurn(3, (index) => shop.forgot(`n${index}@example.test`, { from }))
  expect(byNetwork).toEqual([202, 202, 429])
  const byAddress = await statusesInTurn(3, () => shop.forgot('same@example.test', { from: newNetwork() }))
  expect(byAddress).toEqual([202, 202, 202])
})

test('invalid reset links are limited', async () => {
  expect(await statusesInTurn(3, () => shop.reset('nonsense', 'Correct1!'))).toEqual([410, 410, 429])
})

test('wrong current passwords are limited, and right ones do not count', async () => {
  const kim = await member()
  const change = (current: string, next: string) =>
    shop.changePassword(kim.access, passwordChange(current, next))
  const chosen = [kim.password, 'Chosen-1!', 'Chosen-2!', 'Chosen-3!']
  const right = await statusesInTurn(3, (index) => change(chosen[index]!, chosen[index + 1]!))
  expect(right).toEqual([200, 200, 200])
  expect(await statusesInTurn(2, () => change('wrong', 'Chosen-4!'))).toEqual([400, 400])
  const refused = await change('Chosen-3!', 'Chosen-4!')
  expect(refused).toMatchObject({ status: 429, body: { code: 'limit.password' } })
})

test('changes of the profile are limited, because they show which addresses are taken', async () => {
  const lee = await member()
  const change = () => shop.updateProfile(lee.access, { email: lee.email, phone: '' })
  expect(await statusesInTurn(3, change)).toEqual([200, 200, 429])
})

test('logouts without a session are limited by network and token, and a logout from the same network succeeds', async () => {
  const from = newNetwork()
  expect(await statusesInTurn(5, (index) => shop.logOut(`nonsense ${index}`, { from }))).toEqual(
    Array(5).fill(204),
  )
  const refused = { status: 429, body: { code: 'limit.logout' } }
  expect(await shop.logOut('nonsense', { from })).toMatchObject(refused)
  const { refresh } = await member()
  const renew = async () => (await shop.refresh(refresh)).status
  expect([await renew(), (await shop.logOut(refresh, { from })).status, await renew()]).toEqual([
    200, 204, 401,
  ])
  expect((await shop.logOut(refresh, { from })).status, 'a second time').toBe(429)
  const same = await statusesInTurn(4, () => shop.logOut('one session', { from: newNetwork() }))
  expect(same).toEqual([204, 204, 204, 429])
})

test('renewals of a session are limited, beyond fifty tabs at once', async () => {
  const { refresh } = await member()
  const renew = (length: number) => Promise.all(Array.from({ length }, () => shop.refresh(refresh)))
  expect(new Set(statuses(await renew(50)))).toEqual(new Set([200]))
  expect(statuses(await renew(20)).filter((status) => status === 429)).toHaveLength(10)
})

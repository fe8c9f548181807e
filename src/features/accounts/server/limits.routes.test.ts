import { describe, expect, test } from 'vitest'
import { member, newcomer, openAccounts, send } from './accounts.test-app.ts'

const hour = (count: number) => ({ count, seconds: 3_600 })

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
const { app, another } = await openAccounts({ limits })
/** Two processes on one database. */
const apps = [app, await another({ limits })]

let networks = 0
const newNetwork = () => `198.51.100.${(networks += 1)}`

const post = (url: string, body: unknown, from: string, process = 0) =>
  apps[process]!.inject({
    method: 'POST',
    url,
    payload: body as object,
    headers: { 'accept-language': 'en' },
    remoteAddress: from,
  })

const logIn = async (username: string, password: string, from: string, process = 0) =>
  post('/api/token/', { username, password }, from, process)

const statuses = (answers: readonly { statusCode: number }[]) =>
  answers.map((one) => one.statusCode).toSorted((a, b) => a - b)

/** An account of its own, registered somewhere else. */
async function account() {
  const body = newcomer()
  const made = await post('/api/user/register/', body, newNetwork())
  if (made.statusCode !== 201) throw new Error(made.body)
  return body
}

describe('failed logins', () => {
  test('five are free at a network; then even the right password has to wait, and the answer says how long', async () => {
    const { email, password } = await account()
    const from = newNetwork()
    const wrong = []
    for (let index = 0; index < 6; index += 1) wrong.push(await logIn(email, 'wrong', from, index % 2))
    expect(statuses(wrong)).toEqual([401, 401, 401, 401, 401, 429])
    const refused = await logIn(email, password, from)
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(refused.json()).toMatchObject({
      code: 'limit.login',
      detail: expect.stringMatching(/^Too many requests\. Please try again in \d+ seconds?\.$/),
    })
    expect((await logIn(email, password, newNetwork())).statusCode, 'from elsewhere').toBe(200)
  })

  test('a hundred at once over two processes are no more guesses than five', async () => {
    const { email } = await account()
    const from = newNetwork()
    const storm = await Promise.all(
      Array.from({ length: 20 }, (_, index) => logIn(email, 'wrong', from, index % 2)),
    )
    expect(storm.filter((one) => one.statusCode === 401)).toHaveLength(5)
  })

  test('a login in between forgets them', async () => {
    const { email, password } = await account()
    const from = newNetwork()
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 4; index += 1) await logIn(email, 'wrong', from)
      expect((await logIn(email, password, from)).statusCode).toBe(200)
    }
  })

  test('strangers who use up an account’s failures do not keep its owner out', async () => {
    const { email, password } = await account()
    const home = newNetwork()
    expect((await logIn(email, password, home)).statusCode).toBe(200)
    const attack = []
    for (let index = 0; index < 12; index += 1) attack.push(await logIn(email, 'wrong', newNetwork()))
    expect(statuses(attack)).toEqual([...Array(8).fill(401), ...Array(4).fill(429)])
    expect((await logIn(email, password, newNetwork())).statusCode, 'a new place').toBe(429)
    expect((await logIn(email, password, home)).statusCode, 'where the owner was before').toBe(200)
  })

  test.each([
    ['username', 'email'],
    ['email', 'username'],
  ] as const)(
    'by strangers do not keep the owner out who was here by %s and now uses the %s',
    async (by, other) => {
      const one = await account()
      const home = newNetwork()
      expect((await logIn(one[by], one.password, home)).statusCode).toBe(200)
      for (let index = 0; index < 9; index += 1) await logIn(one[other], 'wrong', newNetwork())
      expect((await logIn(one[other], one.password, newNetwork())).statusCode, 'elsewhere').toBe(429)
      expect((await logIn(one[other], one.password, home)).statusCode, 'here').toBe(200)
    },
  )

  test('by strangers at a new address do not keep its owner out at home', async () => {
    const { email, password } = await account()
    const home = newNetwork()
    const { access } = (await logIn(email, password, home)).json() as { access: string }
    const changed = await apps[0]!.inject({
      method: 'PUT',
      url: '/api/user/profile/',
      payload: { email: `new-${email}` },
      headers: { authorization: `Bearer ${access}` },
      remoteAddress: home,
    })
    expect(changed.statusCode).toBe(200)
    for (let index = 0; index < 9; index += 1) await logIn(`new-${email}`, 'wrong', newNetwork())
    expect((await logIn(`new-${email}`, password, newNetwork())).statusCode, 'elsewhere').toBe(429)
    expect((await logIn(`new-${email}`, password, home)).statusCode).toBe(200)
  })

  test('by strangers do not keep out who has not logged in yet, where the account was opened', async () => {
    const body = newcomer()
    const home = newNetwork()
    expect((await post('/api/user/register/', body, home)).statusCode).toBe(201)
    for (const name of [body.email, body.username])
      for (let index = 0; index < 9; index += 1) await logIn(name, 'wrong', newNetwork())
    expect((await logIn(body.email, body.password, newNetwork())).statusCode, 'elsewhere').toBe(429)
    expect((await logIn(body.email, body.password, home, 1)).statusCode).toBe(200)
    expect((await logIn(body.username, body.password, home)).statusCode, 'by username').toBe(200)
  })

  test('free ones where an account was opened are as many as anywhere', async () => {
    const body = newcomer()
    const home = newNetwork()
    await post('/api/user/register/', body, home)
    const wrong = []
    for (let index = 0; index < 7; index += 1) wrong.push(await logIn(body.email, 'wrong', home))
    expect(statuses(wrong)).toEqual([401, 401, 401, 401, 401, 429, 429])
    const again = await post('/api/user/register/', { ...body, username: 'somebody else' }, home)
    expect(again.statusCode).toBe(400)
    expect((await logIn(body.email, 'wrong', home)).statusCode, 'a refused registration').toBe(429)
  })

  test('are counted and answered alike whether there is such an account or not', async () => {
    const { email } = await account()
    const shape = async (name: string) => {
      const from = newNetwork()
      const answers = []
      for (let index = 0; index < 5; index += 1) answers.push(await logIn(name, 'wrong', from))
      const counted = performance.now()
      for (let index = 0; index < 2; index += 1) answers.push(await logIn(name, 'wrong', from))
      const went = (performance.now() - counted) / 1_000
      return answers.map((one) => {
        // The pause is the same; how much of it is left depends on how long this machine took.
        const left = Number(one.headers['retry-after'] ?? 15)
        expect(left).toBeLessThanOrEqual(15)
        expect(left).toBeGreaterThanOrEqual(15 - went - 1)
        return [one.statusCode, one.body.replace(`in ${left} second`, 'in N second')]
      })
    }
    expect(await shape('nobody@example.test')).toEqual(await shape(email))
  })

  test('of many accounts from one network are refused', async () => {
    const from = newNetwork()
    const answers = []
    for (let index = 0; index < 43; index += 1)
      answers.push(await logIn(`nobody${index}@example.test`, 'wrong', from))
    expect(statuses(answers)).toEqual([...Array(40).fill(401), 429, 429, 429])
  })
})

describe('right passwords', () => {
  test('of one account are limited wherever they come from, logins and changes together', async () => {
    const one = await account()
    const change = async (token: string, from: string, password: string) =>
      apps[0]!.inject({
        method: 'PUT',
        url: '/api/user/change-password/',
        payload: { current_password: one.password, new_password: password, confirm_password: password },
        headers: { authorization: `Bearer ${token}` },
        remoteAddress: from,
      })
    const first = await logIn(one.email, one.password, newNetwork())
    const token = first.json<{ access: string }>().access
    expect((await change(token, newNetwork(), 'Another-1')).statusCode).toBe(400)
    expect((await change(token, newNetwork(), 'Another-1!')).statusCode).toBe(200)
    for (let index = 0; index < 3; index += 1)
      expect((await logIn(one.email, 'Another-1!', newNetwork())).statusCode).toBe(200)
    const refused = [
      await logIn(one.username, 'Another-1!', newNetwork()),
      await change(token, newNetwork(), 'Another-2!'),
    ]
    expect(refused.map((answer) => [answer.statusCode, answer.json<{ code: string }>().code])).toEqual([
      [429, 'limit.rightPassword'],
      [429, 'limit.rightPassword'],
    ])
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  })

  test('of many accounts from one network are limited, and a wrong one is none of them', async () => {
    const from = newNetwork()
    const answers = []
    for (let index = 0; index < 7; index += 1) {
      const { email, password } = await account()
      answers.push((await logIn(email, 'wrong', from)).statusCode)
      answers.push((await logIn(email, password, from)).statusCode)
    }
    expect(answers).toEqual([...Array(6).fill([401, 200]).flat(), 429, 429])
  })
})

describe('other calls of accounts', () => {
  test('registrations of one network are limited, refused ones too: their answers tell who has an account', async () => {
    const from = newNetwork()
    const { email } = await account()
    const answers = []
    for (const change of [{ email }, { email }, {}, {}])
      answers.push(await post('/api/user/register/', newcomer(change), from))
    expect(answers.map((one) => one.statusCode)).toEqual([400, 400, 201, 429])
    expect(answers[3]?.json()).toMatchObject({ code: 'limit.register' })
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(3_000)
  })

  test('links for a new password are limited by network, and nobody is told how often an address was asked for', async () => {
    const from = newNetwork()
    const forgotten = []
    for (let index = 0; index < 3; index += 1)
      forgotten.push(await post('/api/user/forgot-password/', { email: `n${index}@example.test` }, from))
    expect(forgotten.map((one) => one.statusCode)).toEqual([202, 202, 429])
    for (let index = 0; index < 3; index += 1) {
      const again = await post('/api/user/forgot-password/', { email: 'same@example.test' }, newNetwork())
      expect(again.statusCode).toBe(202)
    }
  })

  test('setting new passwords with links that are none is limited', async () => {
    const from = newNetwork()
    const body = { token: 'nonsense', new_password: 'Correct1!', confirm_password: 'Correct1!' }
    const answers = []
    for (let index = 0; index < 3; index += 1)
      answers.push(await post('/api/user/reset-password/', body, from))
    expect(answers.map((one) => one.statusCode)).toEqual([410, 410, 429])
  })

  test('wrong current passwords are limited, right ones do not count', async () => {
    const kim = await member(apps[0]!)
    const change = (current: string, next: string) =>
      send(apps[0]!, 'PUT', '/api/user/change-password/', {
        token: kim.access,
        body: { current_password: current, new_password: next, confirm_password: next },
      })
    for (const [from, to] of [
      [kim.password, 'Chosen-1!'],
      ['Chosen-1!', 'Chosen-2!'],
      ['Chosen-2!', 'Chosen-3!'],
    ])
      expect((await change(from!, to!)).status).toBe(200)
    expect((await change('wrong', 'Chosen-4!')).status).toBe(400)
    expect((await change('wrong', 'Chosen-4!')).status).toBe(400)
    expect(await change('Chosen-3!', 'Chosen-4!')).toMatchObject({
      status: 429,
      body: { code: 'limit.password' },
    })
  })

  test('changes of the profile are limited: they tell which addresses are taken', async () => {
    const lee = await member(apps[0]!)
    const seen = []
    for (let index = 0; index < 3; index += 1) {
      const change = { token: lee.access, body: { email: lee.email, phone: '' } }
      seen.push((await send(apps[0]!, 'PUT', '/api/user/profile/', change)).status)
    }
    expect(seen).toEqual([200, 200, 429])
  })

  test('ends of sessions are limited, those of tokens that are none too', async () => {
    const from = newNetwork()
    const end = (refresh: string, at = from) => post('/api/token/logout/', { refresh }, at)
    const answers = []
    for (let index = 0; index < 6; index += 1) answers.push(await end(`nonsense ${index}`))
    expect(statuses(answers)).toEqual([...Array(5).fill(204), 429])
    expect(answers[5]?.json()).toMatchObject({ code: 'limit.logout' })
    const { email, password } = await account()
    const { refresh } = (await logIn(email, password, newNetwork())).json() as { refresh: string }
    const renew = async () => (await post('/api/token/refresh/', { refresh }, newNetwork())).statusCode
    expect([await renew(), (await end(refresh)).statusCode, await renew()], 'a neighbour').toEqual([
      200, 204, 401,
    ])
    expect((await end(refresh)).statusCode, 'once more').toBe(429)
    const same = []
    for (let index = 0; index < 4; index += 1) same.push(await end('one session', newNetwork()))
    expect(statuses(same)).toEqual([204, 204, 204, 429])
  })

  test('renewals of one session are limited, and fifty tabs at once are none too many', async () => {
    const from = newNetwork()
    const { email, password } = await account()
    const { refresh } = (await logIn(email, password, from)).json() as { refresh: string }
    const renew = () => post('/api/token/refresh/', { refresh }, from)
    const tabs = await Promise.all(Array.from({ length: 50 }, renew))
    expect(new Set(statuses(tabs))).toEqual(new Set([200]))
    const more = await Promise.all(Array.from({ length: 20 }, renew))
    expect(more.filter((one) => one.statusCode === 429)).toHaveLength(10)
  })
})

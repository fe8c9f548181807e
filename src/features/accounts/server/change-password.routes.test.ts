import { expect, test } from 'vitest'
import { accountsTestApp, member, send, openAccounts } from './accounts.test-app.ts'

const { database, app } = await openAccounts()

const GOOD = 'N3w!password'

const change = (token: string, body: unknown, language: 'fr' | 'nl' | 'en' = 'en') =>
  send(app, 'PUT', '/api/user/change-password/', { token, body, language })
const refreshes = async (token: string) =>
  (await send(app, 'POST', '/api/token/refresh/', { body: { refresh: token } })).status
const logsIn = async (username: string, password: string) =>
  (await send(app, 'POST', '/api/token/', { body: { username, password } })).status

test.each([
  ['fr', 'Mot de passe modifié'],
  ['nl', 'Wachtwoord gewijzigd'],
  ['en', 'Password updated successfully'],
] as const)('the new password counts, the old one no longer (%s)', async (language, detail) => {
  const anna = await member(app)
  const body = { current_password: anna.password, new_password: GOOD, confirm_password: GOOD }
  const answer = await change(anna.access, body, language)
  expect([answer.status, answer.body]).toEqual([200, { detail }])
  expect([await logsIn(anna.email, anna.password), await logsIn(anna.email, GOOD)]).toEqual([401, 200])
})

test('it ends the other sessions and keeps this one', async () => {
  const ben = await member(app)
  const [phone, tablet] = [await ben.logIn(), await ben.logIn()]
  const stranger = await member(app)
  const body = { current_password: ben.password, new_password: GOOD, confirm_password: GOOD }
  expect((await change(phone.access, body)).status).toBe(200)
  const after = await Promise.all([ben, phone, tablet, stranger].map(({ refresh }) => refreshes(refresh)))
  expect(after).toEqual([401, 200, 401, 200])
})

test.each([
  ['old_password', { old_password: 'correct horse', new_password: GOOD, confirm_password: GOOD }],
  ['camelCase', { currentPassword: 'correct horse', newPassword: GOOD, confirmPassword: GOOD }],
  ['oldPassword', { oldPassword: 'correct horse', newPassword: GOOD, confirm_password: GOOD }],
  [
    'both, where the canonical one wins',
    { old_password: 'wrong', current_password: 'correct horse', new_password: GOOD, confirm_password: GOOD },
  ],
])('the fields may be spelled otherwise: %s', async (_, body) => {
  const carl = await member(app)
  expect((await change(carl.access, body)).status).toBe(200)
})

test.each([
  ['short1!', 'Short1!', ['Password must be at least 8 characters']],
  ['no uppercase', 'lower1!case', ['Password must contain at least one uppercase letter']],
  ['no lowercase', 'UPPER1!CASE', ['Password must contain at least one lowercase letter']],
  ['no digit', 'No!digits-here', ['Password must contain at least one digit']],
  ['no special', 'NoSpecial1-+', ['Password must contain at least one special character from !@#$%^&*']],
  [
    'nothing but spaces',
    '       ',
    [
      'Password must be at least 8 characters',
      'Password must contain at least one uppercase letter',
      'Password must contain at least one lowercase letter',
      'Password must contain at least one digit',
      'Password must contain at least one special character from !@#$%^&*',
    ],
  ],
  ['too long', `Aa1!${'x'.repeat(253)}`, ['Password cannot be longer than 256 characters']],
])(
  '%s is refused under new_password, each rule with its own message [spec 5.29-5.33]',
  async (_, password, messages) => {
    const dora = await member(app)
    const body = { current_password: dora.password, new_password: password, confirm_password: password }
    const answer = await change(dora.access, body)
    expect([answer.status, answer.body]).toEqual([400, { new_password: messages }])
    expect(await logsIn(dora.email, dora.password)).toBe(200)
  },
)

test('one that everybody tries is refused where the shop says so', async () => {
  const strict = await accountsTestApp(database.db, { passwordPolicy: 'strong' })
  try {
    const fay = await member(app)
    const body = {
      current_password: fay.password,
      new_password: 'Password1!',
      confirm_password: 'Password1!',
    }
    const refused = await send(strict, 'PUT', '/api/user/change-password/', { token: fay.access, body })
    expect([refused.status, refused.body]).toEqual([
      400,
      { new_password: ['This password is too well known. Choose another one that only you know'] },
    ])
    expect((await change(fay.access, body)).status).toBe(200)
  } finally {
    await strict.close()
  }
})

test('other characters are welcome beside the required ones', async () => {
  const eve = await member(app)
  const password = 'Åbç 1! 漢字🚗'
  expect(
    (
      await change(eve.access, {
        current_password: eve.password,
        new_password: password,
        confirm_password: password,
      })
    ).status,
  ).toBe(200)
  expect(await logsIn(eve.email, password)).toBe(200)
})

test.each([
  [
    'a wrong current password',
    { current_password: 'wrong' },
    { current_password: ['The current password is incorrect.'] },
  ],
  [
    'no current password',
    { current_password: '' },
    { current_password: ['Please enter your current password'] },
  ],
  [
    'another confirmation',
    { confirm_password: `${GOOD}?` },
    { confirm_password: ['Passwords do not match'] },
  ],
  [
    'no confirmation',
    { confirm_password: undefined },
    { confirm_password: ['Please confirm your password'] },
  ],
  [
    'a weak password and another confirmation',
    { new_password: 'Aa1-----', confirm_password: 'x' },
    {
      new_password: ['Password must contain at least one special character from !@#$%^&*'],
      confirm_password: ['Passwords do not match'],
    },
  ],
  [
    'wrong types',
    { current_password: 1, new_password: {}, confirm_password: GOOD },
    { current_password: ['Please enter your current password'], new_password: ['Password is required'] },
  ],
])('%s changes nothing', async (_, part, fields) => {
  const finn = await member(app)
  const other = await finn.logIn()
  const answer = await change(finn.access, {
    current_password: finn.password,
    new_password: GOOD,
    confirm_password: GOOD,
    ...part,
  })
  expect([answer.status, answer.body]).toEqual([400, fields])
  expect([await logsIn(finn.email, finn.password), await refreshes(other.refresh)]).toEqual([200, 200])
})

test('two changes at once: one wins, the other is told that its current password is old', async () => {
  for (let round = 0; round < 5; round += 1) {
    const gus = await member(app)
    const passwords = ['First1!!', 'Second2!!'] as const
    const answers = await Promise.all(
      passwords.map((password) =>
        change(gus.access, {
          current_password: gus.password,
          new_password: password,
          confirm_password: password,
        }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400])
    expect(await logsIn(gus.email, passwords[statuses.indexOf(200)] ?? '')).toBe(200)
  }
})

test('a session that was logged out, and a visitor, change nothing', async () => {
  const hal = await member(app)
  await send(app, 'POST', '/api/token/logout/', { body: { refresh: hal.refresh } })
  const body = { current_password: hal.password, new_password: GOOD, confirm_password: GOOD }
  expect(await change(hal.access, body)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
  expect(await send(app, 'PUT', '/api/user/change-password/', { body })).toMatchObject({
    status: 401,
    body: { code: 'auth.required' },
  })
  expect(await logsIn(hal.email, hal.password)).toBe(200)
})

import { describe, expect, test } from 'vitest'
import { member, send, openAccounts } from './accounts.test-app.ts'

const { database, app } = await openAccounts()

const profile = (token: string) => send(app, 'GET', '/api/user/profile/', { token })
const update = (token: string, body: unknown, language: 'fr' | 'nl' | 'en' = 'en') =>
  send(app, 'PUT', '/api/user/profile/', { token, body, language })

describe('the profile', () => {
  test('shows the account and nothing else', async () => {
    const anna = await member(app)
    expect((await profile(anna.access)).body).toEqual({
      username: anna.username,
      email: anna.email,
      phone: '+33612345678',
      is_staff: false,
      is_superuser: false,
    })
  })

  test('without a token there is none', async () => {
    for (const method of ['GET', 'PUT'] as const) {
      const answer = await send(
        app,
        method,
        '/api/user/profile/',
        method === 'PUT' ? { body: { email: 'a@b.test' } } : {},
      )
      expect(answer).toMatchObject({ status: 401, body: { code: 'auth.required' } })
    }
  })

  test.each([
    [{ phone: '471234567', countryCode: '+32' }, '+32471234567'],
    [{ phone: '0471 23 45 67', countryCode: 'BE' }, '+32471234567'],
    [{ phone: '0471 23 45 67', countryCode: 'be' }, '+32471234567'],
    [{ phone: '+352 12345678', countryCode: '+33' }, '+35212345678'],
    [{ phone: '+31612345678' }, '+31612345678'],
    [{ phone: '', countryCode: '+33' }, ''],
    [{ phone: '  ' }, ''],
    [{ phone: null }, ''],
    [{}, '+33612345678'],
  ])('takes the phone as %j', async (change, phone) => {
    const ben = await member(app)
    const answer = await update(ben.access, { email: ben.email, ...change })
    expect(answer).toMatchObject({ status: 200, body: { email: ben.email, phone } })
    expect(answer.body).toEqual((await profile(ben.access)).body)
  })

  test.each([
    [
      'en',
      { phone: '12', countryCode: '+33' },
      'A French number has 9 digits after +33 (example: 612345678)',
    ],
    [
      'fr',
      { phone: '12', countryCode: 'DE' },
      'Un numéro allemand compte de 9 à 12 chiffres après +49 (exemple\u00a0: 123456789)',
    ],
    [
      'nl',
      { phone: '12', countryCode: '+32' },
      'Een Belgisch nummer telt 8 of 9 cijfers na +32 (voorbeeld: 471234567)',
    ],
    ['en', { phone: '+352 1' }, 'A Luxembourg number has 8 digits after +352 (example: 12345678)'],
    [
      'en',
      { phone: '012345678', countryCode: 'NL' },
      'A Dutch number has 9 digits after +31 (example: 123456789)',
    ],
    ['en', { phone: '+1 5551234567' }, 'Please enter a valid phone number'],
    ['en', { phone: '612345678', countryCode: '+1' }, 'Invalid phone number format'],
    ['en', { phone: '612345678' }, 'Invalid phone number format'],
    ['en', { phone: 612345678 }, 'Invalid phone number format'],
  ] as const)('says in %s what is wrong with %j', async (language, change, message) => {
    const carl = await member(app)
    const answer = await update(carl.access, { email: 'changed@example.test', ...change }, language)
    expect([answer.status, answer.body]).toEqual([400, { phone: [message] }])
    expect((await profile(carl.access)).body).toMatchObject({ email: carl.email, phone: carl.phone_number })
  })

  test('e-mail: required, address-like, somebody’s only once, and one’s own in another case', async () => {
    const [dora, eve] = [await member(app), await member(app)]
    expect((await update(dora.access, {})).body).toEqual({ email: ['Email is required'] })
    expect((await update(dora.access, { email: 'x' })).body).toEqual({
      email: ['Please enter a valid email address'],
    })
    const taken = await update(dora.access, { email: eve.email.toUpperCase(), phone: '' })
    expect([taken.status, taken.body]).toEqual([
      400,
      { email: ['An account with this email address already exists.'] },
    ])
    expect((await profile(dora.access)).body).toMatchObject({ email: dora.email, phone: dora.phone_number })
    expect((await update(dora.access, { email: dora.email.toUpperCase() })).status).toBe(200)
  })

  test('nobody promotes or renames themselves', async () => {
    const finn = await member(app)
    const answer = await update(finn.access, {
      email: finn.email,
      is_staff: true,
      is_superuser: true,
      username: 'root',
      id: 1,
    })
    expect(answer.body).toMatchObject({ username: finn.username, is_staff: false, is_superuser: false })
  })

  test('is closed to a suspended account and to one that is gone', async () => {
    const gus = await member(app)
    await database.db.updateTable('users').set({ is_active: false }).where('email', '=', gus.email).execute()
    expect(await profile(gus.access)).toMatchObject({ status: 403, body: { code: 'auth.suspended' } })
    await database.db.deleteFrom('users').where('email', '=', gus.email).execute()
    expect(await profile(gus.access)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
  })

  test('cannot be changed by a session that was logged out', async () => {
    const hal = await member(app)
    await send(app, 'POST', '/api/token/logout/', { body: { refresh: hal.refresh } })
    expect(await update(hal.access, { email: 'stolen@example.test' })).toMatchObject({
      status: 401,
      body: { code: 'auth.tokenInvalid' },
    })
  })
})

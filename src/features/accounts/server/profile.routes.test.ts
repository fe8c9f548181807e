import { describe, expect, test, vi } from 'vitest'
import { race, rowOf, statuses } from '../../../../test/support/races.ts'
import { accountsTestApp, member, send, openAccounts } from './accounts.test-app.ts'

const { database, app } = await openAccounts()

const profile = (token: string) => send(app, 'GET', '/api/user/profile/', { token })
const update = (token: string, body: unknown, language: 'fr' | 'nl' | 'en' = 'en') =>
  send(app, 'PUT', '/api/user/profile/', { token, body, language })

describe('the profile', () => {
  test('shows the account and nothing else [spec 3.16]', async () => {
    const anna = await member(app)
    expect((await profile(anna.access)).body).toEqual({
      username: anna.username,
      email: anna.email,
      phone: '+33612345678',
      is_staff: false,
      is_superuser: false,
    })
  })

  test('without a token there is none [spec 6.9]', async () => {
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
    expect(await update(dora.access, { email: 'erased@erased.invalid' })).toMatchObject({
      status: 400,
      body: { email: ['Please enter a valid email address'] },
    })
    const taken = await update(dora.access, { email: eve.email.toUpperCase(), phone: '' })
    expect([taken.status, taken.body]).toEqual([
      400,
      { email: ['An account with this email address already exists.'] },
    ])
    expect((await profile(dora.access)).body).toMatchObject({ email: dora.email, phone: dora.phone_number })
    expect((await update(dora.access, { email: dora.email.toUpperCase() })).status).toBe(200)
  })

  test('nobody promotes or renames themselves [spec 6.19]', async () => {
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

/** The letters about a changed address, to whom they went, the oldest first. */
const emailsTo = (...addresses: string[]) =>
  database.db
    .selectFrom('emails')
    .selectAll()
    .where('kind', '=', 'email-changed')
    .where('recipient', 'in', addresses)
    .orderBy('queued_at')
    .execute()

describe('another e-mail address', () => {
  test.each([
    ['fr', 'L’adresse e-mail de votre compte a été modifiée', 'Écrivez aussitôt à contact@volant.example'],
    ['nl', 'Het e-mailadres van je account is gewijzigd', 'Schrijf dan meteen naar contact@volant.example'],
    ['en', 'The email address of your account was changed', 'write to contact@volant.example at once'],
  ] as const)(
    'is told to the former one in the account’s language: %s',
    async (language, subject, advice) => {
      const ida = await member(app)
      await database.db.updateTable('users').set({ language }).where('email', '=', ida.email).execute()
      vi.useFakeTimers({ now: Date.UTC(2026, 5, 1, 21, 30), toFake: ['Date'] })
      // Tokens are of now, too.
      const { access } = await ida.logIn()
      // The caller's own language is another matter: it may be a thief's.
      const changed = await update(access, { email: `new-${ida.email}` }, language === 'en' ? 'fr' : 'en')
      vi.useRealTimers()
      expect(changed.status).toBe(200)
      const [letter, ...others] = await emailsTo(ida.email, `new-${ida.email}`)
      expect(others).toEqual([])
      expect(letter).toMatchObject({ recipient: ida.email, language, subject, state: 'queued' })
      for (const body of [letter?.body_text, letter?.body_html]) {
        expect(body).toContain(advice)
        expect(body).toContain('01/06/2026')
        expect(body).toContain('23:30')
        expect(body).not.toContain(`new-${ida.email}`)
      }
    },
  )

  test('ends the other sessions and not this one', async () => {
    const jo = await member(app)
    const elsewhere = await jo.logIn()
    const refresh = async (token: string) =>
      (await send(app, 'POST', '/api/token/refresh/', { body: { refresh: token } })).status
    expect((await update(jo.access, { email: jo.email, phone: '' })).status).toBe(200)
    expect([await refresh(elsewhere.refresh), await emailsTo(jo.email)]).toEqual([200, []])
    expect((await update(jo.access, { email: `new-${jo.email}` })).status).toBe(200)
    expect([await refresh(elsewhere.refresh), await refresh(jo.refresh)]).toEqual([401, 200])
    expect((await update(elsewhere.access, { email: jo.email })).status).toBe(401)
    expect(await emailsTo(jo.email)).toHaveLength(1)
  })

  test('that is refused tells nobody and ends nothing', async () => {
    const [kim, leo] = [await member(app), await member(app)]
    const elsewhere = await kim.logIn()
    expect((await update(kim.access, { email: leo.email })).status).toBe(400)
    expect(await emailsTo(kim.email, leo.email)).toEqual([])
    const body = { refresh: elsewhere.refresh }
    expect((await send(app, 'POST', '/api/token/refresh/', { body })).status).toBe(200)
  })

  test('each former address hears of its own change', async () => {
    const mia = await member(app)
    for (const email of [`second-${mia.email}`, `third-${mia.email}`, mia.email, `third-${mia.email}`])
      expect((await update(mia.access, { email })).status).toBe(200)
    const told = await emailsTo(mia.email, `second-${mia.email}`, `third-${mia.email}`)
    expect(told.map((letter) => letter.recipient).toSorted()).toEqual(
      [mia.email, mia.email, `second-${mia.email}`, `third-${mia.email}`].toSorted(),
    )
  })

  test('wished for by two sessions at once: one changes it, and ends the other before that has its turn', async () => {
    const nia = await member(app)
    const other = await nia.logIn()
    const answers = await race(database.url, rowOf.user(nia.email), 2, () => [
      update(nia.access, { email: `one-${nia.email}` }),
      update(other.access, { email: `two-${nia.email}` }),
    ])
    expect(statuses(answers)).toEqual([200, 401])
    expect(await emailsTo(nia.email, `one-${nia.email}`, `two-${nia.email}`)).toMatchObject([
      { recipient: nia.email },
    ])
  })

  test('in another case of its letters is the same: nobody is told or logged out', async () => {
    const pia = await member(app)
    const elsewhere = await pia.logIn()
    expect((await update(pia.access, { email: pia.email.toUpperCase() })).status).toBe(200)
    expect(await emailsTo(pia.email, pia.email.toUpperCase())).toEqual([])
    const body = { refresh: elsewhere.refresh }
    expect((await send(app, 'POST', '/api/token/refresh/', { body })).status).toBe(200)
    expect((await profile(pia.access)).body).toMatchObject({ email: pia.email.toUpperCase() })
  })

  test('that looks the same and is not is told: a capital theta of formulas is no theta', async () => {
    const rik = await member(app, { email: 'r\u03B8@example.test' })
    expect((await update(rik.access, { email: 'r\u03F4@example.test' })).status).toBe(200)
    expect(await emailsTo(rik.email)).toHaveLength(1)
  })

  test('of a stranger gets only so many letters, whichever accounts take turns at it', async () => {
    const limits = { emailTo: { account: { count: 3, seconds: 3_600 } } }
    const limited = await accountsTestApp(database.db, { limits })
    const victim = 'victim@example.test'
    const statuses = []
    for (let turn = 0; turn < 4; turn += 1) {
      const bomber = await member(limited, {
        email: turn === 0 ? victim.toUpperCase() : `bomber${turn}@example.test`,
      })
      const put = (email: string) =>
        send(limited, 'PUT', '/api/user/profile/', { token: bomber.access, body: { email } })
      if (turn > 0) await put(victim)
      statuses.push((await put(`away${turn}@example.test`)).status)
      // Who still has it makes room for the next one.
      await database.db.deleteFrom('users').where('username', '=', bomber.username).execute()
    }
    expect(statuses).toEqual([200, 200, 429, 429])
    const { length } = await database.db
      .selectFrom('emails')
      .select('kind')
      .where('recipient', 'ilike', victim)
      .execute()
    expect(length, 'the welcome and two').toBe(3)
    const late = await member(limited, { email: victim })
    expect((await profile(late.access)).status, 'registered all the same').toBe(200)
    const welcomes = database.db.selectFrom('emails').select('id').where('recipient', '=', victim)
    expect(await welcomes.where('kind', '=', 'welcome').execute()).toEqual([])
    await limited.close()
  })

  test('is told to a former one, too, that is no longer accepted', async () => {
    const tom = await member(app)
    const before = 'tom@192.0.2.77'
    await database.db.updateTable('users').set({ email: before }).where('email', '=', tom.email).execute()
    expect((await update(tom.access, { email: tom.email })).status).toBe(200)
    expect(await emailsTo(before)).toHaveLength(1)
  })

  test('changed twice at once by one session tells the one that had it, once', async () => {
    const sam = await member(app)
    const answers = await race(database.url, rowOf.user(sam.email), 2, () =>
      ['one', 'two'].map((name) => update(sam.access, { email: `${name}-${sam.email}` })),
    )
    expect(statuses(answers)).toEqual([200, 503])
    const told = await emailsTo(sam.email, `one-${sam.email}`, `two-${sam.email}`)
    expect(told.map((letter) => letter.recipient)).toEqual([sam.email])
  })

  test('is changed by an account only so often', async () => {
    const limits = { emailChange: { account: { count: 2, seconds: 3_600 } } }
    const limited = await accountsTestApp(database.db, { limits })
    const olga = await member(limited)
    const put = (email: string) =>
      send(limited, 'PUT', '/api/user/profile/', { token: olga.access, body: { email } })
    const answers = []
    for (const name of ['a', 'b', 'c']) answers.push(await put(`${name}-${olga.email}`))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429])
    expect(answers[2]?.body).toMatchObject({ code: 'limit.emailChange' })
    // The rest of the profile is still theirs to change.
    expect((await put(`b-${olga.email}`)).status).toBe(200)
    await limited.close()
  })
})

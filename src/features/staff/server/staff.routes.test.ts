import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { TOTP, Secret } from 'otpauth'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifyAuditLog } from '#platform/audit-log.ts'
import { watchForAlerts } from '#server/maintenance.ts'
import { Refusal } from '#shared/refusal.ts'
import { closeGate, race, statuses } from '../../../../test/support/races.ts'
import { type Staff, type TestShop, openShop, testShop } from '../../../../test/support/shop.ts'
import { type ApprovalKind, approvalsService } from './approvals.ts'
import { finishApprovals } from './index.ts'
import { staffPeople } from './staff-people.ts'
import { isExtended } from '../../../../test/support/tier.ts'

const OPERATOR = 'operator@shop.test'
const shop = await openShop({ env: { LIMITS_FACTOR: '1000', ALERT_EMAIL: OPERATOR } })
const origin = shop.config.publicUrl
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const textsTo = async (id: number): Promise<string[]> =>
  (await run('SELECT body_text FROM emails JOIN users ON recipient = email WHERE users.id = $1', [id])).map(
    ({ body_text: text }) => text,
  )

await run(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'killed'; END $$`)

const signIn = (body: object, headers: Record<string, string> = { origin }) =>
  shop.app.inject({ method: 'POST', url: '/api/staff/session/', headers, payload: body })
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

/** The first code that counts after an authenticator was set up, also when a step of 30 seconds ends meanwhile. */
const nextCodeOf = (secret: string): string => codeOf(secret, 1)

/** Sets up an authenticator. @returns its secret and the recovery codes */
async function enrol(staff: Staff) {
  const { body } = await staff.post('/api/staff/self/authenticator/')
  const confirmed = await staff.post('/api/staff/self/authenticator/confirm/', {
    code: codeOf(body['secret']),
  })
  return { secret: body['secret'] as string, codes: confirmed.body['recovery_codes'] as string[] }
}

describe('The sign-in of the console', () => {
  test('sets a cookie that only staff calls carry and that no script reads', async () => {
    const { email, password } = await shop.newStaff('support')
    const response = await signIn({ email, password })
    expect(response.statusCode).toBe(204)
    const cookie = String(response.headers['set-cookie'])
    expect(cookie).toMatch(/^volant-staff=[\w-]{43}; Path=\/api\/staff\/; HttpOnly; SameSite=Strict$/)
  })

  test('refuses a wrong password, a customer, and a token of the shop', async () => {
    const customer = await shop.newCustomer()
    const { email, password } = customer
    expect((await signIn({ email, password: 'wrong password' })).statusCode).toBe(401)
    expect((await signIn({ email, password })).statusCode).toBe(403)
    await run(`UPDATE users SET role = 'owner' WHERE id = $1`, [customer.id])
    expect((await customer.get('/api/staff/session/')).status).toBe(401)
  })

  test('refuses changes that another site sends, and those of no origin', async () => {
    const staff = await shop.newStaff()
    for (const from of ['https://other.example', 'null', ''])
      expect((await staff.post('/api/staff/audit/verify/', {}, { headers: { origin: from } })).status).toBe(
        403,
      )
    const from = (site: Record<string, string>) =>
      shop.app.inject({
        method: 'POST',
        url: '/api/staff/audit/verify/',
        headers: { cookie: staff.cookie, ...site },
      })
    expect((await from({})).statusCode).toBe(403)
    expect((await from({ 'sec-fetch-site': 'same-site' })).statusCode).toBe(403)
    expect((await from({ 'sec-fetch-site': 'same-origin' })).statusCode).toBe(200)
  })

  test('asks for a code once there is an authenticator; a code and a recovery code work once', async () => {
    const staff = await shop.newStaff('manager')
    const { email, password } = staff
    const { secret, codes } = await enrol(staff)
    expect(codes).toHaveLength(10)
    const asked = await signIn({ email, password })
    expect(asked.json()).toMatchObject({ code: 'staff.secondFactorRequired', methods: ['code', 'recovery'] })
    const code = nextCodeOf(secret)
    expect((await signIn({ email, password, code: '000000' })).statusCode).toBe(401)
    expect((await signIn({ email, password, code })).statusCode).toBe(204)
    expect((await signIn({ email, password, code })).statusCode).toBe(401)
    expect((await signIn({ email, password, code: codes[0] })).statusCode).toBe(204)
    expect((await signIn({ email, password, code: codes[0] })).statusCode).toBe(401)
    expect(await textsTo(staff.id)).toEqual(
      expect.arrayContaining([expect.stringContaining('recovery codes')]),
    )
  })

  test('ends at once with the role, a suspension and a new password', async () => {
    for (const change of [`role = NULL`, `is_active = false`, `password_hash = 'x'`, `role = 'witness'`]) {
      const staff = await shop.newStaff('support')
      expect((await staff.get('/api/staff/session/')).status).toBe(200)
      await run(`UPDATE users SET ${change} WHERE id = $1`, [staff.id])
      expect((await staff.get('/api/staff/session/')).status).toBe(401)
    }
  })
})

/** A passkey of somebody's device, with its public key stored. */
async function newPasskey({ app, config, pool }: TestShop, userId: number) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const [ES256, P256, EC2] = [-7, 1, 2]
  const cose = isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, EC2],
      [3, ES256],
      [-1, P256],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]),
  )
  const id = randomBytes(16).toString('base64url')
  await pool.query(
    `INSERT INTO staff_passkeys (id, user_id, public_key, name) VALUES ($1, $2, $3, 'phone')`,
    [id, userId, Buffer.from(cose)],
  )
  const post = (url: string, payload: object) =>
    app.inject({ method: 'POST', url, headers: { origin: config.publicUrl }, payload })
  return {
    /** Signs in with it, or with a signature of something else. */
    async signIn({ isForged = false } = {}): Promise<number> {
      const { challenge } = (await post('/api/staff/session/passkey/options/', {})).json()
      const { publicUrl: origin } = config
      const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin }))
      const sha256 = (of: string | Buffer) => createHash('sha256').update(of).digest()
      // Present and verified; a counter of zero.
      const data = Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([5, 0, 0, 0, 0])])
      const signed = isForged ? data : Buffer.concat([data, sha256(client)])
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      }
      const reply = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
      return (await post('/api/staff/session/passkey/', { response: reply })).statusCode
    },
  }
}

describe('A sign-in with a passkey', () => {
  test.runIf(isExtended)(
    'is not kept out by strangers, and counts the failures of each account',
    async () => {
      const own = await testShop()
      onTestFinished(() => own.close())
      const [key, other] = [
        await newPasskey(own, (await own.newStaff('manager')).id),
        await newPasskey(own, (await own.newStaff('support')).id),
      ]
      const { count } = own.config.limitStrict.account
      for (let stranger = 0; stranger < count + 1; stranger++) {
        const response = await own.app.inject({
          method: 'POST',
          url: '/api/staff/session/passkey/',
          headers: { origin: own.config.publicUrl },
          remoteAddress: `10.${stranger}.7.1`,
          payload: { response: { id: 'x' } },
        })
        expect(response.statusCode).toBe(401)
      }
      expect(await key.signIn()).toBe(204)
      for (let failure = 0; failure < count; failure++) expect(await key.signIn({ isForged: true })).toBe(401)
      expect(await key.signIn()).toBe(429)
      expect(await other.signIn()).toBe(204)
    },
  )
})

describe('A second factor', () => {
  test.runIf(isExtended)(
    'that is guessed by somebody with the password keeps out neither recovery codes, passkeys nor sessions',
    async () => {
      const own = await testShop()
      onTestFinished(() => own.close())
      const staff = await own.newStaff('support')
      const { email, password, id } = staff
      const { secret, codes } = await enrol(staff)
      const key = await newPasskey(own, id)
      const enter = async (code: string, remoteAddress: string) =>
        (
          await own.app.inject({
            method: 'POST',
            url: '/api/staff/session/',
            headers: { origin: own.config.publicUrl },
            remoteAddress,
            payload: { email, password, code },
          })
        ).statusCode
      const { count } = own.config.limitStrict.account
      const wrong = codeOf(secret, 40)
      for (let guess = 0; guess < count; guess += 1) expect(await enter(wrong, `10.8.${guess}.1`)).toBe(401)
      expect(await enter(wrong, '10.9.0.1')).toBe(429)
      for (let guess = 0; guess < count; guess += 1)
        expect(await enter('AAAAA-AAAAA', `10.8.${guess}.1`)).toBe(401)
      const stepUp = (code: string) =>
        staff.post('/api/staff/session/step-up/', { permission: 'orders.refund', code })
      expect((await stepUp(wrong)).status).toBe(401)
      expect((await stepUp(nextCodeOf(secret))).status).toBe(204)
      expect(await key.signIn()).toBe(204)
      expect(await enter(codes[0] ?? '', '10.9.0.1')).toBe(204)
      await expect
        .poll(async () =>
          (
            await own.pool.query(
              `SELECT DISTINCT detail FROM security_events WHERE event = 'login' AND user_id = $1
               AND detail LIKE 'console, %' ORDER BY detail`,
              [id],
            )
          ).rows.map(({ detail }) => detail),
        )
        .toEqual(expect.arrayContaining(['console, passkey', 'console, recovery']))
      await expect
        .poll(
          async () =>
            (
              await own.pool.query(
                `SELECT detail, sum(times)::int AS times FROM security_events
               WHERE event = 'second_factor_failed' AND user_id = $1 GROUP BY detail ORDER BY detail`,
                [id],
              )
            ).rows,
        )
        .toEqual([
          { detail: 'code', times: count },
          { detail: 'recovery code', times: count },
          { detail: 'step-up', times: 1 },
        ])
    },
  )

  test.runIf(isExtended)(
    'of a session that is guessed too often is refused in that session alone',
    async () => {
      const own = await testShop()
      onTestFinished(() => own.close())
      const [staff, colleague] = [await own.newStaff('support'), await own.newStaff('support')]
      const { secret } = await enrol(staff)
      const stepUp = async (who: Staff, proof: object) =>
        (await who.post('/api/staff/session/step-up/', { permission: 'orders.refund', ...proof })).status
      const { count } = own.config.limitStrict.account
      for (let guess = 0; guess < count; guess += 1)
        expect(await stepUp(staff, { code: codeOf(secret, 40 + guess) })).toBe(401)
      expect(await stepUp(staff, { code: nextCodeOf(secret) })).toBe(429)
      expect(await stepUp(colleague, { password: colleague.password })).toBe(204)
    },
  )

  test('opens nothing before its first code has confirmed it, within ten minutes', async () => {
    const staff = await shop.newStaff('manager')
    const { id, email, password } = staff
    await newPasskey(shop, id)
    const start = async () => (await staff.post('/api/staff/self/authenticator/')).body['secret'] as string
    const secret = await start()
    expect(
      await run('SELECT action FROM audit_log WHERE actor_id = $1 ORDER BY id DESC LIMIT 1', [id]),
    ).toEqual([{ action: 'self.startAuthenticator' }])
    expect((await signIn({ email, password, code: codeOf(secret) })).statusCode).toBe(401)
    const stepUp = { permission: 'self.secure', code: codeOf(secret) }
    expect((await staff.post('/api/staff/session/step-up/', stepUp)).status).toBe(401)
    const confirm = (code: string) => staff.post('/api/staff/self/authenticator/confirm/', { code })
    await run(
      `UPDATE staff_authenticators SET started_at = now() - interval '601 seconds' WHERE user_id = $1`,
      [id],
    )
    expect((await confirm(codeOf(secret))).body['code']).toBe('staff.authenticatorExpired')
    const fresh = await start()
    expect((await confirm(codeOf(secret))).body['code']).toBe('staff.codeWrong')
    expect((await confirm(codeOf(fresh, -1))).status).toBe(200)
    expect((await confirm(codeOf(fresh))).body['code']).toBe('staff.hasAuthenticator')
    expect((await signIn({ email, password, code: codeOf(fresh) })).statusCode).toBe(204)
  })

  test('comes with its recovery codes, email and audit entry, or not at all', async () => {
    const staff = await shop.newStaff('support')
    const { secret } = (await staff.post('/api/staff/self/authenticator/')).body
    await run(
      `CREATE TRIGGER dies BEFORE INSERT ON staff_recovery_codes FOR EACH ROW WHEN (NEW.user_id = ${staff.id})
       EXECUTE FUNCTION die()`,
    )
    const confirm = () => staff.post('/api/staff/self/authenticator/confirm/', { code: codeOf(secret, -1) })
    expect((await confirm()).status).toBe(500)
    expect((await staff.get('/api/staff/self/')).body).toMatchObject({ has_authenticator: false })
    await run('DROP TRIGGER dies ON staff_recovery_codes')
    expect((await confirm()).body['recovery_codes']).toHaveLength(10)
  })

  test('ends the sessions that began without one, with their step-ups, and one that begins meanwhile', async () => {
    const staff = await shop.newStaff('support')
    const { id, email, password } = staff
    const opened = await signIn({ email, password })
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? ''
    const asOther = (method: 'GET' | 'POST', url: string, payload?: object) =>
      shop.app.inject({ method, url, headers: { cookie, origin }, ...(payload && { payload }) })
    const up = { permission: 'self.secure', password }
    expect((await asOther('POST', '/api/staff/session/step-up/', up)).statusCode).toBe(204)
    const { secret } = (await staff.post('/api/staff/self/authenticator/')).body
    const gate = await closeGate(shop.url, `SELECT 1 FROM users WHERE id = ${id} FOR NO KEY UPDATE`)
    const confirmed = staff.post('/api/staff/self/authenticator/confirm/', { code: codeOf(secret) })
    await gate.waiting(1)
    const begun = signIn({ email, password })
    await gate.waiting(2)
    await gate.open()
    expect((await confirmed).status).toBe(200)
    await begun
    const left = await run(
      `SELECT id FROM staff_sessions WHERE user_id = $1 AND ended_at IS NULL AND second_factor IS NULL`,
      [id],
    )
    expect(left).toEqual([])
    expect((await asOther('GET', '/api/staff/session/')).statusCode).toBe(401)
    const [{ ups }] = await run(
      `SELECT count(*)::int AS ups FROM staff_step_ups JOIN staff_sessions s ON s.id = session_id
       WHERE s.user_id = $1 AND s.id <> $2`,
      [id, staff.sessionId],
    )
    expect(ups).toBe(0)
    expect((await staff.get('/api/staff/session/')).body).toMatchObject({ second_factor: 'code' })
  })

  test('is not removed, nor are recovery codes renewed, without an email', async () => {
    const staff = await shop.newStaff('support')
    await enrol(staff)
    const before = (await textsTo(staff.id)).length
    expect((await staff.post('/api/staff/self/recovery-codes/')).status).toBe(200)
    expect((await staff.post('/api/staff/self/authenticator/remove/')).status).toBe(204)
    expect((await textsTo(staff.id)).slice(before)).toEqual([
      expect.stringContaining('new recovery codes were made'),
      expect.stringContaining('a second factor was removed'),
    ])
  })

  test.runIf(isExtended)(
    'of somebody who lost all of them is removed by another owner, and by nobody for themselves',
    async () => {
      const [owner, lost] = [await shop.newStaff('owner'), await shop.newStaff('owner')]
      const { email, password, id } = lost
      const { secret, codes } = await enrol(lost)
      await newPasskey(shop, id)
      const remove = (by: typeof owner, whose: number) =>
        by.post(`/api/staff/people/${whose}/remove-second-factors/`, { reason: 'phone and codes lost' })
      const factors = async () =>
        (
          await run(
            `SELECT (SELECT count(*) FROM staff_authenticators WHERE user_id = $1)::int AS authenticators,
                  (SELECT count(*) FROM staff_passkeys WHERE user_id = $1)::int AS passkeys,
                  (SELECT count(*) FROM staff_recovery_codes WHERE user_id = $1)::int AS codes`,
            [id],
          )
        )[0]
      await lost.stepUp('staff.change')
      await lost.post('/api/staff/session/step-up/', { permission: 'staff.change', code: codes[0] })
      const own = await remove(lost, id)
      expect([own.status, own.body['code']]).toEqual([409, 'staff.notOneself'])
      expect((await remove(await shop.newStaff('manager'), id)).status).toBe(403)
      expect((await remove(owner, (await shop.newCustomer()).id)).status).toBe(404)
      expect(await factors()).toEqual({ authenticators: 1, passkeys: 1, codes: expect.any(Number) })
      expect((await lost.get('/api/staff/session/')).status).toBe(200)

      expect((await remove(owner, id)).status).toBe(204)
      expect(await factors()).toEqual({ authenticators: 0, passkeys: 0, codes: 0 })
      expect((await lost.get('/api/staff/session/')).status).toBe(401)
      expect((await textsTo(id)).at(-1)).toContain(owner.name)
      expect((await textsTo(id)).at(-1)).toContain('removed your second factors')
      for (const code of [nextCodeOf(secret), codes[1]])
        expect((await signIn({ email, password, code })).statusCode, 'the password is enough now').toBe(204)
      expect((await signIn({ email, password: 'wrong', code: codes[2] })).statusCode).toBe(401)
      const [entry] = await run(
        `SELECT entry::jsonb AS told FROM audit_log WHERE action = 'staff.removeSecondFactors' AND subject = $1`,
        [id],
      )
      expect(entry.told).toMatchObject({ actor_id: owner.id, reason: 'phone and codes lost' })
    },
  )

  test('keeps ten recovery codes when two calls renew them at once', async () => {
    const staff = await shop.newStaff('support')
    await enrol(staff)
    const renew = () => staff.post('/api/staff/self/recovery-codes/')
    const codes = `SELECT 1 FROM staff_recovery_codes WHERE user_id = ${staff.id}`
    const responses = await race(shop.url, `${codes} FOR UPDATE`, 2, () => [renew(), renew()])
    expect(statuses(responses)).toEqual([200, 200])
    expect(await run(codes)).toHaveLength(10)
  })
})

describe('A step-up', () => {
  test('by a recovery code is told by email', async () => {
    const staff = await shop.newStaff('support')
    const { codes } = await enrol(staff)
    const told = async () =>
      (await textsTo(staff.id)).filter((text) => text.includes('one of your recovery codes')).length
    expect(await told()).toBe(0)
    const body = { permission: 'self.secure', code: codes[0] }
    expect((await staff.post('/api/staff/session/step-up/', body)).status).toBe(204)
    expect(await told()).toBe(1)
    expect((await staff.post('/api/staff/session/step-up/', body)).status).toBe(401)
    expect(await told()).toBe(1)
  })

  test('is asked for by kind of action, lasts ten minutes, and takes a code where there is one', async () => {
    const staff = await shop.newStaff('owner')
    const { secret } = await enrol(staff)
    await run(`DELETE FROM staff_step_ups`)
    const ask = () =>
      staff.post('/api/staff/people/', { email: 'nobody@example.test', role: 'support', reason: 'test' })
    expect((await ask()).body).toMatchObject({ code: 'staff.stepUpRequired', permission: 'staff.change' })
    const up = (body: object) =>
      staff.post('/api/staff/session/step-up/', { permission: 'staff.change', ...body })
    expect((await up({ password: staff.password })).status).toBe(401)
    expect((await up({ code: nextCodeOf(secret) })).status).toBe(204)
    expect((await ask()).status).toBe(400)
    expect((await staff.post('/api/staff/self/recovery-codes/')).body['permission']).toBe('self.secure')
    await run(`UPDATE staff_step_ups SET until = now()`)
    expect((await ask()).status).toBe(403)
  })

  test('names the password as its field does when it is wrong', async () => {
    const staff = await shop.newStaff('support')
    const body = { permission: 'self.secure', password: 'wrong password' }
    const response = await staff.post('/api/staff/session/step-up/', body)
    expect(response).toMatchObject({
      status: 400,
      body: { fields: { password: ['The password is incorrect.'] } },
    })
  })
})

describe('Two people', () => {
  test('give a role: whoever asks cannot approve, and one of several approvers does', async () => {
    await run(`UPDATE users SET role = NULL`)
    const [maker, checker, other] = [await shop.newStaff(), await shop.newStaff(), await shop.newStaff()]
    const hired = await shop.newCustomer()
    const body = { email: hired.email, role: 'support', reason: 'first day' }
    const asked = await maker.post('/api/staff/people/', body)
    expect(asked.status).toBe(202)
    expect((await maker.post('/api/staff/people/', body)).body['code']).toBe('staff.approvalWaits')
    const { id } = asked.body['approval']
    expect(asked.body['approval']).toMatchObject({ alone_from: null, can: ['withdraw'] })
    const approve = (staff: typeof maker) => staff.post(`/api/staff/approvals/${id}/approve/`)
    expect((await approve(maker)).body['code']).toBe('staff.secondPersonNeeded')
    const responses = await Promise.all([approve(checker), approve(other)])
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const [{ role }] = await run('SELECT role FROM users WHERE id = $1', [hired.id])
    expect(role).toBe('support')
    await expect(
      run(`UPDATE approvals SET decided_by = requested_by WHERE id = $1`, [id]),
    ).rejects.toMatchObject({ constraint: 'approvals_two_people' })
  })

  test('are one person and an hour in a shop with one', async () => {
    await run(`UPDATE users SET role = NULL`)
    const alone = await shop.newStaff()
    const hired = await shop.newCustomer()
    const asked = await alone.post('/api/staff/people/', {
      email: hired.email,
      role: 'manager',
      reason: 'help',
    })
    const { id, alone_from } = asked.body['approval']
    expect(Date.parse(alone_from) - Date.now()).toBeGreaterThan(59 * 60_000)
    expect((await alone.post(`/api/staff/approvals/${id}/approve/`)).status).toBe(409)
    expect(await textsTo(alone.id)).toEqual([expect.stringContaining('in an hour')])
    await run(`UPDATE approvals SET alone_from = now() WHERE id = $1`, [id])
    // Somebody who has come since can approve it.
    const second = await shop.newStaff()
    const approve = () => alone.post(`/api/staff/approvals/${id}/approve/`)
    expect((await approve()).body['code']).toBe('staff.secondPersonNeeded')
    await run(`UPDATE users SET role = 'manager' WHERE id = $1`, [second.id])
    const done = await approve()
    expect(done.body).toMatchObject({ decision: 'alone', failure: null, done_at: expect.any(String) })
  })

  /** Two owners, and a request of the first for a role. */
  async function askedRole() {
    const [maker, checker] = [await shop.newStaff(), await shop.newStaff()]
    const hired = await shop.newCustomer()
    const asked = await maker.post('/api/staff/people/', {
      email: hired.email,
      role: 'support',
      reason: 'new',
    })
    const { id } = asked.body['approval'] as { id: number }
    const roleNow = async () => (await run('SELECT role FROM users WHERE id = $1', [hired.id]))[0].role
    return { maker, checker, hired, asked, id, roleNow }
  }
  const decide = (id: number, by: number) =>
    run(
      `UPDATE approvals SET decision = 'approved', decided_by = $1, decided_at = now() - interval '61 seconds'
       WHERE id = $2`,
      [by, id],
    )

  test('keep a name and an address neither in the log nor in the request, and see both', async () => {
    const { checker, hired, asked, id } = await askedRole()
    const shown = { name: expect.stringMatching(/^buyer/), email: hired.email, from: null, to: 'support' }
    expect(asked.body['approval']).toMatchObject({ preview: shown })
    const { body } = await checker.get('/api/staff/approvals/')
    expect((body as unknown as { id: number }[]).find((one) => one.id === id)).toMatchObject({
      preview: shown,
    })
    const kept = await run(
      `SELECT (SELECT entry FROM audit_log WHERE action = 'approvals.ask' ORDER BY id DESC LIMIT 1) AS entry,
         (SELECT to_jsonb(a)::text FROM approvals a WHERE id = $1) AS request`,
      [id],
    )
    const [{ username }] = await run('SELECT username FROM users WHERE id = $1', [hired.id])
    expect(JSON.stringify(kept)).toContain(`\\"${hired.id}\\"`)
    for (const personal of [hired.email, username]) expect(JSON.stringify(kept)).not.toContain(personal)
  })

  test('cannot carry out what somebody asked for who has left, and refuse it', async () => {
    const { maker, checker, id, roleNow } = await askedRole()
    await run(`UPDATE users SET role = 'manager' WHERE id = $1`, [maker.id])
    const approved = await checker.post(`/api/staff/approvals/${id}/approve/`)
    expect(approved).toMatchObject({ status: 409, body: { code: 'staff.makerLeft' } })
    expect(await roleNow()).toBeNull()
    const { body } = await checker.get('/api/staff/approvals/')
    expect((body as unknown as { id: number }[]).find((one) => one.id === id)).toMatchObject({
      can: ['refuse'],
    })
    const refused = await checker.post(`/api/staff/approvals/${id}/refuse/`, { reason: 'has left' })
    expect(refused.body).toMatchObject({ decision: 'refused' })
  })

  test.runIf(isExtended)(
    'end a request that they do not decide within seven days, and tell who made it',
    async () => {
      const { maker, checker, id } = await askedRole()
      const finish = () => finishApprovals({ db: shop.db, shop: shop.config }, [])
      const age = (days: string) =>
        run(`UPDATE approvals SET requested_at = now() - $2::interval WHERE id = $1`, [id, days])
      await age('6.9 days')
      await finish()
      await age('7.1 days')
      await Promise.all([finish(), finish()])
      const response = await checker.post(`/api/staff/approvals/${id}/approve/`)
      expect(response.body['code']).toBe('staff.approvalDecided')
      expect(
        await run('SELECT decision, decided_by, done_at, failure FROM approvals WHERE id = $1', [id]),
      ).toEqual([{ decision: 'expired', decided_by: null, done_at: null, failure: null }])
      expect(await textsTo(maker.id)).toEqual([expect.stringContaining('within seven days')])
      expect(
        await run(
          `SELECT entry::jsonb -> 'actor' AS actor FROM audit_log
         WHERE action = 'approvals.expired' AND entry::jsonb #>> '{after,approval}' = $1`,
          [String(id)],
        ),
      ).toEqual([{ actor: 'system' }])
    },
  )

  test('hear of an approved action that a worker could not carry out, and an alert stays for a day', async () => {
    const { maker, checker, hired, id } = await askedRole()
    await decide(id, checker.id)
    await run(`UPDATE users SET role = 'witness' WHERE id = $1`, [hired.id])
    await finishApprovals({ db: shop.db, shop: shop.config }, [])
    await finishApprovals({ db: shop.db, shop: shop.config }, [])
    for (const person of [maker, checker])
      expect(
        (await textsTo(person.id)).filter((text) => text.includes('could not be carried out')),
      ).toHaveLength(1)
    const alerts = async () => {
      await watchForAlerts(shop.db, shop.checkout.alerts)
      return await run(`SELECT kind FROM alerts WHERE kind = 'approvalUndone' AND resolved_at IS NULL`)
    }
    expect(await alerts()).toHaveLength(1)
    await run(`UPDATE approvals SET decided_at = now() - interval '25 hours' WHERE failure IS NOT NULL`)
    expect(await alerts()).toEqual([])
  })

  test.runIf(isExtended)('do not wait behind twenty approved actions that fail each time', async () => {
    const { checker, id, roleNow } = await askedRole()
    await run(
      `INSERT INTO approvals (permission, subject_kind, subject, input, reason, requested_by, decision, decided_by, decided_at)
       SELECT 'offers.cancel', 'offer', n, '{}', 'test', a.requested_by, 'approved', $2, now() - interval '1 day'
       FROM approvals a, generate_series(1, 20) n WHERE a.id = $1`,
      [id, checker.id],
    )
    await decide(id, checker.id)
    const failing: ApprovalKind = {
      permission: 'offers.cancel',
      run: () => Promise.reject(new Error('a bug')),
    }
    const finish = () => finishApprovals({ db: shop.db, shop: shop.config }, [failing])
    await finish()
    expect(await roleNow()).toBeNull()
    await finish()
    expect(await roleNow()).toBe('support')
    await run(`UPDATE approvals SET failure = 'a_test' WHERE subject_kind = 'offer' AND done_at IS NULL`)
  })

  test.each([
    ['a suspended account', 'is_active = false', 'staff.noAccount'],
    [
      'a closed account',
      `closed_at = now(), is_active = false, password_hash = 'none', phone = '', partner_code = NULL,
       email_confirmed_at = NULL, email = 'erased-' || id || '@erased.invalid', username = ' erased ' || id`,
      'staff.noAccount',
    ],
    ['an unconfirmed address', 'email_confirmed_at = NULL', 'staff.addressUnconfirmed'],
    ['another role since', `role = 'witness'`, 'staff.roleChangedSince'],
  ])('do not give a role to %s', async (_, change, code) => {
    const { checker, hired, id, roleNow } = await askedRole()
    await run(`UPDATE users SET ${change} WHERE id = $1`, [hired.id])
    const before = await roleNow()
    const response = await checker.post(`/api/staff/approvals/${id}/approve/`)
    expect(response).toMatchObject({ status: 409, body: { code } })
    expect(await roleNow()).toBe(before)
    expect(await run('SELECT done_at, failure FROM approvals WHERE id = $1', [id])).toEqual([
      { done_at: null, failure: code },
    ])
  })

  test('give a role once: what was taken away after a crash does not come back', async () => {
    const { maker, checker, hired, id, roleNow } = await askedRole()
    await decide(id, checker.id)
    const [{ input }] = await run('SELECT input FROM approvals WHERE id = $1', [id])
    // The process dies right after its transaction.
    const people = staffPeople({ db: shop.db, shop: shop.config })
    const by = (staff: typeof maker) => ({ userId: staff.id, name: staff.name })
    await people.roleApproval.run(input, { actor: by(maker), approver: by(checker), approvalId: id })
    expect(await roleNow()).toBe('support')
    const removed = await maker.post(`/api/staff/people/${hired.id}/remove-role/`, { reason: 'left' })
    expect(removed.status).toBe(204)
    await finishApprovals({ db: shop.db, shop: shop.config }, [])
    expect(await roleNow()).toBeNull()
  })

  test('hear of a provider that is silent, and the job tries again', async () => {
    const [maker, checker] = [await shop.newStaff('support'), await shop.newStaff('manager')]
    const [{ id }] = await run(
      `INSERT INTO approvals (permission, subject_kind, subject, input, reason, requested_by)
       VALUES ('orders.refund', 'order', 'silent', '{}', 'test', $1) RETURNING id`,
      [maker.id],
    )
    let refusal: Refusal | undefined = new Refusal(
      'checkout.providerSilent',
      503,
      'errors.checkout.notRefundable',
    )
    const kind: ApprovalKind = {
      permission: 'orders.refund',
      run: () => (refusal ? Promise.reject(refusal) : Promise.resolve()),
    }
    const approvals = approvalsService({ db: shop.db, shop: shop.config, kinds: [kind] })
    const caller = {
      userId: checker.id,
      name: 'x',
      role: checker.role,
      sessionId: checker.sessionId,
      network: '',
    }
    const stored = async () => (await run('SELECT done_at, failure FROM approvals WHERE id = $1', [id]))[0]
    await expect(approvals.approve(caller, await approvals.find(caller, id))).rejects.toMatchObject({
      status: 503,
    })
    expect(await stored()).toEqual({ done_at: null, failure: null })
    await run(`UPDATE approvals SET decided_at = now() - interval '61 seconds' WHERE id = $1`, [id])
    await approvals.finish()
    expect(await stored()).toEqual({ done_at: null, failure: null })
    refusal = undefined
    await approvals.finish()
    expect(await stored()).toEqual({ done_at: expect.any(Date), failure: null })
  })

  test.runIf(isExtended)(
    'are told when one of them loses the role, and when somebody can act alone because of it',
    async () => {
      await run(`UPDATE users SET role = NULL`)
      const [alone, one, two] = [await shop.newStaff(), await shop.newStaff(), await shop.newStaff()]
      const remove = ({ id }: typeof one) =>
        alone.post(`/api/staff/people/${id}/remove-role/`, { reason: 'leaves' })
      await remove(one)
      expect(await textsTo(one.id)).toEqual([expect.stringContaining(`${alone.name} removed your role`)])
      for (const owner of [alone, two])
        expect(await textsTo(owner.id)).toEqual([expect.stringContaining(`removed the role of ${one.name}`)])
      await remove(two)
      const hired = await shop.newCustomer()
      await alone.post('/api/staff/people/', { email: hired.email, role: 'owner', reason: 'friend' })
      for (const { id } of [one, two])
        expect(await textsTo(id)).toContainEqual(expect.stringMatching(/alone in an hour[^]*friend/))
      const told = `SELECT body_text FROM emails WHERE recipient = $1 AND kind = 'staff-notice' ORDER BY id DESC LIMIT 1`
      const [{ body_text: text }] = await run(told, [OPERATOR])
      expect(text).toContain('friend')
    },
  )

  test('cannot take the last owner away', async () => {
    await run(`UPDATE users SET role = NULL`)
    const [one, two] = [await shop.newStaff(), await shop.newStaff()]
    const remove = (by: typeof one, id: number) =>
      by.post(`/api/staff/people/${id}/remove-role/`, { reason: 'leaves' })
    const both = await Promise.all([remove(one, two.id), remove(two, one.id)])
    expect(both.map(({ status }) => status).filter((status) => status === 204)).toHaveLength(1)
    const [{ owners }] = await run(`SELECT count(*)::int AS owners FROM users WHERE role = 'owner'`)
    expect(owners).toBe(1)
  })
})

test('logging a colleague out everywhere ends all sessions, or none with an error', async () => {
  const [owner, colleague] = [await shop.newStaff(), await shop.newStaff('support')]
  const { access = '' } = await shop.sessionOf(colleague)
  const open = async () => [
    (await colleague.get('/api/staff/session/')).status,
    (await shop.withToken(access, 'GET', '/api/user/profile/')).status,
  ]
  const end = () => owner.post(`/api/staff/people/${colleague.id}/end-sessions/`, { reason: 'lost phone' })
  const entries = `SELECT 1 FROM audit_log WHERE action = 'staff.endSessions' AND subject = '${colleague.id}'`
  await run(
    `CREATE TRIGGER dies BEFORE UPDATE ON sessions FOR EACH ROW WHEN (NEW.user_id = ${colleague.id})
     EXECUTE FUNCTION die()`,
  )
  expect((await end()).status).toBe(500)
  expect([await open(), await run(entries)]).toEqual([[200, 200], []])
  await run('DROP TRIGGER dies ON sessions')
  expect((await end()).status).toBe(204)
  expect([await open(), await run(entries)]).toEqual([[401, 401], [{ '?column?': 1 }]])
})

describe('The audit log', () => {
  test.runIf(isExtended)(
    'is one chain: concurrent entries follow each other, and every change of a row shows',
    async () => {
      const staff = await shop.newStaff()
      await Promise.all(Array.from({ length: 8 }, () => staff.post('/api/staff/audit/export/')))
      const whole = await staff.post('/api/staff/audit/verify/')
      expect(whole.body).toMatchObject({ broken_at: null, entries: expect.any(Number) })
      for (const change of [
        'UPDATE audit_log SET entry = entry',
        'DELETE FROM audit_log',
        'TRUNCATE audit_log',
      ])
        await expect(run(change)).rejects.toMatchObject({ code: '23001' })
      const id = Math.floor(whole.body['entries'] / 2)
      for (const change of [
        `UPDATE audit_log SET entry = jsonb_set(entry::jsonb, '{reason}', '"x"')::text WHERE id = ${id}`,
        `UPDATE audit_log SET entry = e.entry, hash = e.hash FROM (
         SELECT previous_hash, entry || ' ' AS entry, sha256(previous_hash || convert_to(entry || ' ', 'UTF8')) AS hash
         FROM audit_log WHERE id = ${id}) e WHERE audit_log.id = ${id}`,
        `DELETE FROM audit_log WHERE id = ${id}`,
      ])
        expect(await brokenAt(change)).toBeGreaterThanOrEqual(id)
    },
  )

  /** What a check finds after a change by somebody who may switch triggers off; the change is undone. */
  const brokenAt = async (change: string): Promise<number | null> => {
    let found: number | null = null
    await shop.db
      .transaction()
      .execute(async (trx) => {
        await sql.raw('ALTER TABLE audit_log DISABLE TRIGGER ALL').execute(trx)
        await sql.raw('ALTER TABLE audit_log DROP CONSTRAINT audit_log_hashed').execute(trx)
        await sql.raw(change).execute(trx)
        found = (await verifyAuditLog(trx)).brokenAt
        throw new Error('undo')
      })
      .catch((error: Error) => {
        if (error.message !== 'undo') throw error
      })
    return found
  }

  test('is asked by person and day in the shop’s zone, and names the people who are in it', async () => {
    const [staff, idle] = [await shop.newStaff(), await shop.newCustomer()]
    expect(shop.config.timeZone).toBe('Europe/Brussels')
    // The day is an hour shorter: summer time begins.
    const times = ['2020-03-28T22:59Z', '2020-03-28T23:00Z', '2020-03-29T21:59Z', '2020-03-29T22:00Z']
    for (const at of times)
      await run('INSERT INTO audit_log (entry) VALUES ($1)', [
        JSON.stringify({
          at_ms: Date.parse(at),
          actor_id: staff.id,
          actor: 'x',
          role: null,
          action: 'demo.load',
        }),
      ])
    const found = async (query: string) => {
      const { body } = await staff.get(`/api/staff/audit/?actor=${staff.id}&action=demo.load&${query}`)
      return (body['items'] as { at: string }[]).map(({ at }) => at.slice(0, 16))
    }
    const [, second = '', third = '', fourth = ''] = times.map((at) => at.slice(0, 16))
    expect(await found('from=2020-03-29&to=2020-03-29')).toEqual([third, second])
    expect(await found('from=2020-03-29')).toEqual([fourth, third, second])
    for (const day of ['2020-02-30', '0000-01-01', 'soon'])
      expect((await staff.get(`/api/staff/audit/?from=${day}`)).status, day).toBe(400)
    const { body } = await staff.get('/api/staff/audit/actors/')
    const people = body as unknown as { id: number; name: string }[]
    expect(people.filter(({ id }) => id === staff.id || id === idle.id)).toEqual([
      { id: staff.id, name: staff.name },
    ])
  })

  test('is exported as lines that anybody can check', async () => {
    const staff = await shop.newStaff()
    const response = await staff.post('/api/staff/audit/export/')
    const lines = (response.body as unknown as Buffer)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; entry: string; previous_hash: string; hash: string })
    const { createHash } = await import('node:crypto')
    let before = createHash('sha256').update('volant-audit-v1').digest('hex')
    for (const line of lines) {
      expect(line.previous_hash).toBe(before)
      before = createHash('sha256').update(Buffer.from(before, 'hex')).update(line.entry).digest('hex')
      expect(line.hash).toBe(before)
    }
  })
})

test('the search finds staff, alerts and statements, for those who may open them', async () => {
  const [owner, support, accountant] = await Promise.all([
    shop.newStaff('owner'),
    shop.newStaff('support'),
    shop.newStaff('accountant'),
  ])
  await run(
    `INSERT INTO alerts (kind, subject, details) VALUES ('drawWithoutTerms', 'rubis', '{"title":"Le rubis"}')`,
  )
  await run(
    `INSERT INTO statements (file_hash, imported_by, from_day, to_day, rows, unbooked, agreed, sums, found)
     VALUES (sha256('file'), $1, '2025-10-01', '2025-10-31', 1, 0, 1, '[]', '[]')`,
    [accountant.id],
  )
  const kinds = async ({ get }: typeof owner, text: string): Promise<string[]> =>
    (await get(`/api/staff/search/?q=${encodeURIComponent(text)}`)).body['items'].map(
      ({ kind }: { kind: string }) => kind,
    )
  expect(await kinds(owner, support.email)).toEqual(['customer', 'staff'])
  expect(await kinds(support, owner.email)).toEqual(['customer'])
  expect(await kinds(support, 'LE RUBIS')).toEqual(['alert'])
  expect(await kinds(accountant, 'rubis')).toEqual(['alert'])
  expect(await kinds(await shop.newStaff('postal'), 'rubis')).toEqual([])
  for (const day of ['31/10/2025', '1.10.2025', '2025-10-15'])
    expect(await kinds(accountant, day), day).toEqual(['statement'])
  for (const day of ['01/11/2025', '31/02/2025']) expect(await kinds(accountant, day), day).toEqual([])
  expect(await kinds(support, '15/10/2025')).toEqual([])
})

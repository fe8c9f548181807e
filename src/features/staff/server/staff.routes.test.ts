import { TOTP, Secret } from 'otpauth'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { verifyAuditLog } from '#platform/audit-log.ts'
import { openShop } from '../../../../test/support/shop.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const origin = shop.config.publicUrl
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const textsTo = async (id: number): Promise<string[]> =>
  (await run('SELECT body_text FROM emails JOIN users ON recipient = email WHERE users.id = $1', [id])).map(
    ({ body_text: text }) => text,
  )

const signIn = (body: object, headers: Record<string, string> = { origin }) =>
  shop.app.inject({ method: 'POST', url: '/api/staff/session/', headers, payload: body })
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

/** The first code that counts after an authenticator was set up, also when a step of 30 seconds ends meanwhile. */
const nextCodeOf = (secret: string): string => codeOf(secret, 1)

/** Sets up an authenticator. @returns its secret and the recovery codes */
async function enrol(staff: Awaited<ReturnType<typeof shop.newStaff>>) {
  const { body } = await staff.post('/api/staff/self/authenticator/')
  const confirmed = await staff.post('/api/staff/self/authenticator/confirm/', {
    code: codeOf(body['secret']),
  })
  return { secret: body['secret'] as string, codes: confirmed.body['recovery_codes'] as string[] }
}

describe('The sign-in of the console', () => {
  test('sets a cookie that only staff calls carry and that no script reads', async () => {
    const { email, password } = await shop.newStaff('support')
    const answer = await signIn({ email, password })
    expect(answer.statusCode).toBe(204)
    const cookie = String(answer.headers['set-cookie'])
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

describe('A step-up', () => {
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
    const answers = await Promise.all([approve(checker), approve(other)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
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
    const done = await alone.post(`/api/staff/approvals/${id}/approve/`)
    expect(done.body).toMatchObject({ decision: 'alone', failure: null, done_at: expect.any(String) })
  })

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

describe('The audit log', () => {
  test('is one chain: concurrent entries follow each other, and every change of a row shows', async () => {
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
  })

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

  test('is exported as lines that anybody can check', async () => {
    const staff = await shop.newStaff()
    const answer = await staff.post('/api/staff/audit/export/')
    const lines = (answer.body as unknown as Buffer)
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

import { spawnSync } from 'node:child_process'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { finishApprovals, sendAuditCheckpoint } from '#features/staff/server/index.ts'
import { audit, auditRead, verifyAuditLog } from '#platform/audit-log.ts'
import { transact } from '#platform/transaction.ts'
import { deleteExpired } from '#server/maintenance.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { closeGate } from '../support/races.ts'
import { openShop } from '../support/shop.ts'

const shop = await openShop()
const rows = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const roleOf = async (id: number) => (await rows('SELECT role FROM users WHERE id = $1', [id]))[0].role
const entries = (action: string) =>
  rows(`SELECT actor_id, subject, entry::jsonb AS told FROM audit_log WHERE action = $1 ORDER BY id`, [
    action,
  ])

/** Runs a tool, which takes most of a second. */
const tool = (name: string, ...args: string[]) =>
  spawnSync(process.execPath, [`tools/${name}.ts`, ...args], {
    encoding: 'utf8',
    env: { ...bareEnvironment(), DATABASE_URL: shop.url },
  })

test('the command line gives the first owner a role and takes it, not from the last one', async () => {
  const { id, email } = await shop.newCustomer()
  expect(tool('staff', 'owner', email.toUpperCase())).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${email} is owner now`),
  })
  expect(await roleOf(id)).toBe('owner')
  const last = tool('staff', 'none', email)
  expect(last).toMatchObject({
    status: 1,
    stderr: `${email} is the last owner: make somebody else one first.\n`,
  })
  expect(await roleOf(id)).toBe('owner')
  const second = await shop.newStaff('owner')
  expect(tool('staff', 'none', second.email).status).toBe(0)
  const told = (address: string) =>
    rows('SELECT body_text AS text FROM emails WHERE recipient = $1 ORDER BY id', [address])
  const by = 'somebody with access to the shop’s server'
  expect((await told(second.email)).at(-1).text).toContain(`${by} removed your role`)
  expect((await told(email)).map(({ text }) => text)).toEqual([
    expect.stringContaining(`Decided by: ${by}`),
    expect.stringContaining(`${by} removed the role of ${second.name}`),
  ])
  expect(tool('staff', 'owner', 'nobody@example.test').stderr).toContain('has no account with the address')
  expect(await entries('staff.change')).toMatchObject([
    { actor_id: null, subject: String(id), told: { actor: 'command line', after: { role: 'owner' } } },
    { actor_id: null, subject: String(second.id), told: { actor: 'command line', after: { role: null } } },
  ])
})

test('a list that is asked for again names each row once; another session, filter or half hour begins anew', async () => {
  const actor = {
    userId: 1,
    name: 'Ada',
    role: 'owner',
    sessionId: crypto.randomUUID() as string,
    network: 'n',
  } as const
  const look = (shown: string[], session = actor.sessionId, more = {}) =>
    auditRead(shop.db, {
      actor: { ...actor, sessionId: session },
      action: 'orders.list',
      after: { ...more, shown },
    })
  const begun = Date.now()
  for (const shown of [['a'], ['a', 'b'], ['a'], ['a', 'b']]) await look(shown)
  await look(['a'], crypto.randomUUID())
  await look(['a'], actor.sessionId, { filter: 'x' })
  await look([], actor.sessionId, { filter: 'y' })
  await Promise.all([look(['c', 'b']), look(['c', 'b']), look(['c', 'b'])])
  const spy = vi.spyOn(Date, 'now').mockReturnValue(begun + 30 * 60_000 + 2_000)
  await look(['a'])
  spy.mockRestore()
  const shown = (await entries('orders.list')).map(({ told }) => told.after.shown)
  expect(shown).toEqual([['a'], ['b'], ['a'], ['a'], [], ['c'], ['a']])
  expect((await verifyAuditLog(shop.db)).brokenAt).toBeNull()
})

test('one opening of a record is one entry: parts, repetitions and calls at the same instant belong to it', async () => {
  const actor = {
    userId: 1,
    name: 'Ada',
    role: 'owner',
    sessionId: crypto.randomUUID() as string,
    network: 'n',
  } as const
  const open = (id: number, after?: { part: string }, session = actor.sessionId) =>
    auditRead(shop.db, {
      actor: { ...actor, sessionId: session },
      action: 'customers.read',
      subject: { kind: 'customer', id },
      ...(after && { after }),
    })
  const ofCustomer = async (id: number) =>
    (await entries('customers.read')).filter(({ subject }) => subject === String(id)).length
  const begun = Date.now()
  await Promise.all(Array.from({ length: 8 }, () => open(71)))
  await Promise.all(['orders', 'emails', 'history'].map((part) => open(71, { part })))
  expect(await ofCustomer(71)).toBe(1)
  await open(71, undefined, crypto.randomUUID())
  expect(await ofCustomer(71)).toBe(2)
  for (const part of ['orders', 'orders', 'emails']) await open(72, { part })
  expect(await ofCustomer(72)).toBe(2)
  const spy = vi.spyOn(Date, 'now').mockReturnValue(begun + 29 * 60_000)
  await open(71)
  expect(await ofCustomer(71)).toBe(2)
  spy.mockReturnValue(begun + 31 * 60_000)
  await open(71)
  spy.mockRestore()
  expect(await ofCustomer(71)).toBe(3)
})

test('entries about an order are found by its number, and what two people decided names both', async () => {
  const owner = await shop.newStaff('owner')
  const second = await shop.newStaff('owner')
  const { ours, orderId, offerId } = await shop.paidOrder(1)
  await owner.get(`/api/staff/orders/${ours.id}/`)
  const shown = `${ours.number.slice(0, 4)}-${ours.number.slice(4)}`
  const spelled = [
    shown,
    ours.number.toLowerCase(),
    ` ${shown.replace('-', ' ')} `,
    shown.toLowerCase().replace('-', '–'),
    `#${shown}`,
  ]
  for (const name of [...spelled, ours.id, orderId]) {
    const subject = encodeURIComponent(name)
    const { body } = await owner.get(`/api/staff/audit/?subject=${subject}&action=orders.read`)
    expect(body['items'], name).toMatchObject([{ subject: ours.id, subject_name: shown, people: [] }])
  }
  const [{ slug }] = await rows('SELECT slug FROM offers WHERE id = $1', [offerId])
  const asked = await owner.post(`/api/staff/offers/${slug}/cancel/`, { reason: 'no car' })
  const approval = asked.body['approval'] as { id: number }
  expect((await second.post(`/api/staff/approvals/${approval.id}/approve/`)).status).toBe(200)
  await expect
    .poll(async () => (await owner.get(`/api/staff/audit/?action=offers.cancel`)).body['items'])
    .toMatchObject([{ actor: 'system', people: [owner.name, second.name] }])
  const { moves } = (await owner.get(`/api/staff/offers/${offerId}/`)).body as {
    moves: { event: string; people: string[] }[]
  }
  expect(moves.find(({ event }) => event === 'cancel')?.people).toEqual([owner.name, second.name])
})

test('reads and changes at the same time are one chain', async () => {
  const actor = {
    userId: 1,
    name: 'Ada',
    role: 'owner',
    sessionId: crypto.randomUUID() as string,
    network: 'n',
  } as const
  const reads = Array.from({ length: 30 }, (_, index) =>
    auditRead(shop.db, { actor, action: 'messages.list', after: { shown: [index] } }),
  )
  const changes = Array.from({ length: 5 }, (_, index) =>
    transact(shop.db, (trx) => audit(trx, { actor, action: 'demo.load', reason: `among reads ${index}` })),
  )
  await Promise.all([...reads, ...changes])
  expect(await entries('messages.list')).toHaveLength(30)
  expect((await verifyAuditLog(shop.db)).brokenAt).toBeNull()
})

test('the check of the log finds a change of a row, and by a checkpoint a log that was rewritten or cut', async () => {
  const add = (reason: string) =>
    transact(shop.db, (trx) => audit(trx, { actor: 'system', action: 'demo.load', reason }))
  for (const reason of ['one', 'two', 'three']) await add(reason)
  const { entries: count, checkpoint } = await verifyAuditLog(shop.db)
  const mailed = `${checkpoint.entries}:${checkpoint.hash}`
  await add('four')
  expect(tool('audit-verify', '--checkpoint', mailed)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      new RegExp(`${count + 1} entries.*\nunbroken.*\nentry ${count} has the hash`),
    ),
  })
  const broken = (...lines: string[]) => ({
    status: 1,
    stdout: expect.stringMatching(new RegExp(lines.map((line) => `BROKEN: ${line}`).join('[^]*'))),
  })
  const rewritten = `${count + 1}:${checkpoint.hash}`
  expect(tool('audit-verify', '--checkpoint', rewritten)).toMatchObject(broken('entry .* another hash'))
  // Whoever may switch triggers and constraints off leaves a chain that does not fit.
  const change = (statement: string) =>
    rows(
      `ALTER TABLE audit_log DISABLE TRIGGER USER; ${statement}; ALTER TABLE audit_log ENABLE TRIGGER USER`,
    )
  await change(`ALTER TABLE audit_log DROP CONSTRAINT audit_log_hashed;
    UPDATE audit_log SET entry = replace(entry, 'two', 'too') WHERE id = ${count - 1}`)
  expect(tool('audit-verify', '--checkpoint', `${count + 9}:${checkpoint.hash}`)).toMatchObject(
    broken(`entry ${count - 1} does not follow`, `the log has no entry ${count + 9}`),
  )
  await change(`UPDATE audit_log SET entry = replace(entry, 'too', 'two') WHERE id = ${count - 1}`)
  expect((await verifyAuditLog(shop.db)).brokenAt).toBeNull()
})

test('concurrent entries wait for each other and follow each other', async () => {
  const gate = await closeGate(shop.url, `SELECT pg_advisory_lock(hashtext('audit_log'))`)
  const added = Promise.all(
    ['a', 'b', 'c'].map((reason) =>
      transact(shop.db, (trx) => audit(trx, { actor: 'system', action: 'system.checkInvariants', reason })),
    ),
  )
  await gate.waiting(3)
  await gate.open()
  await added
  expect(await entries('system.checkInvariants')).toHaveLength(3)
  expect((await verifyAuditLog(shop.db)).brokenAt).toBeNull()
})

test('the end of the log is mailed once a day, however many processes do it', async () => {
  const to = { ...shop.config, alertEmail: 'operator@shop.test' }
  const send = () => sendAuditCheckpoint(shop.db, to)
  const mails = () =>
    rows(`SELECT body_text FROM emails WHERE kind = 'audit-checkpoint' AND recipient = $1`, [to.alertEmail])
  await Promise.all([send(), send(), send()])
  await send()
  const { checkpoint } = await verifyAuditLog(shop.db)
  expect(await mails()).toEqual([{ body_text: expect.stringContaining(checkpoint.hash) }])
  expect((await mails())[0].body_text).toContain(String(checkpoint.entries))
})

test('without an address of the operator it goes to the owners, each in their language, and System says when', async () => {
  await rows(`DELETE FROM emails WHERE kind = 'audit-checkpoint'`)
  const [owner, gone, manager] = [
    await shop.newStaff('owner'),
    await shop.newStaff('owner'),
    await shop.newStaff('manager'),
  ]
  await rows(`UPDATE users SET language = 'nl' WHERE id = $1`, [owner.id])
  await rows('UPDATE users SET is_active = false WHERE id = $1', [gone.id])
  const send = () => sendAuditCheckpoint(shop.db, { ...shop.config, alertEmail: undefined })
  await Promise.all([send(), send()])
  const sent = await rows(`SELECT user_id, subject, body_text FROM emails WHERE kind = 'audit-checkpoint'`)
  const ids = sent.map(({ user_id: id }) => id as number)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toContain(owner.id)
  expect(ids).not.toContain(gone.id)
  expect(ids).not.toContain(manager.id)
  const { checkpoint } = await verifyAuditLog(shop.db)
  const own = sent.find(({ user_id: id }) => id === owner.id)
  expect(own.subject).toContain('stand van het auditlogboek')
  const { body } = await manager.get('/api/staff/system/')
  expect(body['checkpoint']).toMatchObject({ queued_at: expect.any(String), state: 'queued' })
  expect(own.body_text).toMatch(/[0-9a-f]{64}/)
  expect(checkpoint.entries).toBeGreaterThan(0)
})

test('the screen compares the log with a checkpoint email, as the command does', async () => {
  const owner = await shop.newStaff('owner')
  const { checkpoint } = await verifyAuditLog(shop.db)
  const compare = async (entriesThen: number, hash: string) =>
    (await owner.post('/api/staff/audit/verify/', { entries: entriesThen, hash })).body
  expect(await compare(checkpoint.entries, ` ${checkpoint.hash.toUpperCase()} `)).toMatchObject({
    checkpoint: 'same',
    broken_at: null,
  })
  expect(await compare(checkpoint.entries, '0'.repeat(64))).toMatchObject({ checkpoint: 'other' })
  expect(await compare(1_000_000, checkpoint.hash)).toMatchObject({ checkpoint: 'missing' })
  expect(await compare(0, 'x')).toMatchObject({
    fields: { entries: [expect.any(String)], hash: [expect.any(String)] },
  })
  expect((await owner.post('/api/staff/audit/verify/')).body).toMatchObject({ checkpoint: null })
})

test('an entry says from which device and network somebody acted', async () => {
  const owner = await shop.newStaff('owner')
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const { email, password } = owner
  await shop.app.inject({
    method: 'POST',
    url: '/api/staff/session/',
    headers: { origin: shop.config.publicUrl, 'user-agent': userAgent },
    payload: { email, password },
  })
  const { body } = await owner.get(`/api/staff/audit/?actor=${owner.id}&action=session.start`)
  expect(body['items'][0]).toMatchObject({
    browser: 'Firefox',
    system: 'Linux',
    network: expect.stringMatching(/^[0-9a-f]+$/),
    after: { browser: 'Firefox', system: 'Linux' },
  })
})

test('what was approved before a crash is done by a worker, once', async () => {
  const [maker, checker] = [await shop.newStaff('owner'), await shop.newStaff('owner')]
  const hired = await shop.newCustomer()
  const asked = await maker.post('/api/staff/people/', { email: hired.email, role: 'support', reason: 'new' })
  const { id } = asked.body['approval']
  const finish = () => finishApprovals({ db: shop.db, shop: shop.config }, [])
  const decide = (ago: string) =>
    rows(
      `UPDATE approvals SET decision = 'approved', decided_by = $1, decided_at = now() - interval '${ago}' WHERE id = $2`,
      [checker.id, id],
    )
  await finish()
  // Its own process is at it.
  await decide('50 seconds')
  await finish()
  expect(await roleOf(hired.id)).toBeNull()
  await decide('61 seconds')
  await Promise.all([finish(), finish()])
  await finish()
  expect(await roleOf(hired.id)).toBe('support')
  const given = (await entries('staff.change')).filter(({ subject }) => subject === String(hired.id))
  expect(given).toMatchObject([{ told: { after: { role: 'support', approval: id } } }])
  const letters = `SELECT 1 FROM emails WHERE recipient = $1 AND kind = 'staff-notice'`
  expect(await rows(letters, [hired.email])).toHaveLength(1)
})

test('sessions of staff that ended a month ago are deleted, and challenges that expired', async () => {
  const { id } = await shop.newStaff('support')
  const session = (state: string) =>
    sql`INSERT INTO staff_sessions (id, user_id, token_hash, ended_at, expires_at)
        SELECT gen_random_uuid(), ${id}, sha256(gen_random_uuid()::text::bytea), ${sql.raw(state)}`.execute(
      shop.db,
    )
  await session(`now() - interval '29 days', now() - interval '28 days'`)
  await session(`now() - interval '31 days', now() - interval '29 days'`)
  await session(`NULL, now() - interval '31 days'`)
  await rows(
    `INSERT INTO staff_challenges VALUES ('old', NULL, now()), ('new', NULL, now() + interval '1 minute')`,
  )
  await deleteExpired(shop.db)
  expect(await rows(`SELECT 1 FROM staff_sessions WHERE user_id = $1`, [id])).toHaveLength(2)
  expect(await rows('SELECT challenge FROM staff_challenges')).toEqual([{ challenge: 'new' }])
})

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { renewAuthenticators } from '#features/staff/server/index.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { readConfig } from '#server/config.ts'
import { proofsOfWork } from '#platform/limits/proof-of-work.ts'
import { startMailServer } from '../support/mail-server.ts'
import { deleteExpired } from '#server/maintenance.ts'
import { testShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { proofOf } from '../support/proof.ts'

const post = await startMailServer()
const shop = await testShop({ env: { SMTP_URL: post.url } })
afterAll(async () => {
  await shop.close()
  await post.close()
})
const run = async (text: string, values: readonly unknown[] = []) =>
  (await shop.pool.query(text, [...values])).rows

const FIRST = shop.secret
const SECOND = 'the second secret of the tests, as long as the others'
const THIRD = 'the third secret of the tests, as long as the others'

/** The steps of a change: a process after each of them accepts what a process before or after it makes. */
const STEPS = {
  before: { secret: FIRST },
  announced: { secret: FIRST, previousSecret: SECOND },
  changed: { secret: SECOND, previousSecret: FIRST },
  after: { secret: SECOND },
  again: { secret: THIRD, previousSecret: SECOND },
} satisfies Record<string, SecretKeys>
type Step = keyof typeof STEPS
const NAMES = Object.keys(STEPS) as Step[]
const processes = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await shop.withKeys(STEPS[name])] as const)),
) as Record<Step, Awaited<ReturnType<typeof shop.withKeys>>>

/** Which steps accept what a step has made: those that have its key. */
const ACCEPTED: Record<Step, Step[]> = {
  before: ['before', 'announced', 'changed'],
  announced: ['before', 'announced', 'changed'],
  changed: ['announced', 'changed', 'after', 'again'],
  after: ['announced', 'changed', 'after', 'again'],
  again: ['again'],
}
const acceptedBy = async (accepts: (step: Step) => Promise<boolean> | boolean): Promise<Step[]> => {
  const accepted: Step[] = []
  for (const name of NAMES) if (await accepts(name)) accepted.push(name)
  return accepted
}

describe('while a key is changed', () => {
  test.each(NAMES)('what a process "%s" makes is accepted by whoever has its key', async (maker) => {
    const { email, password } = await shop.newCustomer()
    const login = { username: email, password }
    const { access, refresh } = (await processes[maker].call('POST', '/api/token/', { body: login })).body
    const profile = async (step: Step) =>
      (await processes[step].call('GET', '/api/user/profile/', { token: access })).status === 200
    expect(await acceptedBy(profile), 'access tokens').toEqual(ACCEPTED[maker])
    const renewed = async (step: Step) =>
      (await processes[step].call('POST', '/api/token/refresh/', { body: { refresh } })).status === 200
    expect(await acceptedBy(renewed), 'sessions').toEqual(NAMES)

    const reference = processes[maker].signatures.of('an order')
    expect(await acceptedBy((step) => processes[step].signatures.isOf('an order', reference))).toEqual(
      ACCEPTED[maker],
    )
    expect(processes.changed.signatures.isOf('another order', reference)).toBe(false)

    const solution = await proofOf(await proofsOfWork(STEPS[maker]).challenge())
    const proves = async (step: Step) => (await proofsOfWork(STEPS[step]).verified(solution)) !== undefined
    expect(await acceptedBy(proves), 'proofs of work').toEqual(ACCEPTED[maker])
  })
})

describe('a link in an email', () => {
  beforeEach(async () => {
    await run('DELETE FROM emails')
    await run('DELETE FROM limit_counters')
    post.taken.length = 0
  })
  const PASSWORD = 'Chosen-1!'

  /** Queues the emails with a link that a customer can ask for. */
  const asks: Record<string, (at: Step) => Promise<void>> = {
    async reset(at) {
      const { email } = await shop.newCustomer()
      await processes[at].call('POST', '/api/user/forgot-password/', { body: { email } })
      await processes[at].sendPasswordResets()
    },
    async address(at) {
      const { email, password } = await shop.newCustomer()
      const { body } = await processes[at].call('POST', '/api/token/', {
        body: { username: email, password },
      })
      const asked = await processes[at].call('PUT', '/api/user/profile/', {
        body: { email: `new-${email}`, current_password: password },
        token: body['access'],
      })
      expect(asked.status).toBe(200)
    },
  }
  const uses: Record<string, (at: Step, token: string) => Promise<number>> = {
    reset: async (at, token) =>
      (
        await processes[at].call('POST', '/api/user/reset-password/', {
          body: { token, new_password: PASSWORD, confirm_password: PASSWORD },
        })
      ).status,
    address: async (at, token) =>
      (await processes[at].call('POST', '/api/user/email-link/', { body: { token } })).status,
  }
  /** The token of the only email that came. */
  const arrived = (): string =>
    /\/(?:reset-password|email-link)[^\s#]*#(\S+)/.exec(post.taken[0]?.text ?? '')?.[1] ?? ''

  describe.each(Object.keys(asks))('of kind "%s"', (kind) => {
    test.each([
      // Sent by a process with the next key, and by one of the former.
      ['before', 'changed', 'changed', 'after'],
      ['changed', 'before', 'before', 'changed'],
      // Two changes while it waits.
      ['before', 'again', 'again', 'again'],
      ['announced', 'announced', 'before', 'changed'],
    ] as const)('queued "%s" and sent "%s" opens "%s" and "%s"', async (queued, sent, ...opened) => {
      for (const step of opened) {
        post.taken.length = 0
        await run('DELETE FROM emails')
        await asks[kind]!(queued)
        await processes[sent].mailer.deliver()
        const token = arrived()
        const stored = JSON.stringify([
          await run('SELECT * FROM emails'),
          await run(`SELECT encode(hash, 'escape') FROM link_tokens`),
        ])
        expect(stored).not.toContain(token)
        expect(await uses[kind]!(step, token), step).toBe(200)
        expect(await uses[kind]!(step, token), 'once').toBe(410)
      }
    })

    test('opens while its key is accepted, and no longer', async () => {
      await asks[kind]!('before')
      await processes.before.mailer.deliver()
      const token = arrived()
      for (const gone of ['after', 'again'] as const) expect(await uses[kind]!(gone, token), gone).toBe(410)
      expect(await uses[kind]!('changed', `${token}x`)).toBe(410)
      expect(await uses[kind]!('changed', token)).toBe(200)
    })

    test('is the same in each attempt to send it, and leads to the address that the shop has then', async () => {
      await asks[kind]!('before')
      const moved = await shop.withKeys(STEPS.changed, 'https://moved.example')
      await moved.mailer.deliver()
      const [{ text = '', html = '' } = {}] = post.taken
      for (const body of [text, html]) {
        expect(body).toContain('https://moved.example/')
        expect(body).not.toContain(shop.config.publicUrl)
      }
      const first = arrived()
      await run(`UPDATE emails SET state = 'queued', closed_at = NULL, due_at = now()`)
      post.taken.length = 0
      await moved.mailer.deliver()
      expect(arrived()).toBe(first)
      expect(await uses[kind]!('changed', first)).toBe(200)
    })
  })

  test('that was deleted takes its further tokens along', async () => {
    await asks['reset']!('before')
    await processes.changed.mailer.deliver()
    const count = async () => (await run('SELECT count(*)::int AS count FROM link_tokens'))[0].count as number
    const before = await count()
    expect(before).toBeGreaterThan(0)
    await deleteExpired(shop.db)
    expect(await count()).toBe(before)
    await run('DELETE FROM password_resets')
    await run('DELETE FROM email_links')
    await deleteExpired(shop.db)
    expect(await count()).toBe(0)
  })
})

describe('authenticators', () => {
  beforeEach(async () => void (await run('DELETE FROM staff_authenticators')))
  const codeOf = (secret: string, steps = 0): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

  /** Staff with an authenticator that the first key encrypted. */
  async function enrolled() {
    const staff = await shop.newStaff('support')
    const { secret } = (await staff.post('/api/staff/self/authenticator/')).body
    const { recovery_codes: codes } = (
      await staff.post('/api/staff/self/authenticator/confirm/', { code: codeOf(secret, -1) })
    ).body
    return { ...staff, secret: secret as string, codes: codes as string[] }
  }
  const headers = { origin: shop.config.publicUrl }
  async function signsIn(
    { id, email, password }: Awaited<ReturnType<typeof enrolled>>,
    step: Step,
    code: string,
  ) {
    await run('UPDATE staff_authenticators SET last_step = 0 WHERE user_id = $1', [id])
    await run('DELETE FROM limit_counters')
    const response = await processes[step].call('POST', '/api/staff/session/', {
      body: { email, password, code },
      headers,
    })
    return response.status === 204
  }

  test('and recovery codes are accepted by both keys, and after a renewal by the new one alone', async () => {
    const staff = await enrolled()
    const byCode = (step: Step) => signsIn(staff, step, codeOf(staff.secret))
    expect(await acceptedBy(byCode)).toEqual(ACCEPTED.before)
    expect(await signsIn(staff, 'after', staff.codes[0]!)).toBe(false)
    expect(await signsIn(staff, 'changed', staff.codes[0]!)).toBe(true)
    expect(await signsIn(staff, 'changed', staff.codes[0]!)).toBe(false)

    const [stored] = await run('SELECT secret FROM staff_authenticators')
    expect(await renewAuthenticators(shop.db, STEPS.changed)).toMatchObject({
      renewed: 1,
      present: 0,
      lost: [],
    })
    expect(await run('SELECT secret FROM staff_authenticators')).not.toEqual([stored])
    expect(await acceptedBy(byCode)).toEqual(ACCEPTED.changed)
    expect(await renewAuthenticators(shop.db, STEPS.changed)).toMatchObject({
      renewed: 0,
      present: 1,
      withCodes: 1,
    })
  })

  test('are renewed by a run that follows one that ended early, and by two at the same time', async () => {
    const [one, other] = [await enrolled(), await enrolled()]
    await run(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut short'; END $$`)
    await run(`CREATE TRIGGER cut BEFORE UPDATE ON staff_authenticators FOR EACH ROW
      WHEN (NEW.user_id = ${other.id} AND NEW.secret <> OLD.secret) EXECUTE FUNCTION cut()`)
    await expect(renewAuthenticators(shop.db, STEPS.changed)).rejects.toThrow('cut short')
    await run('DROP TRIGGER cut ON staff_authenticators')
    for (const staff of [one, other])
      expect(await signsIn(staff, 'changed', codeOf(staff.secret)), staff.name).toBe(true)
    const both = await Promise.all([1, 2].map(() => renewAuthenticators(shop.db, STEPS.changed)))
    expect(both.reduce((sum, { renewed }) => sum + renewed, 0)).toBe(1)
    for (const staff of [one, other])
      expect(await signsIn(staff, 'after', codeOf(staff.secret)), staff.name).toBe(true)
  })

  test('of a key that was dropped too early are named, stay as they are, and come back with that key', async () => {
    const staff = await enrolled()
    const [stored] = await run('SELECT secret FROM staff_authenticators')
    const lost = { renewed: 0, present: 0, lost: [staff.email] }
    for (const keys of [STEPS.after, STEPS.again])
      expect(await renewAuthenticators(shop.db, keys)).toMatchObject(lost)
    expect(await run('SELECT secret FROM staff_authenticators')).toEqual([stored])
    const keys = { secret: THIRD, previousSecret: FIRST }
    expect(await renewAuthenticators(shop.db, keys)).toMatchObject({ renewed: 1, lost: [] })
    expect(await signsIn(staff, 'again', codeOf(staff.secret))).toBe(true)
  })
})

const start = (command: string, env: Record<string, string> = {}) =>
  spawnSync('sh', ['-c', command], {
    encoding: 'utf8',
    env: { ...bareEnvironment(), DATABASE_URL: shop.url, LOG_LEVEL: 'silent', ...env },
  })

/** The commands that a section of docs/operations.md has as blocks. */
function commandsOf(title: string): string[] {
  const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split(`\n## ${title}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^ *```\n([^`]*?)\s*```$/gm)].map(([, command = '']) => command.trim())
}

test('a process with another LOG_KEY than that of the logs ends with one sentence, before it listens', async () => {
  const key = shop.draws.key.verifierKey('shop.example')
  await run(`INSERT INTO draw_logs (id, origin, key) VALUES (0, 'shop.example/register', $1)`, [key])
  const folder = temporaryFolder()
  const words = (found: string) =>
    `The settings have 1 fault(s):\n  - LOG_KEY: expected the key that signs the log shop.example/register of this database, found another one ${found}; set the former key again, a draw cannot change it\n`
  const { status, stderr } = start('exec node src/server/main.ts', {
    DATA_DIR: folder,
    LOG_KEY: 'ab'.repeat(32),
  })
  expect([status, stderr]).toEqual([1, words('in the settings')])
})

test('the commands of docs/operations.md change a key, and the second one fails while a key is missing', async () => {
  await run('DELETE FROM staff_authenticators')
  const staff = await shop.newStaff('support')
  const { secret } = (await staff.post('/api/staff/self/authenticator/')).body
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  await staff.post('/api/staff/self/authenticator/confirm/', { code })
  const [makeKey = '', encrypt = '', ...others] = commandsOf('Changing a key')
  expect(others).toEqual([])
  const next = start(makeKey).stdout
  expect(readConfig({ SECRET_KEY: next }).secretKey).toHaveLength(44)
  const keys = (previous?: string) =>
    start(encrypt, { SECRET_KEY: next, ...(previous && { SECRET_KEY_PREVIOUS: previous }) })
  const missing = keys()
  expect([missing.status, missing.stderr]).toEqual([
    1,
    expect.stringContaining(`Neither key opens the authenticator of ${staff.email}.`),
  ])
  const done = keys(FIRST)
  expect([done.status, done.stdout]).toEqual([
    0,
    expect.stringContaining('Authenticators: 1 encrypted anew, 0'),
  ])
  expect(done.stdout).toMatch(/People with unused recovery codes: \d+\./)
})

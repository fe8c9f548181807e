import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { transact } from '#platform/transaction.ts'
import { openTestDatabase } from '../../../../test/support/database.ts'
import { startMailServer } from '../../../../test/support/mail-server.ts'
import { ATTEMPTS_MAX } from '../emails.rules.ts'
import { composeEmail } from './compose-email.ts'
import { emailsRepository } from './emails.repository.ts'
import { type NewEmail, SECRET_LINK, type WrittenEmail, enqueueEmail } from './enqueue-email.ts'
import { type EmailMakers, mailer } from './mailer.ts'

const SHOP = { brand: 'Volant', publicUrl: 'http://shop.test', contactEmail: 'contact@volant.example' }

/** References whose emails wait. */
const waiting = new Set<string>()

const MAKERS: EmailMakers = {
  bodies: {
    note: async (ref, language) => ({ text: `${ref} in ${language}`, html: `<p>${ref} in ${language}</p>` }),
  },
  attachments: {
    hello: async (ref, language) => {
      const content = Buffer.from(`hello ${ref} in ${language}`)
      return [{ filename: `${ref}.txt`, contentType: 'text/plain', content }]
    },
  },
  waits: { note: async (ref) => waiting.has(ref) },
  publicUrl: SHOP.publicUrl,
  links: { secret: async (ref) => `http://shop.test/open#token=${ref}&x=1` },
}

const { db } = await openTestDatabase()
const server = await startMailServer()
afterAll(() => server.close())
beforeEach(async () => {
  await db.deleteFrom('emails').execute()
  server.taken.length = 0
  server.refuse.clear()
})

const repository = emailsRepository(db)
const deliver = (smtpUrl: string | null = server.url, requireTls = false) =>
  mailer({
    db,
    log: pino({ level: 'silent' }),
    smtpUrl: smtpUrl ?? undefined,
    requireTls,
    sender: { name: 'Volant', address: 'shop@volant.example', replyTo: SHOP.contactEmail },
    makers: MAKERS,
  }).deliver()
const rowOf = ({ key }: { key: string }) =>
  db.selectFrom('emails').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
const changeAll = (change: object) => db.updateTable('emails').set(change).execute()
/** Ends the pause before the next attempt, or the lease of a process. */
const letTimePass = () =>
  sql`UPDATE emails SET due_at = clock_timestamp() - interval '1 second' WHERE state IN ('queued', 'sending')`.execute(
    db,
  )
const recipients = () => server.taken.map(({ envelopeTo }) => envelopeTo[0])

let counter = 0

/** An email that no other test queues. */
const newEmail = (change: Partial<WrittenEmail> = {}): WrittenEmail => {
  counter += 1
  const content = composeEmail(SHOP, {
    language: 'en',
    subject: `Subject ${counter}`,
    preview: 'an email',
    blocks: [{ kind: 'text', text: 'Good morning.' }],
  })
  const to = `reader${counter}@example.test`
  return { key: `test:${counter}`, kind: 'staff-notice', to, language: 'en', ...content, ...change }
}

/** Such an email in the outbox. */
async function queued(change: Partial<WrittenEmail> = {}): Promise<WrittenEmail> {
  const email = newEmail(change)
  await enqueueEmail(db, email)
  return email
}

test('an email waits for what it is made of, without an attempt, and holds up no other', async () => {
  waiting.add('late')
  const late = { key: 'test:late', to: 'late@example.test' }
  const body = {
    kind: 'receipt',
    language: 'en',
    subject: 'Later',
    bodyRef: { kind: 'note', ref: 'late' },
  } as const
  await enqueueEmail(db, { ...late, ...body })
  const other = await queued()
  await deliver()
  expect(recipients()).toEqual([other.to])
  expect(await rowOf(late)).toMatchObject({ state: 'queued', attempts: 0, last_error: null })
  waiting.delete('late')
  await letTimePass()
  await deliver()
  expect(recipients()).toEqual([other.to, late.to])
  expect(await rowOf(late)).toMatchObject({ state: 'sent', attempts: 1 })
})

test.each(['', '?requireTLS=false', '?ignoreTLS=true'])(
  'to a server without TLS%s, nothing is sent when TLS is required',
  async (parameters) => {
    const email = await queued()
    await deliver(server.url + parameters, true)
    expect([server.taken, (await rowOf(email)).state]).toEqual([[], 'queued'])
    await letTimePass()
    await deliver(server.url + parameters)
    expect([server.taken.length, (await rowOf(email)).state]).toEqual([1, 'sent'])
  },
)

describe('delivery', () => {
  test('carries sender, recipient, both bodies, files, an id and the reply address', async () => {
    const email = await queued({
      subject: 'Ça y est : 100 %, “gagné” 🚗',
      replyTo: 'asker@example.test',
      attachments: [{ kind: 'hello', ref: 'file' }],
    })
    await deliver()
    const [arrived] = server.taken
    const row = await rowOf(email)
    expect(arrived).toMatchObject({
      envelopeFrom: 'shop@volant.example',
      envelopeTo: [email.to],
      from: { name: 'Volant', address: 'shop@volant.example' },
      to: [{ address: email.to }],
      replyTo: [{ address: 'asker@example.test' }],
      subject: email.subject,
      text: expect.stringContaining('Good morning.'),
      html: expect.stringContaining('Good morning.'),
      messageId: `<${row.id}@volant.example>`,
      attachments: [{ filename: 'file.txt', mimeType: 'text/plain' }],
    })
    const content = arrived?.attachments[0]?.content as ArrayBuffer
    expect(Buffer.from(content).toString()).toBe('hello file in en')
    expect(row).toMatchObject({ state: 'sent', attempts: 1 })
  })

  test('of text with line breaks adds no header', async () => {
    await queued({ subject: 'Message de Eve\r\nBcc: all@example.test\u2028<script>' })
    await deliver()
    const [arrived] = server.taken
    expect(arrived?.envelopeTo).toHaveLength(1)
    expect(arrived?.headers.map(({ key }) => key)).not.toContain('bcc')
    expect(arrived?.subject).toBe('Message de Eve Bcc: all@example.test <script>')
  })

  test('fills in the secret link, which is not stored', async () => {
    const email = await queued({
      text: `Open ${SECRET_LINK} now`,
      html: `<a href="${SECRET_LINK}">Open</a>`,
      secretLink: { kind: 'secret', ref: 's3cret' },
    })
    await deliver()
    expect(server.taken[0]?.text).toContain('Open http://shop.test/open#token=s3cret&x=1 now')
    expect(server.taken[0]?.html).toContain('href="http://shop.test/open#token=s3cret&amp;x=1"')
    expect(JSON.stringify(await rowOf(email))).not.toContain('token=')
  })

  test('links to the address that the shop has when it is sent', async () => {
    const was = 'http://former.test'
    const others = `${was}.evil.test ${was}:81/x ${was}-x/ http://other.test`
    const content = composeEmail(
      { ...SHOP, publicUrl: was },
      {
        language: 'en',
        subject: 'Moved',
        preview: 'an email',
        blocks: [
          { kind: 'button', label: 'Offers', url: `${was}/offers?a=1&b=2` },
          { kind: 'text', text: `At ${was}. Not at ${others}` },
        ],
      },
    )
    await queued(content)
    await deliver()
    const [{ text = '', html = '' } = {}] = server.taken
    for (const body of [text, html]) {
      expect(body).toContain(`${SHOP.publicUrl}/offers?a=1`)
      expect(body).toContain(`At ${SHOP.publicUrl}. Not at ${others}`)
    }
    expect(html).toContain(`<a href="${SHOP.publicUrl}"`)
  })

  test('fills in no link for an email without one', async () => {
    await queued({ text: `Look: ${SECRET_LINK}` })
    await deliver()
    expect(server.taken[0]?.text).not.toContain('token=')
  })

  test('writes a referenced body when it is sent, in the language of the email', async () => {
    const head = {
      key: 'test:later',
      kind: 'staff-notice',
      to: 'later@example.test',
      language: 'nl',
    } as const
    await enqueueEmail(db, { ...head, subject: 'Later', bodyRef: { kind: 'note', ref: 'nine' } })
    expect(await rowOf(head)).toMatchObject({ body_text: '', body_html: '' })
    await deliver()
    const [arrived] = server.taken
    expect([arrived?.subject, arrived?.text?.trim(), arrived?.html?.trim()]).toEqual([
      'Later',
      'nine in nl',
      '<p>nine in nl</p>',
    ])
  })

  test('many processes at once send each email once', async () => {
    for (let count = 0; count < 40; count += 1) await queued()
    await Promise.all(Array.from({ length: 4 }, () => deliver()))
    expect(server.taken).toHaveLength(40)
    expect(new Set(server.taken.map(({ messageId }) => messageId)).size).toBe(40)
  })
})

describe('a failure', () => {
  test('of the process that sends an email leaves it to another after the lease, under the same id', async () => {
    const email = await queued()
    const claimed = await repository.claim()
    expect(claimed?.key).toBe(email.key)
    await deliver()
    expect(server.taken).toEqual([])
    await letTimePass()
    await deliver()
    expect(server.taken).toMatchObject([{ messageId: `<${claimed?.id}@volant.example>` }])
    expect(await rowOf(email)).toMatchObject({ state: 'sent', attempts: 2 })
  })

  test('that is reported after another process claimed the email changes nothing', async () => {
    const email = await queued()
    const late = await repository.claim()
    await letTimePass()
    await repository.claim()
    await repository.close(late!, 'failed', 'late')
    expect(await rowOf(email)).toMatchObject({ state: 'sending', attempts: 2 })
  })

  test('emails wait while the mail server is away and leave when it is back', async () => {
    const away = await startMailServer()
    await away.close()
    const email = await queued()
    await deliver(away.url)
    const waiting = await rowOf(email)
    expect(waiting).toMatchObject({ state: 'queued', attempts: 1 })
    expect(waiting.last_error).toContain('ECONNREFUSED')
    expect(waiting.due_at.getTime()).toBeGreaterThan(waiting.queued_at.getTime() + 10_000)

    const back = await startMailServer(away.port)
    await deliver(back.url)
    expect(back.taken, 'during the pause').toEqual([])
    await letTimePass()
    await deliver(back.url)
    expect(back.taken).toHaveLength(1)
    await back.close()
  })

  test('of the connection stops the run, so that few emails spend an attempt', async () => {
    const away = await startMailServer()
    await away.close()
    for (let index = 0; index < 20; index += 1) await queued()
    await deliver(away.url)
    const rows = await db.selectFrom('emails').select('attempts').execute()
    expect(rows.filter(({ attempts }) => attempts > 0).length).toBeLessThan(8)
  })

  test.each([
    ['an unknown recipient', 550, '5.1.1 no such user', 'failed'],
    ['a busy recipient', 451, '4.3.2 later', 'queued'],
    ['a denied relay', 550, '5.7.1 relaying denied', 'queued'],
  ])('because of %s leaves the email as it should', async (_, code, text, state) => {
    const email = await queued()
    server.refuse.set(email.to, { code, text })
    await deliver()
    expect(await rowOf(email)).toMatchObject({ state, attempts: 1 })
    server.refuse.clear()
    await letTimePass()
    await deliver()
    expect(recipients()).toEqual(state === 'queued' ? [email.to] : [])
  })

  test('of the last attempt ends the email with its reason', async () => {
    const email = await queued()
    server.refuse.set(email.to, { code: 451, text: '4.3.2 later' })
    for (let attempt = 0; attempt <= ATTEMPTS_MAX; attempt += 1) {
      await letTimePass()
      await deliver()
    }
    const row = await rowOf(email)
    expect(row).toMatchObject({ state: 'failed', attempts: ATTEMPTS_MAX })
    expect(row.last_error).toContain('4.3.2 later')
  })

  test('of the process in the last attempt ends the email', async () => {
    const email = await queued()
    await changeAll({ attempts: ATTEMPTS_MAX - 1 })
    await repository.claim()
    await letTimePass()
    await deliver()
    expect(server.taken).toEqual([])
    expect(await rowOf(email)).toMatchObject({ state: 'failed', attempts: ATTEMPTS_MAX })
  })

  const later = { kind: 'unknown', ref: '1' }
  test.each<[string, Partial<NewEmail>]>([
    ['the body', { bodyRef: later, text: undefined, html: undefined }],
    ['a file', { attachments: [later] }],
  ])('to make %s of an email holds up no other email', async (_, change) => {
    const broken = { ...newEmail(), ...change } as NewEmail
    await enqueueEmail(db, broken)
    const whole = await queued()
    await deliver()
    expect(recipients()).toEqual([whole.to])
    expect(await rowOf(broken)).toMatchObject({ state: 'queued', attempts: 1 })
  })
})

test('an email that is no longer useful is not sent', async () => {
  const email = await queued({ usefulMinutes: 60 })
  await changeAll({ useful_until: sql`clock_timestamp() - interval '1 second'` })
  await deliver()
  expect(server.taken).toEqual([])
  expect(await rowOf(email)).toMatchObject({ state: 'failed' })
})

test('without a mail server emails are not sent, also when there is one later', async () => {
  const email = await queued()
  await deliver(null)
  expect(await rowOf(email)).toMatchObject({ state: 'kept', attempts: 0 })
  await deliver()
  expect(server.taken).toEqual([])
})

describe('the outbox', () => {
  test('takes one email for each key, also from two callers at the same time', async () => {
    const one = newEmail({ key: 'receipt:1' })
    const calls = [enqueueEmail(db, one), enqueueEmail(db, { ...one, subject: 'Another one' })]
    expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(1)
    expect(await enqueueEmail(db, one)).toBe(false)
    await deliver()
    expect(server.taken).toHaveLength(1)
  })

  test('has no email of a transaction that failed', async () => {
    const failing = transact(db, async (trx) => {
      await enqueueEmail(trx, newEmail())
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await deliver()
    expect(server.taken).toEqual([])
  })

  test.each(['a@example.test\r\nBcc: b@example.test', 'A <a@example.test>', ''])(
    'refuses %j as a recipient and as a reply address',
    (address) => {
      expect(() => enqueueEmail(db, newEmail({ to: address }))).toThrow(RangeError)
      expect(() => enqueueEmail(db, newEmail({ replyTo: address }))).toThrow(RangeError)
    },
  )

  test('refuses line breaks in a recipient in the database, too', async () => {
    await queued()
    const change = changeAll({ recipient: 'a@example.test\nBcc: b@example.test' })
    await expect(change).rejects.toThrow('emails_no_header_injection')
  })
})

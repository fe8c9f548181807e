import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startMailServer } from '../../../../test/support/mail-server.ts'
import { ATTEMPTS_MAX } from '../emails.rules.ts'
import { transact } from '#platform/transaction.ts'
import { composeEmail } from './compose-email.ts'
import { SHOP, newEmail, testOutbox } from './emails.test-support.ts'
import { emailsRepository } from './emails.repository.ts'
import { SECRET_LINK, enqueueEmail } from './enqueue-email.ts'

let outbox: Awaited<ReturnType<typeof testOutbox>>
beforeAll(async () => {
  outbox = await testOutbox()
})
afterAll(() => outbox.close())
beforeEach(() => outbox.empty())

describe('delivery', () => {
  test('an email arrives whole: sender, reader, both bodies, files, an id and the answer address', async () => {
    const one = newEmail({
      subject: 'Ça y est : 100 %, “gagné” 🚗',
      replyTo: 'asker@example.test',
      attachments: [{ kind: 'hello', ref: 'file' }],
    })
    await enqueueEmail(outbox.db, one)
    await outbox.deliver()

    const [arrived] = outbox.server.taken
    expect(arrived).toMatchObject({
      envelopeFrom: 'shop@volant.example',
      envelopeTo: [one.to],
      from: { name: 'Volant', address: 'shop@volant.example' },
      to: [{ address: one.to }],
      replyTo: [{ address: 'asker@example.test' }],
      subject: one.subject,
    })
    expect(arrived?.text).toContain('Good morning.')
    expect(arrived?.html).toContain('Good morning.')
    const [file] = arrived?.attachments ?? []
    expect(file).toMatchObject({ filename: 'file.txt', mimeType: 'text/plain' })
    expect(Buffer.from(file?.content as ArrayBuffer).toString()).toBe('hello file in en')
    const row = await outbox.rowOf(one.key)
    expect(arrived?.messageId).toBe(`<${row.id}@volant.example>`)
    expect(row).toMatchObject({ state: 'sent', attempts: 1 })
  })

  test('words of people cannot add a header or HTML', async () => {
    const evil = 'Eve\r\nBcc: all@example.test\u2028<script>alert(1)</script>"'
    const content = composeEmail(
      { ...SHOP },
      {
        language: 'fr',
        subject: `Message de ${evil}`,
        preview: evil,
        blocks: [
          { kind: 'quote', text: evil },
          { kind: 'button', label: evil, url: `http://shop.test/?q="><img src=x>` },
          { kind: 'facts', facts: [{ name: evil, text: evil }] },
          { kind: 'plates', numbers: [evil] },
        ],
      },
    )
    await enqueueEmail(outbox.db, newEmail({ ...content }))
    await outbox.deliver()
    const [arrived] = outbox.server.taken
    expect(arrived?.envelopeTo).toHaveLength(1)
    expect(arrived?.bcc).toBeUndefined()
    expect(arrived?.headers.map(({ key }) => key)).not.toContain('bcc')
    expect(arrived?.subject).toBe('Message de Eve Bcc: all@example.test <script>alert(1)</script>"')
    expect(arrived?.html).not.toMatch(/<script>alert|<img/)
    expect(arrived?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(arrived?.text).toContain('> Bcc: all@example.test')
  })

  test('a secret link is made at sending and lies nowhere', async () => {
    const one = newEmail({
      text: `Open ${SECRET_LINK} now`,
      html: `<a href="${SECRET_LINK}">Open</a>`,
      secretLink: { kind: 'secret', ref: 's3cret' },
    })
    await enqueueEmail(outbox.db, one)
    await outbox.deliver()
    expect(outbox.server.taken[0]?.text).toContain('Open http://shop.test/open#token=s3cret&x=1 now')
    expect(outbox.server.taken[0]?.html).toContain('href="http://shop.test/open#token=s3cret&amp;x=1"')
    const row = await outbox.rowOf(one.key)
    expect(row.body_text + row.body_html).not.toContain('token=')
  })

  test('only an email that has a secret link says it', async () => {
    await enqueueEmail(outbox.db, newEmail({ text: `Look: ${SECRET_LINK}` }))
    await outbox.deliver()
    expect(outbox.server.taken[0]?.text).not.toContain('token=')
  })

  test('many processes at once send each email once', async () => {
    const emails = Array.from({ length: 40 }, () => newEmail())
    for (const one of emails) await enqueueEmail(outbox.db, one)
    await Promise.all(Array.from({ length: 4 }, () => outbox.deliver()))
    expect(outbox.server.taken).toHaveLength(40)
    expect(new Set(outbox.server.taken.map(({ messageId }) => messageId)).size).toBe(40)
  })
})

describe('trouble', () => {
  test('a process that dies with an email in its hands leaves it to another, under the same id', async () => {
    const one = newEmail()
    await enqueueEmail(outbox.db, one)
    const claimed = await emailsRepository(outbox.db).claim()
    expect(claimed?.key).toBe(one.key)

    await outbox.deliver()
    expect(outbox.server.taken).toEqual([])

    await outbox.letTimePass()
    await outbox.deliver()
    expect(outbox.server.taken).toHaveLength(1)
    expect(outbox.server.taken[0]?.messageId).toBe(`<${claimed?.id}@volant.example>`)
    expect(await outbox.rowOf(one.key)).toMatchObject({ state: 'sent', attempts: 2 })
  })

  test('who comes back to an email that another process has taken over changes nothing', async () => {
    const one = newEmail()
    await enqueueEmail(outbox.db, one)
    const repository = emailsRepository(outbox.db)
    const late = await repository.claim()
    await outbox.letTimePass()
    await repository.claim()
    if (!late) throw new Error('no mail')
    await repository.close(late, 'failed', 'late')
    expect(await outbox.rowOf(one.key)).toMatchObject({ state: 'sending', attempts: 2 })
  })

  test('emails wait while the mail server is away and leave when it is back', async () => {
    const away = await startMailServer()
    await away.close()
    const one = newEmail()
    await enqueueEmail(outbox.db, one)
    await outbox.deliver(away.url)
    const waiting = await outbox.rowOf(one.key)
    expect(waiting).toMatchObject({ state: 'queued', attempts: 1 })
    expect(waiting.last_error).toContain('ECONNREFUSED')
    expect(waiting.due_at.getTime()).toBeGreaterThan(waiting.queued_at.getTime() + 10_000)

    const back = await startMailServer(away.port)
    await outbox.deliver(back.url)
    expect(back.taken, 'not before its pause is over').toEqual([])
    await outbox.letTimePass()
    await outbox.deliver(back.url)
    expect(back.taken).toHaveLength(1)
    await back.close()
  })

  test('a mail server that is away is not asked for every mail', async () => {
    const away = await startMailServer()
    await away.close()
    for (let index = 0; index < 20; index += 1) await enqueueEmail(outbox.db, newEmail())
    await outbox.deliver(away.url)
    const rows = await outbox.db.selectFrom('emails').select('attempts').execute()
    expect(rows.filter(({ attempts }) => attempts > 0).length).toBeLessThan(8)
  })

  test('a recipient that does not exist ends the email, one that is busy does not', async () => {
    const [gone, busy] = [newEmail(), newEmail()]
    outbox.server.refuse.set(gone.to, { code: 550, text: '5.1.1 no such user' })
    outbox.server.refuse.set(busy.to, { code: 451, text: '4.3.2 later' })
    await enqueueEmail(outbox.db, gone)
    await enqueueEmail(outbox.db, busy)
    await outbox.deliver()
    expect(await outbox.rowOf(gone.key)).toMatchObject({ state: 'failed', attempts: 1 })
    expect(await outbox.rowOf(busy.key)).toMatchObject({ state: 'queued', attempts: 1 })
    outbox.server.refuse.clear()
    await outbox.letTimePass()
    await outbox.deliver()
    expect(outbox.server.taken.map(({ envelopeTo }) => envelopeTo)).toEqual([[busy.to]])
  })

  test('a server that does not let us send loses no mail', async () => {
    const one = newEmail()
    outbox.server.refuse.set(one.to, { code: 550, text: '5.7.1 relaying denied' })
    await enqueueEmail(outbox.db, one)
    await outbox.deliver()
    expect(await outbox.rowOf(one.key)).toMatchObject({ state: 'queued' })
  })

  test('after its last attempt an email is given up, and says why', async () => {
    const one = newEmail()
    outbox.server.refuse.set(one.to, { code: 451, text: '4.3.2 later' })
    await enqueueEmail(outbox.db, one)
    for (let attempt = 0; attempt <= ATTEMPTS_MAX; attempt += 1) {
      await outbox.letTimePass()
      await outbox.deliver()
    }
    const row = await outbox.rowOf(one.key)
    expect(row).toMatchObject({ state: 'failed', attempts: ATTEMPTS_MAX })
    expect(row.last_error).toContain('4.3.2 later')
  })

  test('an email that died in its last attempt is given up', async () => {
    const one = newEmail()
    await enqueueEmail(outbox.db, one)
    await outbox.db
      .updateTable('emails')
      .set({ attempts: ATTEMPTS_MAX - 1 })
      .execute()
    await emailsRepository(outbox.db).claim()
    await outbox.letTimePass()
    await outbox.deliver()
    expect(outbox.server.taken).toEqual([])
    expect(await outbox.rowOf(one.key)).toMatchObject({ state: 'failed', attempts: ATTEMPTS_MAX })
  })

  test('an email that is no use any more is not sent', async () => {
    const one = newEmail({ usefulMinutes: 60 })
    await enqueueEmail(outbox.db, one)
    await outbox.db
      .updateTable('emails')
      .set({ useful_until: sql<Date>`clock_timestamp() - interval '1 second'` })
      .execute()
    await outbox.deliver()
    expect(outbox.server.taken).toEqual([])
    expect(await outbox.rowOf(one.key)).toMatchObject({ state: 'failed' })
  })

  test('an email that is only referred to is written when it is sent, in the language of the mail', async () => {
    const head = {
      kind: 'test',
      language: 'nl' as const,
      subject: 'Later',
      bodyRef: { kind: 'note', ref: 'nine' },
    }
    await enqueueEmail(outbox.db, { ...head, key: 'test:later', to: 'later@example.test' })
    expect(await outbox.rowOf('test:later')).toMatchObject({ body_text: '', body_html: '' })
    await outbox.deliver()
    const [arrived] = outbox.server.taken
    expect(arrived?.subject).toBe('Later')
    expect(arrived?.html?.trim()).toBe('<p>nine in nl</p>')
    expect(arrived?.text?.trim()).toBe('nine in nl')
  })

  test('an email that nobody can write holds up its email and no other', async () => {
    const [{ text: _text, html: _html, ...head }, whole] = [newEmail(), newEmail()]
    await enqueueEmail(outbox.db, { ...head, bodyRef: { kind: 'unknown', ref: '1' } })
    await enqueueEmail(outbox.db, whole)
    await outbox.deliver()
    expect(outbox.server.taken.map(({ envelopeTo }) => envelopeTo)).toEqual([[whole.to]])
    expect(await outbox.rowOf(head.key)).toMatchObject({ state: 'queued', attempts: 1 })
  })

  test('a file that cannot be made holds up its email and no other', async () => {
    const [broken, whole] = [newEmail({ attachments: [{ kind: 'unknown', ref: '1' }] }), newEmail()]
    await enqueueEmail(outbox.db, broken)
    await enqueueEmail(outbox.db, whole)
    await outbox.deliver()
    expect(outbox.server.taken.map(({ envelopeTo }) => envelopeTo)).toEqual([[whole.to]])
    expect(await outbox.rowOf(broken.key)).toMatchObject({ state: 'queued', attempts: 1 })
  })
})

test('without a mail server emails are kept', async () => {
  const one = newEmail()
  await enqueueEmail(outbox.db, one)
  await outbox.keep()
  expect(await outbox.rowOf(one.key)).toMatchObject({ state: 'kept', attempts: 0 })
  await outbox.deliver()
  expect(outbox.server.taken, 'kept for good').toEqual([])
})

describe('queueing', () => {
  test('an email is taken once for its key, also when two ask at the same time', async () => {
    const one = newEmail({ key: 'receipt:1' })
    const answers = await Promise.all([
      enqueueEmail(outbox.db, one),
      enqueueEmail(outbox.db, { ...one, subject: 'Another one' }),
    ])
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await enqueueEmail(outbox.db, one)).toBe(false)
    await outbox.deliver()
    expect(outbox.server.taken).toHaveLength(1)
  })

  test('a transaction that fails leaves no mail', async () => {
    await expect(
      transact(outbox.db, async (trx) => {
        await enqueueEmail(trx, newEmail({ key: 'lost' }))
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await outbox.deliver()
    expect(outbox.server.taken).toEqual([])
  })

  test.each([
    'a@example.test\r\nBcc: b@example.test',
    'a@example.test,b@example.test',
    'A <a@example.test>',
    'a@example.test\n',
    '',
  ])('%j is not an address to write to or to answer', (address) => {
    expect(() => enqueueEmail(outbox.db, newEmail({ to: address }))).toThrow(RangeError)
    expect(() => enqueueEmail(outbox.db, newEmail({ replyTo: address }))).toThrow(RangeError)
  })

  test('the table itself refuses what would break a header', async () => {
    const row = { ...newEmail(), recipient: 'a@example.test\nBcc: b@example.test' }
    const insert = emailsRepository(outbox.db).insert([
      {
        id: '00000000-0000-7000-8000-000000000001',
        key: row.key,
        kind: row.kind,
        recipient: row.recipient,
        reply_to: null,
        language: 'en',
        subject: row.subject,
        body_text: row.text,
        body_html: row.html,
        body_ref: null,
        attachments: [],
        secret_link: null,
        usefulMinutes: null,
      },
    ])
    await expect(insert).rejects.toThrow('emails_no_header_injection')
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { transact } from '#platform/transaction.ts'
import { newMail, testOutbox } from './mails.test-support.ts'
import { mailsRepository } from './mails.repository.ts'
import { queueMail } from './queue-mail.ts'

let outbox: Awaited<ReturnType<typeof testOutbox>>
beforeAll(async () => {
  outbox = await testOutbox()
})
afterAll(() => outbox.close())
beforeEach(() => outbox.empty())

describe('queueing', () => {
  test('a mail is taken once for its key, also when two ask at the same time', async () => {
    const one = newMail({ key: 'receipt:1' })
    const answers = await Promise.all([
      queueMail(outbox.db, one),
      queueMail(outbox.db, { ...one, subject: 'Another one' }),
    ])
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await queueMail(outbox.db, one)).toBe(false)
    await outbox.deliver()
    expect(outbox.server.taken).toHaveLength(1)
  })

  test('a transaction that fails leaves no mail', async () => {
    await expect(
      transact(outbox.db, async (trx) => {
        await queueMail(trx, newMail({ key: 'lost' }))
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
    expect(() => queueMail(outbox.db, newMail({ to: address }))).toThrow(RangeError)
    expect(() => queueMail(outbox.db, newMail({ replyTo: address }))).toThrow(RangeError)
  })

  test('the table itself refuses what would break a header', async () => {
    const row = { ...newMail(), recipient: 'a@example.test\nBcc: b@example.test' }
    const insert = mailsRepository(outbox.db).insert([
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
        letter: null,
        attachments: [],
        secret_link: null,
        usefulMinutes: null,
      },
    ])
    await expect(insert).rejects.toThrow('mails_no_header_injection')
  })
})

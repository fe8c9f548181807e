import { sql } from 'kysely'
import pino from 'pino'
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts'
import { type MailServer, startMailServer } from '../../../../test/support/mail-server.ts'
import { composeEmail, type EmailShop } from './compose-email.ts'
import { type EmailMakers, mailer } from './mailer.ts'
import type { WrittenEmail } from './enqueue-email.ts'

export const SHOP: EmailShop = {
  brand: 'Volant',
  publicUrl: 'http://shop.test',
  contactEmail: 'contact@volant.example',
}

const MAKERS: EmailMakers = {
  bodies: {
    note: async (ref, language) => ({ text: `${ref} in ${language}`, html: `<p>${ref} in ${language}</p>` }),
  },
  attachments: {
    hello: async (ref, language) => [
      {
        filename: `${ref}.txt`,
        contentType: 'text/plain',
        content: Buffer.from(`hello ${ref} in ${language}`),
      },
    ],
  },
  links: { secret: (ref) => `http://shop.test/open#token=${ref}&x=1` },
}

let counter = 0

/** An email that nobody else queues. */
export const newEmail = (change: Partial<WrittenEmail> = {}): WrittenEmail => {
  counter += 1
  return {
    key: `test:${counter}`,
    kind: 'test',
    to: `reader${counter}@example.test`,
    language: 'en',
    ...composeEmail(SHOP, {
      language: 'en',
      subject: `EmailContent ${counter}`,
      preview: 'an email',
      blocks: [{ kind: 'text', text: 'Good morning.' }],
    }),
    ...change,
  }
}

/** An outbox and a mail server of a test's own. */
export async function testOutbox() {
  const database: TestDatabase = await testDatabase()
  const server: MailServer = await startMailServer()
  const { db } = database
  return {
    db,
    server,
    deliver: (smtpUrl: string | undefined = server.url) => mailerAt(db, smtpUrl).deliver(),
    keep: () => mailerAt(db, undefined).deliver(),
    rowOf: (key: string) =>
      db.selectFrom('emails').selectAll().where('key', '=', key).executeTakeFirstOrThrow(),
    /** Lets the pause before the next attempt, or the time an email belongs to a process, be over. */
    letTimePass: () =>
      db
        .updateTable('emails')
        .set({ due_at: sql<Date>`clock_timestamp() - interval '1 second'` })
        .where('state', 'in', ['queued', 'sending'])
        .execute(),
    async empty(): Promise<void> {
      await db.deleteFrom('emails').execute()
      server.taken.length = 0
      server.refuse.clear()
    },
    async close(): Promise<void> {
      await server.close()
      await database.close()
    },
  }
}

const mailerAt = (db: TestDatabase['db'], smtpUrl: string | undefined) =>
  mailer({
    db,
    log: pino({ level: 'silent' }),
    smtpUrl,
    sender: { name: 'Volant', address: 'shop@volant.example', replyTo: SHOP.contactEmail },
    makers: MAKERS,
  })

import { type Selectable, sql } from 'kysely'
import type { Mails } from '#platform/database-types.ts'
import type { Sql, Database } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { ATTEMPTS_MAX } from '../mails.rules.ts'

/** Something that is made when the mail is sent or looked at, and never lies in the table. */
export interface Reference {
  /** Which of the shop's makers makes it. */
  kind: string
  /** What it is made of: an id. */
  ref: string
}

export type MailState = 'queued' | 'sending' | 'sent' | 'kept' | 'failed'

export type MailRow = Omit<
  Selectable<Mails>,
  'state' | 'language' | 'letter' | 'attachments' | 'secret_link'
> & {
  state: MailState
  language: Language
  letter: Reference | null
  attachments: Reference[]
  secret_link: Reference | null
}

export interface NewMailRow {
  id: string
  key: string
  kind: string
  recipient: string
  reply_to: string | null
  language: Language
  subject: string
  body_text: string
  body_html: string
  letter: Reference | null
  attachments: readonly Reference[]
  secret_link: Reference | null
  usefulMinutes: number | null
}

/**
 * How long a mail belongs to the process that sends it; longer than an attempt may take, so that another process takes
 * it up only after a crash.
 */
const LEASE_SECONDS = 300

const now = sql<Date>`clock_timestamp()`

/** The SQL of the mails table. */
export const mailsRepository = (db: Sql) => ({
  /** @returns how many of the mails are new; one with a key that is there already stays as it is */
  async insert(mails: readonly NewMailRow[]): Promise<number> {
    const column = <Name extends keyof NewMailRow>(name: Name): NewMailRow[Name][] =>
      mails.map((mail) => mail[name])
    // One text for any number of mails, so that it stays prepared.
    const { rows } = await sql`
      INSERT INTO mails (id, key, kind, recipient, reply_to, language, subject, body_text, body_html,
                         letter, attachments, secret_link, useful_until)
      SELECT m.id, m.key, m.kind, m.recipient, m.reply_to, m.language, m.subject, m.body_text, m.body_html,
             m.letter, m.attachments, m.secret_link, clock_timestamp() + make_interval(mins => m.useful_minutes)
      FROM unnest(
        ${column('id')}::uuid[], ${column('key')}::text[], ${column('kind')}::text[],
        ${column('recipient')}::text[], ${column('reply_to')}::text[], ${column('language')}::text[],
        ${column('subject')}::text[], ${column('body_text')}::text[], ${column('body_html')}::text[],
        ${mails.map((mail) => mail.letter && JSON.stringify(mail.letter))}::jsonb[],
        ${mails.map((mail) => JSON.stringify(mail.attachments))}::jsonb[],
        ${mails.map((mail) => mail.secret_link && JSON.stringify(mail.secret_link))}::jsonb[],
        ${column('usefulMinutes')}::int[]
      ) AS m (id, key, kind, recipient, reply_to, language, subject, body_text, body_html,
              letter, attachments, secret_link, useful_minutes)
      ON CONFLICT (key) DO NOTHING
      RETURNING id`.execute(db)
    return rows.length
  },

  byId: (id: string) =>
    db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst() as Promise<
      MailRow | undefined
    >,

  newest: async (limit: number): Promise<MailRow[]> => {
    const rows = await db.selectFrom('mails').selectAll().orderBy('queued_at', 'desc').limit(limit).execute()
    return rows as unknown as MailRow[]
  },

  /**
   * Takes one due mail for this process, the longest due first: a waiting one, or one whose sender died. No two
   * processes get the same one.
   */
  claim: async (): Promise<MailRow | undefined> =>
    (await db
      .updateTable('mails')
      .set((set) => ({
        state: 'sending',
        attempts: set('attempts', '+', 1),
        due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
      }))
      .where('id', '=', (one) =>
        one
          .selectFrom('mails')
          .select('id')
          .where('state', 'in', ['queued', 'sending'])
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .limit(1)
          .forUpdate()
          .skipLocked(),
      )
      .returningAll()
      .executeTakeFirst()) as MailRow | undefined,

  /** Ends a mail that this process has claimed; the attempt tells whether it still is. */
  close: ({ id, attempts }: MailRow, state: 'sent' | 'failed', error: string | null = null) =>
    db
      .updateTable('mails')
      .set({ state, last_error: error, closed_at: now })
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('attempts', '=', attempts)
      .execute(),

  /** Puts a claimed mail back for a later attempt. */
  postpone: ({ id, attempts }: MailRow, seconds: number, error: string) =>
    db
      .updateTable('mails')
      .set({
        state: 'queued',
        last_error: error,
        due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
      })
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('attempts', '=', attempts)
      .execute(),

  /** Gives up waiting mails that came to nothing: out of date, or interrupted in their last attempt. @returns how many */
  async giveUp(): Promise<number> {
    const { numUpdatedRows } = await db
      .updateTable('mails')
      .set({
        state: 'failed',
        closed_at: now,
        last_error: sql<string>`CASE WHEN useful_until <= clock_timestamp() THEN 'out of date: ' || coalesce(last_error, 'not sent in time')
                                     ELSE 'interrupted in the last attempt' END`,
      })
      .where('state', 'in', ['queued', 'sending'])
      .where('due_at', '<=', now)
      .where((or) => or.or([or('useful_until', '<=', now), or('attempts', '>=', ATTEMPTS_MAX)]))
      .executeTakeFirst()
    return Number(numUpdatedRows)
  },

  /** Keeps every waiting mail instead of sending it: the shop has no mail server. */
  async keepAll(): Promise<void> {
    await db
      .updateTable('mails')
      .set({ state: 'kept', closed_at: now })
      .where('state', 'in', ['queued', 'sending'])
      .execute()
  },
})

/** Stands where an erased address was; `.invalid` belongs to nobody. */
const NOBODY = 'erased@erased.invalid'

/**
 * Erases what mails said and to whom, that many days after they were sent, kept or given up. The row stays with its key,
 * so that no mail leaves twice.
 * @returns how many, at most `limit`
 */
export async function eraseOldMails(db: Database, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE mails
    SET recipient = ${NOBODY}, reply_to = NULL, subject = '-', body_text = '', body_html = '', letter = NULL,
        attachments = '[]', secret_link = NULL, last_error = NULL, erased_at = clock_timestamp()
    WHERE id IN (
      SELECT id FROM mails
      WHERE erased_at IS NULL AND closed_at < now() - make_interval(days => ${days})
      ORDER BY closed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`.execute(db)
  return Number(numAffectedRows)
}

/** How the outbox stands. */
interface MailFigures {
  waiting: number
  oldestSeconds: number
  /** Mails that were given up within the last week. */
  failed: number
}

/** Counts mails. */
export async function mailFigures(db: Database): Promise<MailFigures> {
  const { rows } = await sql<{ waiting: number; oldest: number | null; failed: number }>`
    SELECT count(*) FILTER (WHERE state <> 'failed') AS waiting,
           extract(epoch FROM clock_timestamp() - min(queued_at) FILTER (WHERE state <> 'failed'))::float8 AS oldest,
           count(*) FILTER (WHERE state = 'failed') AS failed
    FROM mails
    WHERE state IN ('queued', 'sending')
       OR (state = 'failed' AND closed_at > clock_timestamp() - interval '7 days')`.execute(db)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0, failed: rows[0]?.failed ?? 0 }
}

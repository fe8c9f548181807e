import { type Selectable, sql } from 'kysely'
import type { Emails } from '#platform/database-types.ts'
import type { Sql, Database, Trx } from '#platform/database.ts'
import { ERASED_EMAIL } from '#shared/email-address.ts'
import type { Language } from '#shared/languages.ts'
import type { EmailKind } from '../email-kinds.rules.ts'
import { ATTEMPTS_MAX } from '../emails.rules.ts'

/** A part that is made when the email is sent or shown, and not stored: a maker's name and an id. */
export interface Reference {
  kind: string
  ref: string
}

export type EmailState = 'queued' | 'sending' | 'sent' | 'kept' | 'failed'

export type EmailRow = Omit<
  Selectable<Emails>,
  'state' | 'language' | 'body_ref' | 'attachments' | 'secret_link'
> & {
  state: EmailState
  language: Language
  body_ref: Reference | null
  attachments: Reference[]
  secret_link: Reference | null
}

export interface NewEmailRow {
  id: string
  key: string
  kind: string
  recipient: string
  reply_to: string | null
  language: Language
  subject: string
  body_text: string
  body_html: string
  /** The public address in the bodies. */
  written_for: string | null
  body_ref: Reference | null
  attachments: readonly Reference[]
  secret_link: Reference | null
  usefulMinutes: number | null
  userId: number | null
}

/** For sending a claimed email. Longer than an attempt, so that only a crash lets another process claim it. */
const LEASE_SECONDS = 300

const now = sql<Date>`clock_timestamp()`

export const emailsRepository = (db: Sql) => ({
  /** @returns how many are new; an existing key is ignored */
  async insert(emails: readonly NewEmailRow[]): Promise<number> {
    const column = <Name extends keyof NewEmailRow>(name: Name): NewEmailRow[Name][] =>
      emails.map((email) => email[name])
    // One statement for any number of emails, so that it stays prepared.
    const { rows } = await sql`
      INSERT INTO emails (id, key, kind, recipient, reply_to, language, subject, body_text, body_html,
                         written_for, body_ref, attachments, secret_link, useful_until, user_id)
      SELECT m.id, m.key, m.kind, m.recipient, m.reply_to, m.language, m.subject, m.body_text, m.body_html,
             m.written_for, m.body_ref, m.attachments, m.secret_link, clock_timestamp() + make_interval(mins => m.useful_minutes),
             m.user_id
      FROM unnest(
        ${column('id')}::uuid[], ${column('key')}::text[], ${column('kind')}::text[],
        ${column('recipient')}::text[], ${column('reply_to')}::text[], ${column('language')}::text[],
        ${column('subject')}::text[], ${column('body_text')}::text[], ${column('body_html')}::text[],
        ${column('written_for')}::text[],
        ${emails.map((email) => email.body_ref && JSON.stringify(email.body_ref))}::jsonb[],
        ${emails.map((email) => JSON.stringify(email.attachments))}::jsonb[],
        ${emails.map((email) => email.secret_link && JSON.stringify(email.secret_link))}::jsonb[],
        ${column('usefulMinutes')}::int[], ${column('userId')}::bigint[]
      ) AS m (id, key, kind, recipient, reply_to, language, subject, body_text, body_html,
              written_for, body_ref, attachments, secret_link, useful_minutes, user_id)
      ON CONFLICT (key) DO NOTHING
      RETURNING id`.execute(db)
    return rows.length
  },

  /** With one of the keys, the newest first. */
  async withKeys(keys: readonly string[]): Promise<EmailRow[]> {
    const rows = await db
      .selectFrom('emails')
      .selectAll()
      .where('key', 'in', [...keys])
      .orderBy('id', 'desc')
      .execute()
    return rows as unknown as EmailRow[]
  },

  byId: (id: string) =>
    db.selectFrom('emails').selectAll().where('id', '=', id).executeTakeFirst() as Promise<
      EmailRow | undefined
    >,

  /** @param kinds all of them when left out */
  newest: async (limit: number, kinds?: readonly EmailKind[]): Promise<EmailRow[]> => {
    const emails = db.selectFrom('emails').selectAll().orderBy('queued_at', 'desc').limit(limit)
    const rows = await (kinds ? emails.where('kind', 'in', kinds) : emails).execute()
    return rows as unknown as EmailRow[]
  },

  /** Claims the most overdue email: queued, or of a crashed process. Concurrent processes get different ones. */
  claim: async (): Promise<EmailRow | undefined> =>
    (await db
      .updateTable('emails')
      .set((set) => ({
        state: 'sending',
        attempts: set('attempts', '+', 1),
        due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
      }))
      .where('id', '=', (one) =>
        one
          .selectFrom('emails')
          .select('id')
          .where('state', 'in', ['queued', 'sending'])
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .limit(1)
          .forUpdate()
          .skipLocked(),
      )
      .returningAll()
      .executeTakeFirst()) as EmailRow | undefined,

  /** Ends a claimed email, unless another process has claimed it since. */
  close: ({ id, attempts }: EmailRow, state: 'sent' | 'kept' | 'failed', error: string | null = null) =>
    db
      .updateTable('emails')
      .set({ state, last_error: error, closed_at: now })
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('attempts', '=', attempts)
      .execute(),

  /** Returns a claimed email to the queue for a later attempt. */
  postpone: ({ id, attempts }: EmailRow, seconds: number, error: string) =>
    db
      .updateTable('emails')
      .set({
        state: 'queued',
        last_error: error,
        due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
      })
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('attempts', '=', attempts)
      .execute(),

  /** Returns a claimed email to the queue as if nobody had claimed it. */
  wait: ({ id, attempts }: EmailRow, seconds: number) =>
    db
      .updateTable('emails')
      .set({
        state: 'queued',
        attempts: attempts - 1,
        due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
      })
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('attempts', '=', attempts)
      .execute(),

  /** Fails due emails that are no longer useful or whose last attempt was interrupted. @returns how many */
  async giveUp(): Promise<number> {
    const { numUpdatedRows } = await db
      .updateTable('emails')
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

  /** Keeps all waiting emails, because the shop has no mail server. */
  async keepAll(): Promise<void> {
    await db
      .updateTable('emails')
      .set({ state: 'kept', closed_at: now })
      .where('state', 'in', ['queued', 'sending'])
      .execute()
  },
})

/** Whether a failed email can be sent again: its text is there, and it still has a use. */
export const IS_RESENDABLE = sql<boolean>`(
  emails.state = 'failed' AND emails.erased_at IS NULL
  AND (emails.useful_until IS NULL OR emails.useful_until > clock_timestamp()))`

const QUEUED_AGAIN = sql`
  state = 'queued', attempts = 0, due_at = clock_timestamp(), closed_at = NULL, last_error = NULL`

export const failedEmails = (db: Sql) => ({
  /** How many failed emails can be sent again. */
  async countResendable(): Promise<number> {
    const { rows } = await sql<{ emails: number }>`
      SELECT count(*)::int AS emails FROM emails WHERE ${IS_RESENDABLE}`.execute(db)
    return rows[0]?.emails ?? 0
  },

  /** Queues a failed email again. @returns whether it was one whose text is still there */
  async resend(id: string): Promise<boolean> {
    const { rows } = await sql`
      UPDATE emails SET ${QUEUED_AGAIN} WHERE id = ${id} AND ${IS_RESENDABLE} RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** Queues again what `countResendable` counts. @returns how many */
  async resendAll(): Promise<number> {
    const { numAffectedRows } = await sql`UPDATE emails SET ${QUEUED_AGAIN} WHERE ${IS_RESENDABLE}`.execute(
      db,
    )
    return Number(numAffectedRows ?? 0)
  },
})

const ERASED = sql`
  recipient = ${ERASED_EMAIL}, reply_to = NULL, subject = '-', body_text = '', body_html = '', body_ref = NULL,
  attachments = '[]', secret_link = NULL, last_error = NULL, erased_at = clock_timestamp()`

/** Gives emails with these keys to an account, unless they have one: whose they are was not known when they were written. */
export async function linkEmails(trx: Trx, userId: number, keys: readonly string[]): Promise<void> {
  await sql`
    UPDATE emails SET user_id = ${userId} WHERE key = ANY(${[...keys]}::text[]) AND user_id IS NULL`.execute(
    trx,
  )
}

/**
 * Erases content and addresses of an account's emails and of those with the given keys. What was not sent yet is kept
 * back. @returns how many
 */
export async function eraseEmailsOf(trx: Trx, userId: number, keys: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE emails
    SET state = CASE WHEN state IN ('queued', 'sending') THEN 'kept' ELSE state END,
        closed_at = coalesce(closed_at, clock_timestamp()), ${ERASED}
    WHERE erased_at IS NULL AND (user_id = ${userId} OR key = ANY(${[...keys]}::text[]))`.execute(trx)
  return Number(numAffectedRows)
}

/**
 * Erases content and addresses of emails closed that many days ago; keeps the keys, so that none is sent twice.
 * @returns how many, at most `limit`
 */
export async function eraseOldEmails(db: Database, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE emails SET ${ERASED}
    WHERE id IN (
      SELECT id FROM emails
      WHERE erased_at IS NULL AND closed_at < now() - make_interval(days => ${days})
      ORDER BY closed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`.execute(db)
  return Number(numAffectedRows)
}

interface EmailFigures {
  waiting: number
  oldestSeconds: number
  /** Failed within the last week. */
  failed: number
}

export async function emailFigures(db: Database): Promise<EmailFigures> {
  const { rows } = await sql<{ waiting: number; oldest: number | null; failed: number }>`
    SELECT count(*) FILTER (WHERE state <> 'failed') AS waiting,
           extract(epoch FROM clock_timestamp() - min(queued_at) FILTER (WHERE state <> 'failed'))::float8 AS oldest,
           count(*) FILTER (WHERE state = 'failed') AS failed
    FROM emails
    WHERE state IN ('queued', 'sending')
       OR (state = 'failed' AND closed_at > clock_timestamp() - interval '7 days')`.execute(db)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0, failed: rows[0]?.failed ?? 0 }
}

/** Emails of an account, for an export, without the texts that hold a link, which is a secret of its recipient. */
export async function emailsOf(db: Sql, userId: number) {
  const { rows } = await sql<{
    kind: string
    recipient: string | null
    language: Language
    subject: string | null
    text: string | null
    state: string
    queued_at: Date
    closed_at: Date | null
  }>`
    SELECT kind, language, state, queued_at, closed_at,
           CASE WHEN erased_at IS NULL THEN recipient END AS recipient,
           CASE WHEN erased_at IS NULL THEN subject END AS subject,
           CASE WHEN erased_at IS NULL AND secret_link IS NULL AND body_text <> '' THEN body_text END AS text
    FROM emails WHERE user_id = ${userId} ORDER BY id`.execute(db)
  return rows
}

import { sql } from 'kysely'
import { type EmailState, linkEmails } from '#features/emails/server/index.ts'
import { anyOf } from '#platform/any-of.ts'
import type { Database, ReadDatabase, Sql, Trx } from '#platform/database.ts'
import { updateAddresses } from '#platform/respell-addresses.ts'
import type { Language } from '#shared/languages.ts'
import type { Message } from '../staff-messages.contract.ts'

type MessageState = Message['state']

export interface MessageRow {
  id: string
  name: string
  email: string
  message: string
  language: Language
  user_id: number | null
  received_at: Date
  due_at: Date
  state: MessageState
  closed_as: Message['closed_as']
  handled_by: string | null
  handled_at: Date | null
  version: number
}

interface AnswerRow {
  id: string
  template: string
  language: Language
  subject: string
  text: string
  by: string
  at: Date
  state: EmailState | null
}

export interface NewMessage {
  id: string
  name: string
  email: string
  message: string
  language: Language
  userId: number | undefined
}

/** What an answer or a closing does to a message. */
export interface Handled {
  id: string
  version: number
  staffId: number
  state: MessageState
  closedAs: Message['closed_as']
}

const rowsOf = sql`
  SELECT m.id, m.name, m.email, m.message, m.language, m.user_id, m.received_at, m.due_at, m.state, m.closed_as,
         u.username AS handled_by, m.handled_at, m.version
  FROM messages m LEFT JOIN users u ON u.id = m.handled_by`

/** The key of the email of an answer, by which its row is found. */
export const answerKey = (answerId: string): string => `message-answer:${answerId}`
/** The key of the email that brought a message to the shop's own address. */
export const messageKey = (messageId: string): string => `contact:${messageId}`

/** What is read of messages. */
export const messageReads = (db: ReadDatabase) => ({
  async find(id: string): Promise<MessageRow | undefined> {
    const { rows } = await sql<MessageRow>`${rowsOf} WHERE m.id = ${id}`.execute(db)
    return rows[0]
  },

  /** The newest of those whose name or email address begins like this. @param text in small letters */
  async beginning(text: string, limit: number): Promise<MessageRow[]> {
    const begins = (column: string) => {
      const key = sql`(lower(${sql.ref(column)}) COLLATE "C")`
      return sql`(${key} >= ${text} AND ${key} < ${`${text}\u{10FFFF}`})`
    }
    const { rows } = await sql<MessageRow>`
      ${rowsOf} WHERE ${begins('m.email')} OR ${begins('m.name')} ORDER BY m.id DESC LIMIT ${limit}`.execute(
      db,
    )
    return rows
  },

  /** The oldest first: it is due first. */
  async open(after: string | undefined, limit: number): Promise<MessageRow[]> {
    const { rows } = await sql<MessageRow>`
      ${rowsOf} WHERE m.state = 'open' ${after === undefined ? sql`` : sql`AND m.id > ${after}::uuid`}
      ORDER BY m.id LIMIT ${limit}`.execute(db)
    return rows
  },

  /** The newest first. */
  async done(
    after: string | undefined,
    limit: number,
    state: Exclude<MessageState, 'open'> | undefined,
  ): Promise<MessageRow[]> {
    const { rows } = await sql<MessageRow>`
      ${rowsOf} WHERE m.state <> 'open' ${state ? sql`AND m.state = ${state}` : sql``}
        ${after === undefined ? sql`` : sql`AND m.id < ${after}::uuid`}
      ORDER BY m.id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Of an address, or of an account, the newest first. */
  async of(
    { email, userId }: { email: string | null; userId: number | null },
    limit: number,
    after?: string,
  ): Promise<MessageRow[]> {
    const { rows } = await sql<MessageRow>`
      ${rowsOf} WHERE (m.user_id = ${userId}::bigint OR lower(m.email) = lower(${email}::text))
        ${after === undefined ? sql`` : sql`AND m.id < ${after}::uuid`}
      ORDER BY m.id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  async answers(messageId: string): Promise<AnswerRow[]> {
    const { rows } = await sql<AnswerRow>`
      SELECT a.id, a.template, a.language, a.subject, a.text, u.username AS by, a.answered_at AS at, e.state
      FROM message_answers a JOIN users u ON u.id = a.answered_by
      LEFT JOIN emails e ON e.key = 'message-answer:' || a.id
      WHERE a.message_id = ${messageId} ORDER BY a.id`.execute(db)
    return rows
  },

  async figures(): Promise<{ open: number; late: number; oldestDue: Date | null }> {
    const { rows } = await sql<{ open: number; late: number; oldestDue: Date | null }>`
      SELECT count(*)::int AS open, count(*) FILTER (WHERE due_at <= clock_timestamp())::int AS late,
             min(due_at) AS "oldestDue"
      FROM messages WHERE state = 'open'`.execute(db)
    return rows[0] ?? { open: 0, late: 0, oldestDue: null }
  },
})

export const messagesRepository = (db: Sql) => ({
  ...messageReads(db),

  async insert({ id, name, email, message, language, userId }: NewMessage): Promise<void> {
    await db
      .insertInto('messages')
      .values({ id, name, email, message, language, user_id: userId ?? null })
      .execute()
  },

  async addAnswer(answer: {
    id: string
    message_id: string
    template: string
    language: Language
    subject: string
    text: string
    answered_by: number
  }): Promise<void> {
    await db.insertInto('message_answers').values(answer).execute()
  },

  /** @returns the account that it belongs to by then; undefined when somebody has changed the message meanwhile */
  async handle({
    id,
    version,
    staffId,
    state,
    closedAs,
  }: Handled): Promise<{ user_id: number | null } | undefined> {
    const { rows } = await sql<{ user_id: number | null }>`
      UPDATE messages
      SET state = ${state}, closed_as = ${closedAs}, version = version + 1,
          handled_by = CASE WHEN ${state} <> 'open' THEN ${staffId}::bigint END,
          handled_at = CASE WHEN ${state} <> 'open' THEN clock_timestamp() END
      WHERE id = ${id} AND version = ${version} RETURNING user_id`.execute(db)
    return rows[0]
  },
})

/**
 * Gives an account the messages from its address, with the emails that answered them, unless they have an account. Called
 * when the address is confirmed, in the same transaction.
 */
export async function linkMessages(trx: Trx, userId: number, email: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    UPDATE messages SET user_id = ${userId} WHERE lower(email) = lower(${email}) AND user_id IS NULL
    RETURNING id`.execute(trx)
  if (rows.length === 0) return
  // A statement of its own: the one before may have waited for an answer.
  const { rows: answers } = await sql<{ id: string }>`
    SELECT id FROM message_answers WHERE message_id = ${anyOf(
      rows.map(({ id }) => id),
      'uuid',
    )}`.execute(trx)
  await linkEmails(
    trx,
    userId,
    answers.map(({ id }) => answerKey(id)),
  )
}

/**
 * Deletes the messages of a person with their answers.
 * @param email the address of the account, when it is known to be the person's
 * @returns how many, and the keys of the emails that hold the same texts
 */
export async function eraseMessagesOf(
  trx: Trx,
  { userId, email }: { userId: number; email: string | null },
): Promise<{ messages: number; emailKeys: string[] }> {
  const mine = sql`(user_id = ${userId} OR lower(email) = lower(${email}::text))`
  const { rows: answers } = await sql<{ id: string }>`
    SELECT id FROM message_answers WHERE message_id IN (SELECT id FROM messages WHERE ${mine})`.execute(trx)
  const { rows: messages } = await sql<{ id: string }>`
    DELETE FROM messages WHERE ${mine} RETURNING id`.execute(trx)
  return {
    messages: messages.length,
    emailKeys: [...messages.map(({ id }) => messageKey(id)), ...answers.map(({ id }) => answerKey(id))],
  }
}

/** Deletes messages so many months after the last answer, or after their arrival. @returns how many, at most `limit` */
export async function eraseOldMessages(db: Sql, months: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM messages WHERE id IN (
      SELECT id FROM messages
      WHERE coalesce(handled_at, received_at) < now() - make_interval(months => ${months})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Gives the addresses of messages the one spelling. */
export const respellMessages = (db: Database): Promise<void> => updateAddresses(db, 'messages')

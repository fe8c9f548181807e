import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { Addressee } from './accounts.repository.ts'
import type { LinkPurpose } from '../accounts.contract.ts'

/** Life of a link, in hours. */
export const LINK_HOURS: Readonly<Record<LinkPurpose, number>> = {
  confirm: 7 * 24,
  allow: 24,
  change: 24,
  // Staff ask for it, and its reader may not look at once.
  correct: 72,
  undo: 72,
}

/** A change of an account's address that waits; each account has one at most. */
export const CHANGES = ['allow', 'change', 'correct'] as const satisfies readonly LinkPurpose[]
export type ChangePurpose = (typeof CHANGES)[number]

export interface PendingChange {
  purpose: ChangePurpose
  email: string
  session_id: string | null
  /** Of staff, who asked for a correction, and why. */
  asked_by: number | null
  note: string | null
}

/** Who of staff asks for it, and why. */
export interface Correction {
  askedBy: number
  note: string
}

export interface NewLink {
  id: string
  userId: number
  purpose: LinkPurpose
  email: string
  sessionId?: string
  correction?: Correction
  tokenHash: Buffer
}

/** A link that was used, with the account as it was before. */
export interface UsedLink {
  id: string
  account: Addressee
  /** Whether its owner had shown that the address is theirs. */
  wasConfirmed: boolean
  purpose: LinkPurpose
  email: string
  sessionId: string | undefined
}

const now = sql<Date>`clock_timestamp()`

/** The SQL of links about addresses, by the clock of the database. */
export const emailLinksRepository = (db: Sql) => ({
  async insert({ id, userId, purpose, email, sessionId, correction, tokenHash }: NewLink): Promise<void> {
    await db
      .insertInto('email_links')
      .values({
        id,
        user_id: userId,
        purpose,
        email,
        session_id: sessionId ?? null,
        asked_by: correction?.askedBy ?? null,
        note: correction?.note ?? null,
        token_hash: tokenHash,
        expires_at: sql<Date>`clock_timestamp() + make_interval(hours => ${LINK_HOURS[purpose]})`,
      })
      .execute()
  },

  async hashOf(id: string): Promise<Buffer | undefined> {
    const link = db.selectFrom('email_links').select('token_hash').where('id', '=', id)
    return (await link.executeTakeFirst())?.token_hash
  },

  /** @returns purpose and id of the link that is stored with a hash */
  async refOf(tokenHash: Buffer): Promise<string | undefined> {
    const link = await db
      .selectFrom('email_links')
      .select(['purpose', 'id'])
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst()
    return link && `${link.purpose}.${link.id}`
  },

  /** A link that works. */
  find: (tokenHash: Buffer) =>
    db
      .selectFrom('email_links')
      .innerJoin('users', 'users.id', 'email_links.user_id')
      .select(['purpose', 'email_links.email'])
      .where('token_hash', '=', tokenHash)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .where('is_active', '=', true)
      .executeTakeFirst() as Promise<{ purpose: LinkPurpose; email: string } | undefined>,

  /** Uses a link up; locks the account first, as everywhere. @returns undefined for one that does not work */
  async use(tokenHash: Buffer): Promise<UsedLink | undefined> {
    const { rows } = await sql<{
      id: string
      account: Addressee
      wasConfirmed: boolean
      purpose: LinkPurpose
      email: string
      session_id: string | null
    }>`
      WITH account AS (
        SELECT u.id, u.username, u.email, u.language FROM email_links l JOIN users u ON u.id = l.user_id
        WHERE l.token_hash = ${tokenHash} AND u.is_active FOR UPDATE OF u
      )
      UPDATE email_links l SET ended_at = clock_timestamp() FROM account
      WHERE l.token_hash = ${tokenHash} AND l.user_id = account.id
        AND l.ended_at IS NULL AND l.expires_at > clock_timestamp()
      RETURNING l.id, to_json(account) AS account,
        EXISTS (SELECT FROM users u WHERE u.id = account.id AND u.email_confirmed_at IS NOT NULL) AS "wasConfirmed",
        l.purpose, l.email, l.session_id`.execute(db)
    const [row] = rows
    return row && { ...row, sessionId: row.session_id ?? undefined }
  },

  /** The change of its address that an account waits for. */
  pending: (userId: number) =>
    db
      .selectFrom('email_links')
      .select(['purpose', 'email', 'session_id', 'asked_by', 'note'])
      .where('user_id', '=', userId)
      .where('purpose', 'in', CHANGES)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .$castTo<PendingChange>()
      .executeTakeFirst(),

  async end(tokenHash: Buffer): Promise<void> {
    await db
      .updateTable('email_links')
      .set({ ended_at: now })
      .where('token_hash', '=', tokenHash)
      .where('ended_at', 'is', null)
      .execute()
  },

  async endAll(userId: number, purposes: readonly LinkPurpose[]): Promise<void> {
    await db
      .updateTable('email_links')
      .set({ ended_at: now })
      .where('user_id', '=', userId)
      .where('purpose', 'in', purposes)
      .where('ended_at', 'is', null)
      .execute()
  },

  /** Deletes expired links. @returns how many, at most `limit` */
  async deleteEnded(limit: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('email_links')
      .where('id', 'in', (one) =>
        one.selectFrom('email_links').select('id').where('expires_at', '<=', now).limit(limit),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  },
})

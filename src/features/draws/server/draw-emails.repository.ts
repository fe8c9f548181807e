import { type RawBuilder, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

/** `sealed`: the list is final; `result`: a winner is drawn. */
export type DrawEmailKind = 'sealed' | 'result'

/** Of later alternates the page of the draw alone tells, so that the keys of a poster's emails can be listed. */
export const MOST_TOLD = 20

/** For the witnesses of a seal. */
const MOST_WAIT = '10 minutes'

/** Contests `o` with their last attempt that is drawn and not forfeited; without one while an alternate is waited for. */
const CONTESTS = sql`offers o LEFT JOIN LATERAL (
  SELECT a.attempt FROM draw_attempts a
  WHERE a.offer_id = o.id AND a.drawn_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM draw_forfeitures f WHERE f.offer_id = a.offer_id AND f.attempt = a.attempt)
  ORDER BY a.attempt DESC LIMIT 1
) AS last ON true`

/** To which recipients `r` of a contest `o` the email is to be sent, and what says that it was. */
const KINDS = {
  sealed: {
    due: sql`o.state = 'sealed' AND r.sealed_at IS NULL`,
    told: sql`sealed_at = clock_timestamp()`,
  },
  result: {
    due: sql`o.state IN ('drawn', 'awarded') AND r.result_attempt < last.attempt AND last.attempt <= ${MOST_TOLD}`,
    told: sql`result_at = coalesce(r.result_at, clock_timestamp()), result_attempt = next.last`,
  },
} satisfies Record<DrawEmailKind, { due: RawBuilder<unknown>; told: RawBuilder<unknown> }>

interface Titles {
  titles: LocalizedText
}

export interface Recipient extends Titles {
  id: number
  offer_id: number
  user_id: number | null
  postal_entry_id: string | null
  /** The account that the poster's entry belongs to by now. */
  entry_user_id: number | null
  email: string
  language: Language
  total: number
  draw_at: Date
  /** The last one, and its number; null before the draw. */
  attempt: number
  winning_number: number | null
}

/** What was fixed before a draw, in hexadecimal. */
export interface DrawHashes {
  terms_hash: string
  list_hash: string
  list_root: string
  /** Of the beacon. */
  round: number
}

/** What an email about a draw says. */
export interface DrawFacts extends Titles, DrawHashes {
  offer_id: number
  name: string | null
  slug: string
  /** The words of the contest's first picture; null without one. */
  picture: LocalizedText | null
  total: number
  draw_at: Date
  /** Valid rows of the sealed list. */
  valid: number
  /** Null before the draw. */
  drawn_at: Date | null
  winning_number: number | null
  /** Valid numbers of the recipient in this contest. */
  count: number
  /** The first of them. */
  numbers: { number: number; ticket_id: string; salt: Buffer }[]
}

/** The words of the picture that emails about a contest `o` show; null without one. */
export const PICTURE = sql`(
  SELECT p.alts FROM offer_pictures p WHERE p.offer_id = o.id AND cardinality(p.widths) > 0 ORDER BY p.position LIMIT 1
)`

/** The account or the poster of a row `r` of draw_recipients. */
const ADDRESSEE = sql`LEFT JOIN users u ON u.id = r.user_id LEFT JOIN postal_entries e ON e.id = r.postal_entry_id`

export const drawEmailsRepository = (db: Sql) => ({
  /** Sealed and drawn contests whose recipients are not stored yet. */
  async uncollected(): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT o.id FROM offers o JOIN draws d ON d.offer_id = o.id
      WHERE o.state IN ('sealed', 'drawn', 'awarded')
        AND NOT EXISTS (SELECT FROM draw_mailings m WHERE m.offer_id = o.id)`.execute(db)
    return rows.map(({ id }) => id)
  },

  /** Contests with recipients of an email, the next draw first: what it says is true until then. */
  async toTell(kind: DrawEmailKind): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT o.id FROM ${CONTESTS} JOIN draw_mailings m ON m.offer_id = o.id
      WHERE EXISTS (SELECT FROM draw_recipients r WHERE r.offer_id = o.id AND ${KINDS[kind].due})
      ORDER BY o.draw_at, o.id`.execute(db)
    return rows.map(({ id }) => id)
  },

  /**
   * The seal of a contest; `isAwaited`: its email waits for witnesses. It does so for ten minutes, and at most half of the
   * time until the draw.
   */
  async seal(offerId: number): Promise<{ slug: string; index: number; isAwaited: boolean } | undefined> {
    const { rows } = await sql<{ slug: string; index: number; isAwaited: boolean }>`
      SELECT o.slug, l.leaf_index AS index,
             clock_timestamp() < c.at + least(${MOST_WAIT}::interval, (d.draw_at - c.at) / 2) AS "isAwaited"
      FROM offers o JOIN draws d ON d.offer_id = o.id
      JOIN draw_lists l ON l.offer_id = o.id AND l.name = 'list.txt'
      CROSS JOIN LATERAL (
        SELECT at FROM draw_checkpoints WHERE log_id = o.id AND size > l.leaf_index ORDER BY size, id LIMIT 1
      ) AS c
      WHERE o.id = ${offerId}`.execute(db)
    return rows[0]
  },

  /** @param attempt whose result the email tells */
  async facts(recipientId: number, attempt: number, mostNumbers: number): Promise<DrawFacts | undefined> {
    const { rows } = await sql<DrawFacts>`
      SELECT r.offer_id, coalesce(u.username, e.name) AS name, o.slug, o.titles, ${PICTURE} AS picture, o.total_tickets AS total,
             d.draw_at, encode(d.terms_hash, 'hex') AS terms_hash, encode(f.sha256, 'hex') AS list_hash,
             encode(l.list_root, 'hex') AS list_root,
             l.valid, a.round, a.drawn_at, a.number AS winning_number, own.count, own.numbers
      FROM draw_recipients r
      ${ADDRESSEE}
      JOIN offers o ON o.id = r.offer_id
      JOIN draws d ON d.offer_id = r.offer_id
      JOIN draw_lists l ON l.offer_id = r.offer_id AND l.name = 'list.txt'
      JOIN draw_files f ON f.offer_id = r.offer_id AND f.name = 'list.txt'
      JOIN draw_attempts a ON a.offer_id = r.offer_id AND a.attempt = ${attempt}
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS count,
               coalesce(jsonb_agg(jsonb_build_object('number', number, 'ticket_id', id, 'salt', encode(salt, 'hex')) ORDER BY number)
                        FILTER (WHERE place <= ${mostNumbers}), '[]') AS numbers
        FROM (
          SELECT t.number, t.id, s.salt, row_number() OVER (ORDER BY t.number) AS place
          FROM (
            -- Two branches, so that each has an index.
            SELECT number, id FROM tickets
            WHERE user_id = r.user_id AND offer_id = r.offer_id AND status = 'valid'
            UNION ALL
            SELECT number, id FROM tickets
            WHERE r.user_id IS NULL AND offer_id = r.offer_id AND number = e.ticket_number AND status = 'valid'
          ) AS t JOIN draw_entries s ON s.offer_id = r.offer_id AND s.number = t.number
        ) AS mine
      ) AS own
      WHERE r.id = ${recipientId}`.execute(db)
    return rows[0] && { ...rows[0], numbers: rows[0].numbers.map(bytesOfSalt) }
  },

  /** Of a contest whose list is final. */
  async hashes(offerId: number, attempt: number): Promise<DrawHashes | undefined> {
    const { rows } = await sql<DrawHashes>`
      SELECT encode(d.terms_hash, 'hex') AS terms_hash, encode(f.sha256, 'hex') AS list_hash,
             encode(l.list_root, 'hex') AS list_root, a.round
      FROM draws d
      JOIN draw_lists l ON l.offer_id = d.offer_id AND l.name = 'list.txt'
      JOIN draw_files f ON f.offer_id = d.offer_id AND f.name = 'list.txt'
      JOIN draw_attempts a ON a.offer_id = d.offer_id AND a.attempt = ${attempt}
      WHERE d.offer_id = ${offerId}`.execute(db)
    return rows[0]
  },
})

const bytesOfSalt = (one: DrawFacts['numbers'][number]): DrawFacts['numbers'][number] => ({
  ...one,
  salt: Buffer.from(one.salt as unknown as string, 'hex'),
})

export const drawEmailsWrites = (trx: Trx) => ({
  /** Stores the recipients of a contest once. */
  async collect(offerId: number): Promise<void> {
    await sql`
      WITH mailing AS (
        INSERT INTO draw_mailings (offer_id) VALUES (${offerId}) ON CONFLICT DO NOTHING RETURNING offer_id
      )
      INSERT INTO draw_recipients (offer_id, user_id, postal_entry_id)
      SELECT m.offer_id, t.user_id, NULL FROM mailing m JOIN tickets t ON t.offer_id = m.offer_id
      WHERE t.status = 'valid' AND t.user_id IS NOT NULL GROUP BY m.offer_id, t.user_id
      UNION ALL
      SELECT m.offer_id, NULL, e.id FROM mailing m
      JOIN postal_entries e ON e.offer_id = m.offer_id AND e.status = 'entered' AND e.email IS NOT NULL
      JOIN tickets t ON t.offer_id = e.offer_id AND t.number = e.ticket_number
      WHERE t.status = 'valid' AND t.user_id IS NULL`.execute(trx)
  },

  /**
   * Marks the next recipients as told, for this transaction to write to. Left out are posters without an address any more,
   * and from the result its winner, whom the email about the claim tells.
   */
  async take(
    offerId: number,
    kind: DrawEmailKind,
    limit: number,
  ): Promise<{ taken: number; recipients: Recipient[] }> {
    const { due, told } = KINDS[kind]
    const { rows } = await sql<Omit<Recipient, 'email'> & { email: string | null; has_won: boolean }>`
      WITH next AS (
        SELECT r.id, last.attempt AS last FROM ${CONTESTS} JOIN draw_recipients r ON r.offer_id = o.id
        WHERE o.id = ${offerId} AND ${due}
        ORDER BY r.id LIMIT ${limit} FOR NO KEY UPDATE OF r SKIP LOCKED
      ), taken AS (
        UPDATE draw_recipients r SET ${told} FROM next WHERE r.id = next.id RETURNING r.*, next.last
      )
      SELECT r.id, r.offer_id, r.user_id, e.user_id AS entry_user_id, r.postal_entry_id, coalesce(u.email, e.email) AS email,
             coalesce(u.language, e.language) AS language, o.titles, o.total_tickets AS total,
             o.draw_at, a.attempt, a.number AS winning_number, w.number IS NOT NULL AS has_won
      FROM taken r
      ${ADDRESSEE}
      JOIN offers o ON o.id = r.offer_id
      JOIN draw_attempts a ON a.offer_id = r.offer_id AND a.attempt = coalesce(r.last, 0)
      LEFT JOIN tickets w ON w.offer_id = r.offer_id AND w.number = a.number AND w.status = 'valid'
        AND CASE WHEN r.user_id IS NULL THEN w.number = e.ticket_number ELSE w.user_id = r.user_id END
      ORDER BY r.id`.execute(trx)
    const recipients = rows.flatMap(({ email, has_won: hasWon, ...row }) =>
      email === null || hasWon ? [] : [{ ...row, email }],
    )
    return { taken: rows.length, recipients }
  },
})

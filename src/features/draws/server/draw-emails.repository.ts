import { type RawBuilder, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'

/** `sealed`: the list is final; `result`: a winner is drawn. */
export type DrawEmailKind = 'sealed' | 'result'

/** In which states of the contest the email is sent, and the column that says that it was. */
const KINDS = {
  sealed: { states: sql`'sealed'`, told: sql`sealed_at` },
  result: { states: sql`'drawn', 'awarded'`, told: sql`result_at` },
} satisfies Record<DrawEmailKind, { states: RawBuilder<unknown>; told: RawBuilder<unknown> }>

interface Titles {
  title: string
  title_nl: string
  title_en: string
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
  /** Null before the draw. */
  winning_number: number | null
}

/** What an email about a draw says. */
export interface DrawFacts extends Titles {
  name: string | null
  slug: string
  total: number
  draw_at: Date
  terms_hash: string
  list_hash: string
  round: number
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

  async facts(recipientId: number, mostNumbers: number): Promise<DrawFacts | undefined> {
    const { rows } = await sql<DrawFacts>`
      SELECT coalesce(u.username, e.name) AS name, o.slug, o.title, o.title_nl, o.title_en, o.total_tickets AS total,
             d.draw_at, encode(d.terms_hash, 'hex') AS terms_hash, encode(f.sha256, 'hex') AS list_hash,
             l.valid, a.round, a.drawn_at, a.number AS winning_number, own.count, own.numbers
      FROM draw_recipients r
      ${ADDRESSEE}
      JOIN offers o ON o.id = r.offer_id
      JOIN draws d ON d.offer_id = r.offer_id
      JOIN draw_lists l ON l.offer_id = r.offer_id AND l.name = 'list.txt'
      JOIN draw_files f ON f.offer_id = r.offer_id AND f.name = 'list.txt'
      JOIN draw_attempts a ON a.offer_id = r.offer_id AND a.attempt = 0
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS count,
               coalesce(jsonb_agg(jsonb_build_object('number', number, 'ticket_id', id, 'salt', encode(salt, 'hex')) ORDER BY number)
                        FILTER (WHERE place <= ${mostNumbers}), '[]') AS numbers
        FROM (
          SELECT t.number, t.id, s.salt, row_number() OVER (ORDER BY t.number) AS place
          FROM tickets t JOIN draw_entries s ON s.offer_id = t.offer_id AND s.number = t.number
          WHERE t.offer_id = r.offer_id AND t.status = 'valid'
            AND CASE WHEN r.user_id IS NULL THEN t.number = e.ticket_number ELSE t.user_id = r.user_id END
        ) AS mine
      ) AS own
      WHERE r.id = ${recipientId}`.execute(db)
    return rows[0] && { ...rows[0], numbers: rows[0].numbers.map(bytesOfSalt) }
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
  async take(kind: DrawEmailKind, limit: number): Promise<{ taken: number; recipients: Recipient[] }> {
    const { states, told } = KINDS[kind]
    const { rows } = await sql<Omit<Recipient, 'email'> & { email: string | null; has_won: boolean }>`
      WITH next AS (
        SELECT r.id FROM offers o JOIN draw_recipients r ON r.offer_id = o.id
        WHERE o.state IN (${states}) AND r.${told} IS NULL
        ORDER BY r.offer_id, r.id LIMIT ${limit} FOR NO KEY UPDATE OF r SKIP LOCKED
      ), taken AS (
        UPDATE draw_recipients r SET ${told} = clock_timestamp() FROM next WHERE r.id = next.id RETURNING r.*
      )
      SELECT r.id, r.offer_id, r.user_id, e.user_id AS entry_user_id, r.postal_entry_id, coalesce(u.email, e.email) AS email,
             coalesce(u.language, e.language) AS language, o.title, o.title_nl, o.title_en, o.total_tickets AS total,
             o.draw_at, a.number AS winning_number, w.number IS NOT NULL AS has_won
      FROM taken r
      ${ADDRESSEE}
      JOIN offers o ON o.id = r.offer_id
      JOIN draw_attempts a ON a.offer_id = r.offer_id AND a.attempt = 0
      LEFT JOIN tickets w ON w.offer_id = r.offer_id AND w.number = a.number AND w.status = 'valid'
        AND CASE WHEN r.user_id IS NULL THEN w.number = e.ticket_number ELSE w.user_id = r.user_id END
      ORDER BY r.id`.execute(trx)
    const recipients = rows.flatMap(({ email, has_won: hasWon, ...row }) =>
      email === null || hasWon ? [] : [{ ...row, email }],
    )
    return { taken: rows.length, recipients }
  },
})

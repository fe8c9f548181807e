import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import type { ClaimForm, ConsentForm, PublicWinner, RecordBody } from '../../claims.contract.ts'
import type { ForfeitReason, Kind } from '#draw-protocol/formats.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import { PICTURE } from '../draw-emails.repository.ts'

/** An attempt of a draw. */
export interface AttemptId {
  offerId: number
  attempt: number
}

export interface ClaimRow {
  offer_id: number
  attempt: number
  slug: string
  titles: LocalizedText
  /** The words of the contest's first picture; null without one. */
  picture: LocalizedText | null
  total: number
  number: number
  drawn_at: Date
  until: Date
  is_over: boolean
  /** The winner has no email address, and is told by letter. */
  needs_letter: boolean
  letter_waits: boolean
  letter_printed_at: Date | null
  letter_sent_at: Date | null
  /** Until when a proof of identity is waited for, and whether it was submitted and none was seen by then. */
  prove_until: Date
  is_unproven: boolean
  submitted_at: Date | null
  recorded_by: number | null
  name: string | null
  address: string[] | null
  postcode: string | null
  city: string | null
  country: string | null
  phone: string | null
  first_name: string | null
  place: string | null
  picture_consent_at: Date | null
  /** Of the claim as it is: null once it changed, which `is_changed` says. */
  identity_seen_at: Date | null
  identity_seen_by_name: string | null
  is_changed: boolean
  /** What staff see of it (`draw_claim_hash`). */
  hash: Buffer
  /** Of `claim.txt`; null before it is submitted, and once it is erased. */
  leaf_salt: Buffer | null
  /** SHA-256 of that file, as its leaf has it; null while the leaf waits. */
  leaf_hash: Buffer | null
  leaf_index: number | null
  awarded_at: Date | null
  delivered_on: string | null
  forfeited_at: Date | null
  erased_at: Date | null
  reason: ForfeitReason | null
  is_void: boolean
  source: Kind
  ticket_id: string
  salt: Buffer
  user_id: number | null
  postal_entry_id: string | null
  /** Of the account, else of the card. */
  known_name: string | null
  known_email: string | null
  language: Language
  card_address: string[] | null
  card_postcode: string | null
  card_city: string | null
  card_country: string | null
}

/**
 * The end of the time for the claim `c` of the draw `d`. While the letter to a winner without an email address waits, it is
 * the earliest that is possible: as if the letter were sent now.
 */
export const UNTIL = sql`CASE WHEN draw_letter_waits(c)
  THEN greatest(c.until, clock_timestamp() + make_interval(secs => d.claim_seconds)) ELSE c.until END`

/**
 * Of a claim `c` of the draw `d`: a proof of identity is waited for as long again as the claim was. Then two people may let
 * the prize go on as unclaimed.
 */
export const PROVE_UNTIL = sql`${UNTIL} + make_interval(secs => d.claim_seconds)`
export const IS_UNPROVEN = sql`(
  c.submitted_at IS NOT NULL AND c.identity_seen_at IS NULL AND c.awarded_at IS NULL AND c.forfeited_at IS NULL
  AND ${PROVE_UNTIL} <= clock_timestamp()
)`

/** The proof of identity of a claim `c` was seen, and the claim has not changed since; null before. */
export const IS_SEEN = sql`CASE WHEN c.awarded_at IS NOT NULL THEN true ELSE c.identity_hash = draw_claim_hash(c) END`

/** A claim with the holder of its number. */
const CLAIMS = sql`
  SELECT c.offer_id, c.attempt, o.slug, o.titles, ${PICTURE} AS picture, o.total_tickets AS total, a.number, a.drawn_at,
         ${UNTIL} AS until, ${UNTIL} <= clock_timestamp() AS is_over, c.needs_letter, draw_letter_waits(c) AS letter_waits,
         c.letter_printed_at, c.letter_sent_at, ${PROVE_UNTIL} AS prove_until, ${IS_UNPROVEN} AS is_unproven, c.submitted_at, c.recorded_by, c.name, c.address, c.postcode,
         c.city, c.country, c.phone, c.first_name, c.place, c.picture_consent_at, CASE WHEN ${IS_SEEN} THEN c.identity_seen_at END AS identity_seen_at,
         s.username AS identity_seen_by_name, coalesce(NOT ${IS_SEEN}, false) AS is_changed, draw_claim_hash(c) AS hash, c.leaf_salt, c.leaf_hash, c.leaf_index, c.awarded_at, c.delivered_on, c.forfeited_at, c.erased_at, f.reason,
         t.status = 'void' AS is_void, t.source, t.id AS ticket_id, e.salt, t.user_id, p.id AS postal_entry_id,
         coalesce(u.username, p.name) AS known_name, coalesce(u.email, p.email) AS known_email,
         coalesce(u.language, p.language, 'fr') AS language, p.address AS card_address, p.postcode AS card_postcode,
         p.city AS card_city, p.country AS card_country
  FROM draw_claims c
  JOIN draw_attempts a ON a.offer_id = c.offer_id AND a.attempt = c.attempt
  JOIN offers o ON o.id = c.offer_id
  JOIN draws d ON d.offer_id = c.offer_id
  JOIN tickets t ON t.offer_id = c.offer_id AND t.number = a.number
  JOIN draw_entries e ON e.offer_id = c.offer_id AND e.number = a.number
  LEFT JOIN draw_forfeitures f ON f.offer_id = c.offer_id AND f.attempt = c.attempt
  LEFT JOIN users u ON u.id = t.user_id
  LEFT JOIN postal_entries p ON t.source = 'postal' AND p.offer_id = t.offer_id AND p.ticket_number = t.number
  LEFT JOIN users s ON s.id = c.identity_seen_by`

/** Of the leaf with the result of attempt `a`, by its first checkpoint; null without a log. */
const RESULT_TIME = sql`(
  SELECT k.at FROM draw_leaves l JOIN draw_checkpoints k ON k.log_id = l.log_id AND k.size > l.index
  WHERE l.log_id = a.offer_id AND split_part(l.leaf, '-', 2) NOT IN ('entry', 'void')
    AND split_part(l.leaf, '-', 2) = 'result' AND split_part(l.leaf, E'\t', 3) = a.attempt::text
  ORDER BY k.size, k.id LIMIT 1
)`

/** Whether an account has won a prize that is neither handed over nor forfeited. */
export async function hasOpenPrize(db: Sql, userId: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM draw_attempts a
    JOIN tickets t ON t.offer_id = a.offer_id AND t.number = a.number
    LEFT JOIN draw_claims c ON c.offer_id = a.offer_id AND c.attempt = a.attempt
    WHERE t.user_id = ${userId} AND t.status = 'valid' AND c.awarded_at IS NULL AND c.forfeited_at IS NULL
    LIMIT 1`.execute(db)
  return rows.length > 0
}

export const claimsRepository = (db: Sql) => ({
  async byToken(tokenHash: Buffer): Promise<ClaimRow | undefined> {
    const { rows } = await sql<ClaimRow>`${CLAIMS} WHERE c.token_hash = ${tokenHash}`.execute(db)
    return rows[0]
  },

  async hashOf({ offerId, attempt }: AttemptId): Promise<Buffer | undefined> {
    const claim = db.selectFrom('draw_claims').select('token_hash')
    const found = claim.where('offer_id', '=', offerId).where('attempt', '=', attempt)
    return (await found.executeTakeFirst())?.token_hash
  },

  /** @returns which claim is stored with the hash of a token */
  idOf: (tokenHash: Buffer): Promise<AttemptId | undefined> =>
    db
      .selectFrom('draw_claims')
      .select(['offer_id as offerId', 'attempt'])
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst(),

  /** The last claim of an account in a contest. */
  async own(slug: string, userId: number): Promise<ClaimRow | undefined> {
    const { rows } = await sql<ClaimRow>`
      ${CLAIMS} WHERE o.slug = ${slug} AND t.user_id = ${userId} ORDER BY c.attempt DESC LIMIT 1`.execute(db)
    return rows[0]
  },

  async find({ offerId, attempt }: AttemptId): Promise<ClaimRow | undefined> {
    const { rows } = await sql<ClaimRow>`
      ${CLAIMS} WHERE c.offer_id = ${offerId} AND c.attempt = ${attempt}`.execute(db)
    return rows[0]
  },

  async ofOffer(offerId: number): Promise<ClaimRow[]> {
    const { rows } = await sql<ClaimRow>`${CLAIMS} WHERE c.offer_id = ${offerId} ORDER BY c.attempt`.execute(
      db,
    )
    return rows
  },

  async ofCustomer(userId: number): Promise<ClaimRow[]> {
    const { rows } = await sql<ClaimRow>`
      ${CLAIMS} WHERE t.user_id = ${userId} ORDER BY a.drawn_at DESC, c.offer_id`.execute(db)
    return rows
  },

  /** The attempts that drew the numbers of entries by post. */
  async ofEntries(entryIds: readonly string[]): Promise<AttemptId[]> {
    const { rows } = await sql<AttemptId>`
      SELECT a.offer_id AS "offerId", a.attempt
      FROM postal_entries e JOIN draw_attempts a ON a.offer_id = e.offer_id AND a.number = e.ticket_number
      WHERE e.id = ANY(${[...entryIds]}::uuid[])`.execute(db)
    return rows
  },

  /** Claims whose leaf waits. */
  async withoutLeaf(): Promise<AttemptId[]> {
    const { rows } = await sql<AttemptId>`
      SELECT c.offer_id AS "offerId", c.attempt FROM draw_claims c
      WHERE c.leaf_salt IS NOT NULL AND c.leaf_index IS NULL AND ${NOT_ENDED} ORDER BY c.offer_id, c.attempt`.execute(
      db,
    )
    return rows
  },

  /** Drawn attempts without a claim. */
  async unopened(): Promise<AttemptId[]> {
    const { rows } = await sql<AttemptId>`
      SELECT a.offer_id AS "offerId", a.attempt FROM draw_attempts a
      WHERE a.drawn_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM draw_claims c WHERE c.offer_id = a.offer_id AND c.attempt = a.attempt)
      ORDER BY a.offer_id, a.attempt`.execute(db)
    return rows
  },
})

/** What the winner agreed to publish. */
export const publicWinner = ({ first_name, place }: Pick<ClaimRow, 'first_name' | 'place'>): PublicWinner =>
  first_name === null || place === null ? null : { first_name, place }

const NOT_ENDED = sql`c.awarded_at IS NULL AND c.forfeited_at IS NULL`
const HOLDER_IS_VALID = sql`EXISTS (
  SELECT FROM draw_attempts a JOIN tickets t ON t.offer_id = a.offer_id AND t.number = a.number
  WHERE a.offer_id = c.offer_id AND a.attempt = c.attempt AND t.status = 'valid'
)`
const now = sql`clock_timestamp()`
const LEAF_SALT_BYTES = 32
/** Emails about what became of one claim; the CHECK of its count has the same. */
export const MOST_TOLD = 100

/** Assignments of the consents; one that was given keeps its time. */
const consents = ({ publish, first_name, place, picture }: ConsentForm) => sql`
  name_consent_at = CASE WHEN ${publish}::boolean THEN coalesce(c.name_consent_at, ${now}) END,
  first_name = ${publish ? first_name : null}, place = ${publish ? place : null},
  picture_consent_at = CASE WHEN ${picture}::boolean THEN coalesce(c.picture_consent_at, ${now}) END`

const CONTACT_ERASED = sql`
  name = NULL, address = NULL, postcode = NULL, city = NULL, country = NULL, phone = NULL, leaf_salt = NULL,
  erased_at = ${now}`
const CONSENTS_ERASED = sql`name_consent_at = NULL, first_name = NULL, place = NULL, picture_consent_at = NULL`

export const claimsWrites = (trx: Trx) => ({
  /** Opens the claim of a drawn attempt. @returns false when it is open already */
  async open({ offerId, attempt }: AttemptId, tokenHash: Buffer): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO draw_claims (offer_id, attempt, token_hash, until, opened_at, needs_letter)
      SELECT a.offer_id, a.attempt, ${tokenHash},
             coalesce(${RESULT_TIME}, a.drawn_at) + make_interval(secs => d.claim_seconds), ${now},
             EXISTS (
               SELECT FROM tickets t JOIN postal_entries p ON p.offer_id = t.offer_id AND p.ticket_number = t.number
               WHERE t.offer_id = a.offer_id AND t.number = a.number AND t.source = 'postal' AND t.user_id IS NULL
                 AND p.email IS NULL AND p.name IS NOT NULL AND p.address IS NOT NULL
             )
      FROM draw_attempts a JOIN draws d USING (offer_id)
      WHERE a.offer_id = ${offerId} AND a.attempt = ${attempt} AND a.drawn_at IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING attempt`.execute(trx)
    return rows.length > 0
  },

  /**
   * Stores what the winner submits, or changes it: then its leaf is still to come. The row's lock decides between a claim at
   * the last moment and the forfeiture: whichever comes second finds the other one done.
   * @param recordedBy staff who write it down, never over what the winner has submitted @returns whether it could be
   */
  async submit(
    { offerId, attempt }: AttemptId,
    form: ClaimForm | RecordBody,
    recordedBy: number | null,
  ): Promise<boolean> {
    const { name, street, extra, postcode, city, country, phone } = form
    const address = [street, extra].filter((one) => one !== '')
    const given = sql`${name}::text, ${address}::text[], ${postcode}::text, ${city}::text, ${country}::text, ${phone === '' ? null : phone}::text`
    const isSame = sql`(
      c.leaf_salt IS NOT NULL AND (c.name, c.address, c.postcode, c.city, c.country, c.phone) IS NOT DISTINCT FROM (${given})
    )`
    const { rows } = await sql`
      UPDATE draw_claims c SET
        leaf_salt = CASE WHEN ${isSame} THEN c.leaf_salt ELSE ${randomBytes(LEAF_SALT_BYTES)}::bytea END,
        leaf_hash = CASE WHEN ${isSame} THEN c.leaf_hash END, leaf_index = CASE WHEN ${isSame} THEN c.leaf_index END,
        submitted_at = coalesce(c.submitted_at, ${now}), recorded_by = ${recordedBy},
        (name, address, postcode, city, country, phone) = (${given}), ${consents(form)}
      WHERE c.offer_id = ${offerId} AND c.attempt = ${attempt} AND ${NOT_ENDED}
        AND (${recordedBy}::bigint IS NULL OR c.submitted_at IS NULL OR c.recorded_by IS NOT NULL)
        AND c.erased_at IS NULL AND (c.submitted_at IS NOT NULL OR ${now} < c.until OR draw_letter_waits(c)) AND ${HOLDER_IS_VALID}
      RETURNING c.attempt`.execute(trx)
    return rows.length > 0
  },

  /** Notes the leaf of a claim as it is. */
  async logged({ offerId, attempt }: AttemptId, leaf: { index: number; hash: Uint8Array }): Promise<void> {
    await sql`
      UPDATE draw_claims SET leaf_index = ${leaf.index}, leaf_hash = ${Buffer.from(leaf.hash)}
      WHERE offer_id = ${offerId} AND attempt = ${attempt}`.execute(trx)
  },

  /** @returns false when nothing was submitted, or the prize was forfeited */
  async consent({ offerId, attempt }: AttemptId, form: ConsentForm): Promise<boolean> {
    const { rows } = await sql`
      UPDATE draw_claims c SET ${consents(form)}
      WHERE c.offer_id = ${offerId} AND c.attempt = ${attempt} AND c.submitted_at IS NOT NULL AND c.forfeited_at IS NULL
      RETURNING c.attempt`.execute(trx)
    return rows.length > 0
  },

  /** Locks a claim, so that what was read of it stays until this transaction ends. */
  async lock({ offerId, attempt }: AttemptId): Promise<void> {
    await sql`
      SELECT FROM draw_claims WHERE offer_id = ${offerId} AND attempt = ${attempt} FOR NO KEY UPDATE`.execute(
      trx,
    )
  },

  /** Notes that the letter to the winner was printed. @returns false when none is needed */
  async printLetter({ offerId, attempt }: AttemptId): Promise<boolean> {
    const { rows } = await sql`
      UPDATE draw_claims c SET letter_printed_at = coalesce(c.letter_printed_at, ${now})
      WHERE c.offer_id = ${offerId} AND c.attempt = ${attempt} AND ${NOT_ENDED} AND c.needs_letter
      RETURNING c.attempt`.execute(trx)
    return rows.length > 0
  },

  /** Marks the printed letter as sent, once: from now on the time for the claim runs. */
  async sendLetter({ offerId, attempt }: AttemptId, by: number): Promise<boolean> {
    const { rows } = await sql`
      UPDATE draw_claims c SET letter_sent_at = ${now}, letter_sent_by = ${by},
        until = greatest(c.until, ${now} + make_interval(secs => d.claim_seconds))
      FROM draws d
      WHERE d.offer_id = c.offer_id AND c.offer_id = ${offerId} AND c.attempt = ${attempt} AND ${NOT_ENDED}
        AND c.needs_letter AND c.letter_printed_at IS NOT NULL AND c.letter_sent_at IS NULL
      RETURNING c.attempt`.execute(trx)
    return rows.length > 0
  },

  /** Counts an email to the winner. @returns which one it is, from 1 on */
  async countTold({ offerId, attempt }: AttemptId): Promise<number> {
    const { rows } = await sql<{ told: number }>`
      UPDATE draw_claims SET told = least(told + 1, ${MOST_TOLD}) WHERE offer_id = ${offerId} AND attempt = ${attempt}
      RETURNING told`.execute(trx)
    return rows[0]?.told ?? 0
  },

  /** @param isAlone nobody else of staff could do it @returns whether it was submitted, and not seen as it is */
  async seeIdentity({ offerId, attempt }: AttemptId, by: number, isAlone: boolean): Promise<boolean> {
    const { rows } = await sql`
      UPDATE draw_claims c SET identity_seen_at = ${now}, identity_seen_by = ${by}, identity_hash = draw_claim_hash(c),
        seen_alone = ${isAlone}
      WHERE c.offer_id = ${offerId} AND c.attempt = ${attempt} AND ${NOT_ENDED} AND c.submitted_at IS NOT NULL
        AND c.identity_hash IS DISTINCT FROM draw_claim_hash(c) AND ${HOLDER_IS_VALID}
      RETURNING c.attempt`.execute(trx)
    return rows.length > 0
  },

  /** @returns whether the identity was seen of the claim as it is, and the prize neither awarded nor forfeited */
  async award(
    { offerId, attempt }: AttemptId,
    { by, deliveredOn, approvalId }: { by: number; deliveredOn: string; approvalId: number },
  ): Promise<boolean> {
    const { rows } = await sql`
      UPDATE draw_claims c SET awarded_at = ${now}, awarded_by = ${by}, delivered_on = ${deliveredOn},
        award_approval_id = ${approvalId}
      WHERE c.offer_id = ${offerId} AND c.attempt = ${attempt} AND ${NOT_ENDED} AND c.identity_hash = draw_claim_hash(c)
        AND ${HOLDER_IS_VALID}
      RETURNING c.attempt`.execute(trx)
    return rows.length > 0
  },

  /** Whether an approved request was carried out. */
  async isAwardedBy(approvalId: number): Promise<boolean> {
    const { rows } = await sql`SELECT FROM draw_claims WHERE award_approval_id = ${approvalId}`.execute(trx)
    return rows.length > 0
  },

  /**
   * Takes a claim whose reminder is due and that nobody has submitted: at half of its time, and a day before its end when
   * that is later. @returns which one it is
   */
  async takeReminder(): Promise<(AttemptId & { reminder: number }) | undefined> {
    const { rows } = await sql<AttemptId & { reminder: number }>`
      WITH next AS (
        SELECT c.offer_id, c.attempt, due.reminder FROM draw_claims c
        CROSS JOIN LATERAL (
          SELECT c.opened_at + (c.until - c.opened_at) / 2 AS half, c.until - interval '1 day' AS last
        ) AS at
        CROSS JOIN LATERAL (
          SELECT CASE WHEN ${now} >= at.last AND at.last > at.half THEN 2 WHEN ${now} >= at.half THEN 1 ELSE 0 END AS reminder
        ) AS due
        WHERE ${NOT_ENDED} AND c.submitted_at IS NULL AND ${now} < c.until AND due.reminder > c.reminders
        ORDER BY c.until LIMIT 1 FOR NO KEY UPDATE OF c SKIP LOCKED
      )
      UPDATE draw_claims c SET reminders = next.reminder FROM next
      WHERE c.offer_id = next.offer_id AND c.attempt = next.attempt
      RETURNING c.offer_id AS "offerId", c.attempt, next.reminder`.execute(trx)
    return rows[0]
  },

  /** Removes an account's holder from their claims. @returns which */
  async erasePerson(userId: number): Promise<AttemptId[]> {
    const { rows } = await sql<AttemptId>`
      UPDATE draw_claims c SET ${CONTACT_ERASED}, ${CONSENTS_ERASED}
      FROM draw_attempts a JOIN tickets t ON t.offer_id = a.offer_id AND t.number = a.number
      WHERE a.offer_id = c.offer_id AND a.attempt = c.attempt AND t.user_id = ${userId}
        AND c.submitted_at IS NOT NULL AND c.erased_at IS NULL
      RETURNING c.offer_id AS "offerId", c.attempt`.execute(trx)
    return rows
  },
})

/** Erases the contact data of claims that ended long ago, and consents of forfeited ones. @returns how many claims */
export async function eraseOldClaims(db: Sql, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE draw_claims c SET ${CONTACT_ERASED},
      name_consent_at = CASE WHEN c.forfeited_at IS NULL THEN c.name_consent_at END,
      first_name = CASE WHEN c.forfeited_at IS NULL THEN c.first_name END,
      place = CASE WHEN c.forfeited_at IS NULL THEN c.place END,
      picture_consent_at = CASE WHEN c.forfeited_at IS NULL THEN c.picture_consent_at END
    WHERE (c.offer_id, c.attempt) IN (
      SELECT offer_id, attempt FROM draw_claims
      WHERE submitted_at IS NOT NULL AND erased_at IS NULL
        AND coalesce(awarded_at, forfeited_at) < now() - make_interval(days => ${days})
      LIMIT ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

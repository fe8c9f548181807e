import { type RawBuilder, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Payer } from '#platform/payment/payment-provider.ts'
import { asAddress } from '#shared/email-address.ts'
import type { ExclusionBody } from '../exclusions.contract.ts'

type Kind = ExclusionBody['kind']

const digestOf = (value: RawBuilder<unknown>) => sql`sha256(convert_to(lower(${value}), 'UTF8'))`

const isListed = (kind: Kind, value: RawBuilder<unknown>) => sql<boolean>`EXISTS (
  SELECT FROM excluded_payers e WHERE e.kind = ${sql.lit(kind)} AND e.digest = ${digestOf(value)})`

/** Why an account cannot take part in contests. */
export type Exclusion = 'staff' | 'excluded'

/** Of a row of `users`; null for whoever can take part. @param users its alias */
export const exclusionOf = (users: string) => sql<Exclusion | null>`CASE
  WHEN ${sql.ref(`${users}.is_staff`)} THEN 'staff'
  WHEN ${isListed('email', sql.ref(`${users}.email`))} THEN 'excluded' END`

/** Whether a payer is listed, by its id or by its address; null counts as not named. */
export const isExcludedPayer = (payer: Readonly<Record<'id' | 'email', RawBuilder<unknown>>>) =>
  sql<boolean>`(${isListed('payer_id', payer.id)} OR ${isListed('email', payer.email)})`

export interface ExclusionRow {
  id: number
  kind: Kind
  value: string | null
  reason: ExclusionBody['reason']
  added_by: string
  added_at: Date
}

export const exclusionsRepository = (db: Sql) => ({
  async list(): Promise<ExclusionRow[]> {
    const { rows } = await sql<ExclusionRow>`
      SELECT e.id, e.kind, e.value, e.reason, u.username AS added_by, e.added_at
      FROM excluded_payers e JOIN users u ON u.id = e.added_by
      ORDER BY e.id DESC`.execute(db)
    return rows
  },

  async any(): Promise<boolean> {
    const { rows } = await sql<{
      found: boolean
    }>`SELECT EXISTS (SELECT FROM excluded_payers) AS found`.execute(db)
    return rows[0]?.found ?? false
  },

  /** Whether the account of an address belongs to staff, or the address is listed, with an account or without. */
  async isAddressExcluded(email: string): Promise<boolean> {
    const { rows } = await sql<{ excluded: boolean }>`
      SELECT ${isListed('email', sql`${email}::text`)} OR EXISTS (
        SELECT FROM users WHERE lower(email) = lower(${email}) AND is_staff) AS excluded`.execute(db)
    return rows[0]?.excluded ?? false
  },

  async isPayerListed({ id, email }: Payer): Promise<boolean> {
    const payer = {
      id: sql`${id ?? null}::text`,
      email: sql`${email === undefined ? null : asAddress(email)}::text`,
    }
    const { rows } = await sql<{ listed: boolean }>`SELECT ${isExcludedPayer(payer)} AS listed`.execute(db)
    return rows[0]?.listed ?? false
  },

  /** The rows about the address of an account. */
  async ofAccount(userId: number): Promise<Omit<ExclusionRow, 'added_by'>[]> {
    const { rows } = await sql<Omit<ExclusionRow, 'added_by'>>`
      SELECT e.id, e.kind, e.value, e.reason, e.added_at
      FROM excluded_payers e JOIN users u ON e.kind = 'email' AND e.digest = ${digestOf(sql`u.email`)}
      WHERE u.id = ${userId} AND u.email_confirmed_at IS NOT NULL
      ORDER BY e.id DESC`.execute(db)
    return rows
  },
})

export const exclusionWrites = (trx: Trx) => ({
  /** Others may read; whoever adds waits. */
  lock: () => sql`LOCK TABLE excluded_payers IN SHARE ROW EXCLUSIVE MODE`.execute(trx),

  async count(): Promise<number> {
    const { rows } = await sql<{
      listed: number
    }>`SELECT count(*)::int AS listed FROM excluded_payers`.execute(trx)
    return rows[0]?.listed ?? 0
  },

  /** @returns undefined for a value that is listed */
  async insert({ kind, value, reason }: ExclusionBody, addedBy: number): Promise<number | undefined> {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO excluded_payers (kind, value, digest, reason, added_by)
      VALUES (${kind}, ${value}, ${digestOf(sql`${value}::text`)}, ${reason}, ${addedBy})
      ON CONFLICT DO NOTHING RETURNING id`.execute(trx)
    return rows[0]?.id
  },

  async remove(id: number): Promise<Pick<ExclusionRow, 'kind' | 'reason'> | undefined> {
    const { rows } = await sql<Pick<ExclusionRow, 'kind' | 'reason'>>`
      DELETE FROM excluded_payers WHERE id = ${id} RETURNING kind, reason`.execute(trx)
    return rows[0]
  },

  /** Forgets how the confirmed address of an account is written. @returns how many rows */
  async eraseAddressOf(userId: number): Promise<number> {
    const { numAffectedRows } = await sql`
      UPDATE excluded_payers e SET value = NULL FROM users u
      WHERE u.id = ${userId} AND u.email_confirmed_at IS NOT NULL AND e.kind = 'email' AND e.value IS NOT NULL
        AND e.digest = ${digestOf(sql`u.email`)}`.execute(trx)
    return Number(numAffectedRows)
  },
})

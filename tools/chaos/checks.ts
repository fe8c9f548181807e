import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'
import { type Invariant, checkInvariants } from '#platform/invariants.ts'
import { emulatorLedger, reportLines } from '../invariants/ledger.ts'
import type { Observations } from './buyers.ts'

/** Compares the ledger with the provider's; holds only while no payment is in progress. */
const LEDGER = 'I5'

/** The invariants that hold at every moment. @returns a line for each breach */
export async function breachesNow(db: Database, invariants: readonly Invariant[]): Promise<string[]> {
  const alone = invariants.filter(({ name }) => name !== LEDGER)
  const breaches = await checkInvariants(db, alone)
  return breaches.length === 0 ? [] : reportLines(alone, breaches)
}

/** What must hold once every order is final: all invariants, both ledgers to the cent, and what buyers were told. */
export async function breachesAtRest(
  db: Database,
  invariants: readonly Invariant[],
  emulatorUrl: string,
  observed: Observations,
): Promise<string[]> {
  const breaches = await checkInvariants(db, invariants, await emulatorLedger(emulatorUrl))
  const lines = breaches.length === 0 ? [] : reportLines(invariants, breaches)
  return [...lines, ...(await missingTickets(db, observed)), ...(await stuckHolds(db))]
}

async function missingTickets(db: Database, observed: Observations): Promise<string[]> {
  const ids = [...observed.tickets.keys()]
  const { rows } = await sql<{ id: string }>`
    SELECT p.id FROM unnest(${ids}::uuid[], ${[...observed.tickets.values()]}::bigint[]) AS p (id, user_id)
    LEFT JOIN tickets t ON t.id = p.id AND t.user_id = p.user_id
    WHERE t.id IS NULL`.execute(db)
  return rows.map(({ id }) => `ticket ${id} was confirmed to a buyer who does not have it`)
}

/** Contests with held tickets although no order holds any. */
async function stuckHolds(db: Database): Promise<string[]> {
  const { rows } = await sql<{ slug: string; tickets_held: number }>`
    SELECT slug, tickets_held FROM offers WHERE tickets_held <> 0`.execute(db)
  return rows.map(({ slug, tickets_held }) => `${slug} still holds ${tickets_held} tickets for nobody`)
}

export async function ordersByState(db: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ state: string; orders: number }>`
    SELECT state, count(*)::int AS orders FROM orders GROUP BY state ORDER BY state`.execute(db)
  return Object.fromEntries(rows.map(({ state, orders }) => [state, orders]))
}

/** Number of orders that are not final and of unhandled notifications. */
export async function unfinished(db: Database): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    SELECT (SELECT count(*) FROM orders WHERE state IN ('held', 'capturing', 'pending', 'refunding'))::int
         + (SELECT count(*) FROM orders WHERE state IN ('expired', 'cancelled', 'superseded')
              AND capture_started_at IS NOT NULL AND reconciled_at IS NULL)::int
         + (SELECT count(*) FROM webhook_inbox WHERE handled_at IS NULL)::int AS open`.execute(db)
  return rows[0]?.open ?? 0
}

/** Lets a share of the holds expire, as if their buyers had been away. */
export const expireHolds = (db: Database, share: number) =>
  sql`UPDATE orders SET hold_until = clock_timestamp() WHERE state = 'held' AND random() < ${share}`.execute(
    db,
  )

/** Makes the daily reconciliation due, as if a day had passed. */
export const makeReconciliationDue = (db: Database) =>
  sql`UPDATE ledger_reconciliation SET started_at = clock_timestamp() - interval '25 hours', ended_at = clock_timestamp()`.execute(
    db,
  )

/** Progress of that reconciliation: the last order it has checked, and whether it has ended. */
export async function reconciliation(db: Database): Promise<{ after: string | null; done: boolean }> {
  const { rows } = await sql<{ after: string | null; done: boolean }>`
    SELECT after_order AS after, ended_at IS NOT NULL AND started_at > clock_timestamp() - interval '1 day' AS done
    FROM ledger_reconciliation`.execute(db)
  return rows[0] ?? { after: null, done: false }
}

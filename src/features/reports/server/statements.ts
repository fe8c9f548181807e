import type { Alerts } from '#features/alerts/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, Sql } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { sumToDecimal } from '#shared/money.ts'
import { readOrderNumber, shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import { kindOf } from '../statement.rules.ts'
import type { ImportQuery, ListedStatement, Statement } from '../statements.contract.ts'
import { type StatementEntry, readStatement, statementFault } from './statement-file.ts'
import {
  type NewDifference,
  type StatementSum,
  statementWrites,
  statementsRepository,
} from './statements.repository.ts'

interface StatementDeps {
  db: Database
  alerts: Alerts
  timeZone: string
}

const SHOWN = 500
const SHOWN_IN_ALERT = 5
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Reads a statement, compares it with the ledger, and stores what differs. @throws Refusal for a file that cannot be read */
export async function importStatement(
  { db, alerts, timeZone }: StatementDeps,
  file: Buffer,
  query: ImportQuery,
  actor: StaffCaller,
): Promise<Statement> {
  const read = await readStatement(file, query.dates)
  const known = await statementsRepository(db).idOfFile(read.hash)
  if (known !== undefined) throw alreadyImported(known)
  const [from, to] = [query.from ?? read.from, query.to ?? read.to]
  if (from > read.from || to < read.to)
    throw statementFault('statementPeriod', { from: read.from, to: read.to })
  const compared = await compare(db, read.entries, { from, to, zone: timeZone })
  const { hash, rows, unbooked } = read
  const { differences, sums, agreed, fees } = compared
  const id = await transact(db, async (trx) => {
    const by = actor.userId
    const added = await statementWrites(trx).add({
      hash,
      by,
      from,
      to,
      rows,
      unbooked,
      agreed,
      sums,
      differences,
    })
    if (added === undefined) return undefined
    await statementWrites(trx).fillFees(fees)
    const missing = differences.filter(
      ({ difference, entry }) => difference === 'missing_here' && entry === 'payment',
    )
    if (missing.length > 0)
      await alerts.raise(trx, {
        kind: 'statementPayment',
        subject: String(added),
        details: {
          payments: missing.length,
          cents: missing.reduce((sum, { theirs }) => sum + (theirs ?? 0), 0),
          captures: missing.slice(0, SHOWN_IN_ALERT).map((one) => one.id),
        },
      })
    await audit(trx, {
      actor,
      action: 'reports.import',
      subject: { kind: 'statement', id: added },
      after: { from, to, rows, agreed, differences: differences.length, sha256: hash.toString('hex') },
    })
    return added
  })
  if (id === undefined) throw alreadyImported((await statementsRepository(db).idOfFile(hash)) ?? 0)
  return requireStatement(db, id)
}

const alreadyImported = (id: number): Refusal =>
  new Refusal('reports.statementKnown', 409, 'consoleReports.refusals.known', { body: { id } })

interface Period {
  from: string
  to: string
  zone: string
}

/** What both have, what one lacks, and what differs by a cent or more. */
async function compare(db: Sql, entries: readonly StatementEntry[], period: Period) {
  const stored = statementsRepository(db)
  const ids = entries.map(({ id }) => id)
  const numberOf = ({ invoice }: StatementEntry): string | undefined => readOrderNumber(invoice)
  const [payments, refunds, orders, paymentsAbsent, refundsAbsent] = await Promise.all([
    stored.payments(ids),
    stored.refunds(ids),
    stored.ordersOf(
      entries.flatMap((entry) => numberOf(entry) ?? []),
      entries.flatMap(({ custom }) => (UUID.test(custom) ? custom : [])),
    ),
    stored.absent('payment', { ...period, ids }),
    stored.absent('refund', { ...period, ids }),
  ])
  const paymentsById = new Map(payments.map((one) => [one.id, one]))
  const refundsById = new Map(refunds.map((one) => [one.id, one]))
  const captureOf = new Map(
    (await stored.payments(entries.map(({ reference }) => reference).filter(Boolean))).map((one) => [
      one.id,
      one,
    ]),
  )
  const differences: NewDifference[] = []
  const fees: { id: string; fee: number }[] = []
  const sums = new Map<string, StatementSum>()
  let agreed = 0
  for (const entry of entries) {
    const { id, day, gross, fee, currency } = entry
    const payment = paymentsById.get(id)
    const refund = refundsById.get(id)
    const named = orders.get(numberOf(entry) ?? '') ?? orders.get(entry.custom.toLowerCase())
    const kind = payment
      ? 'payment'
      : refund
        ? 'refund'
        : named !== undefined && gross > 0 && kindOf(entry.type, gross) !== 'other'
          ? 'payment'
          : kindOf(entry.type, gross)
    addTo(sums, kind, entry)
    if (kind === 'other') continue
    const theirs = kind === 'payment' ? gross : -gross
    const differ = (difference: NewDifference['difference'], ours: number | null, their = theirs): unknown =>
      differences.push({
        difference,
        entry: kind,
        id,
        ours,
        theirs: their,
        day,
        atEdge: false,
        orderId:
          payment?.orderId ?? refund?.orderId ?? named ?? captureOf.get(entry.reference)?.orderId ?? null,
      })
    const isHere = kind === 'payment' ? payment?.tookMoney === true : refund?.hasFailed === false
    if (!isHere) {
      differ('missing_here', null)
      continue
    }
    const ours = payment?.cents ?? refund?.cents ?? 0
    if (ours !== theirs || (payment && payment.currency !== currency)) differ('amount', ours)
    else agreed += 1
    if (payment?.fee === null && fee <= 0 && -fee <= gross) fees.push({ id, fee: -fee })
    else if (payment && payment.fee !== -fee) differ('fee', payment.fee, -fee)
  }
  for (const [entry, absent] of [
    ['payment', paymentsAbsent],
    ['refund', refundsAbsent],
  ] as const)
    for (const { id, orderId, cents, day, atEdge } of absent)
      differences.push({
        difference: 'missing_there',
        entry,
        id,
        orderId,
        ours: cents,
        theirs: null,
        day,
        atEdge,
      })
  return { differences, sums: [...sums.values()], agreed, fees }
}

function addTo(
  sums: Map<string, StatementSum>,
  kind: StatementSum['kind'],
  { type, currency, gross, fee, net }: StatementEntry,
): void {
  const key = `${kind} ${currency} ${type}`
  const sum = sums.get(key) ?? { kind, type, currency, count: 0, gross: 0, fee: 0, net: 0 }
  sums.set(key, {
    ...sum,
    count: sum.count + 1,
    gross: sum.gross + gross,
    fee: sum.fee + fee,
    net: sum.net + net,
  })
}

type StoredStatement = Awaited<ReturnType<ReturnType<typeof statementsRepository>['page']>>[number]

export const toListed = ({ imported_at, from_day, to_day, ...row }: StoredStatement): ListedStatement => ({
  id: row.id,
  imported_by: row.imported_by,
  rows: row.rows,
  unbooked: row.unbooked,
  agreed: row.agreed,
  differences: row.differences,
  imported_at: imported_at.toISOString(),
  from: from_day,
  to: to_day,
})

const decimal = (cents: number | null): string | null => (cents === null ? null : sumToDecimal(cents))

/** @throws Refusal for an id that does not exist */
export async function requireStatement(db: Sql, id: number): Promise<Statement> {
  const stored = statementsRepository(db)
  const [row, items, counts] = await Promise.all([
    stored.byId(id),
    stored.differences(id, SHOWN),
    stored.counts(id),
  ])
  if (!row) throw new Refusal('reports.notFound', 404, 'consoleReports.refusals.notFound')
  return {
    ...toListed(row),
    file_hash: row.file_hash.toString('hex'),
    sums: row.sums.map((sum) => ({
      ...sum,
      gross: sumToDecimal(sum.gross),
      fee: sumToDecimal(sum.fee),
      net: sumToDecimal(sum.net),
    })),
    items: items.map(({ number, ours_cents, theirs_cents, ...item }) => ({
      ...item,
      order: number === null ? null : shownOrderNumber(number),
      ours: decimal(ours_cents),
      theirs: decimal(theirs_cents),
    })),
    counts: { missing_here: 0, missing_there: 0, amount: 0, fee: 0, ...counts },
  }
}

/** Ends alerts about payments that have been found since. */
export async function clearFoundPayments({
  db,
  alerts,
}: Pick<StatementDeps, 'db' | 'alerts'>): Promise<void> {
  for (const subject of await alerts.subjects(db, 'statementPayment'))
    if (await statementsRepository(db).hasAllPayments(Number(subject)))
      await alerts.clear(db, 'statementPayment', subject)
}

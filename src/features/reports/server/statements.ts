import { formatDay } from '#i18n/format.ts'
import type { Alerts } from '#features/alerts/server/index.ts'
import { fillFees } from '#features/purchase/refunds/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, ReadDatabase, Sql } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { sumToDecimal } from '#shared/money.ts'
import { readOrderNumber, shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import { permits } from '#shared/staff-permissions.ts'
import { MOST_OF_A_KIND, type RecordSearch } from '#shared/staff-search.ts'
import { Day } from '../sales.contract.ts'
import { isPeriod } from '../sales.rules.ts'
import { kindOf } from '../statement.rules.ts'
import {
  DIFFERENCES,
  type Difference,
  type DifferencePage,
  type DifferencesQuery,
  type ImportQuery,
  type ListedStatement,
  type Statement,
} from '../statements.contract.ts'
import { type StatementEntry, type StatementFile, inTurns, statementFault } from './statement-file.ts'
import { readStatementInThread } from './statement-thread.ts'
import {
  type Found,
  KEPT_OF_KIND,
  type NewDifference,
  type StatementSum,
  statementWrites,
  statementsRepository,
} from './statements.repository.ts'

/** "23/11/2026", "23.11.2026" or "2026-11-23" as "2026-11-23"; undefined for what is no day. */
function dayIn(text: string): string | undefined {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? []
  const iso = year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return Day.safeParse(iso).data
}

/** Statements of the provider whose period has the day that the text names. */
export const statementSearch =
  (db: ReadDatabase): RecordSearch =>
  async ({ text, role }) => {
    const day = permits(role, 'reports.read') ? dayIn(text.trim()) : undefined
    if (day === undefined) return []
    const rows = await statementsRepository(db).ofDay(day, MOST_OF_A_KIND)
    return rows.map(({ id, from_day: from, to_day: to, imported_at: at }) => ({
      kind: 'statement',
      id: String(id),
      title: from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`,
      matched: 'day',
      state: null,
      total: null,
      at: at.toISOString(),
      contest: null,
      order: null,
      customer: null,
    }))
  }

interface StatementDeps {
  db: Database
  alerts: Alerts
  timeZone: string
}

/** Of the differences, with the statement itself. */
const SHOWN = 100
const SHOWN_IN_ALERT = 5
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Reads a statement, compares it with the ledger, and stores what differs. The same file and period are compared again only
 * when the caller says so.
 * @throws Refusal for a file that cannot be read
 */
export async function importStatement(
  { db, alerts, timeZone }: StatementDeps,
  file: Buffer,
  query: ImportQuery,
  actor: StaffCaller,
): Promise<Statement> {
  const read = await readStatementInThread(file, query.dates)
  const { hash, rows, unbooked, zones } = read
  const period = { from: query.from ?? read.from, to: query.to ?? read.to }
  if (period.from > read.from || period.to < read.to)
    throw statementFault('statementPeriod', { from: formatDay(read.from), to: formatDay(read.to) })
  if (!isPeriod(period.from, period.to))
    throw new Refusal('reports.period', 400, 'consoleReports.filters.wrongPeriod')
  const [known] = await statementsRepository(db).idsOfFile(hash, period)
  if (known !== undefined && !query.again) throw alreadyImported(known)
  const compared = await compare(db, read.entries, { ...period, zone: timeZone, zones })
  const { differences, sums, found, agreed, fees } = compared
  const id = await transact(db, async (trx) => {
    const before = await statementsRepository(trx).idsOfFile(hash)
    const added = await statementWrites(trx).add({
      ...period,
      hash,
      by: actor.userId,
      isAgain: query.again,
      rows,
      unbooked,
      agreed,
      sums,
      found,
      differences: keptOf(differences),
    })
    if (added === undefined) return undefined
    await fillFees(trx, fees)
    // This comparison takes the place of those before.
    for (const one of before) await alerts.clear(trx, 'statementPayment', String(one))
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
    const count = found.reduce((sum, one) => sum + one.count, 0)
    await audit(trx, {
      actor,
      action: 'reports.import',
      subject: { kind: 'statement', id: added },
      after: { ...period, rows, agreed, differences: count, sha256: hash.toString('hex') },
    })
    return added
  })
  if (id === undefined)
    throw alreadyImported((await statementsRepository(db).idsOfFile(hash, period))[0] ?? 0)
  return requireStatement(db, id)
}

const alreadyImported = (id: number): Refusal =>
  new Refusal('reports.statementKnown', 409, 'consoleReports.refusals.known', { body: { id } })

/** What is missing first, what may be in another statement last; of each kind the first ones. */
function keptOf(differences: readonly NewDifference[]): NewDifference[] {
  const of = (kind: Difference, atEdge: boolean): NewDifference[] =>
    differences.filter((one) => one.difference === kind && one.atEdge === atEdge).slice(0, KEPT_OF_KIND)
  return [false, true].flatMap((atEdge) => DIFFERENCES.flatMap((kind) => of(kind, atEdge)))
}

interface Period {
  from: string
  to: string
  zone: string
  zones: StatementFile['zones']
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
  for await (const entry of inTurns(entries)) {
    const { id, day, gross, fee, currency } = entry
    const payment = paymentsById.get(id)
    const refund = refundsById.get(id)
    const named = orders.get(numberOf(entry) ?? '') ?? orders.get(entry.custom.toLowerCase())
    const kind = payment ? 'payment' : refund ? 'refund' : kindOf(entry.words, gross, named !== undefined)
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
    const isOtherAmount = ours !== theirs || (payment !== undefined && payment.currency !== currency)
    if (isOtherAmount) differ('amount', ours)
    const theirFee = fee === 0 ? 0 : -fee
    const isToldNow =
      payment?.fee === null && payment.currency === currency && theirFee >= 0 && theirFee <= gross
    // The ledger keeps no fee of a refund: the provider keeps that of the payment.
    const ourFee = payment ? payment.fee : 0
    const isOtherFee = !isToldNow && ourFee !== theirFee
    if (isToldNow) fees.push({ id, fee: theirFee })
    if (isOtherFee) differ('fee', ourFee, theirFee)
    if (!isOtherAmount && !isOtherFee) agreed += 1
  }
  const counted = new Map<Difference, Found>()
  for (const { difference, ours, theirs } of differences) {
    const sum = counted.get(difference) ?? { difference, at_edge: false, count: 0, cents: 0 }
    const cents = difference === 'missing_here' ? (theirs ?? 0) : (theirs ?? 0) - (ours ?? 0)
    counted.set(difference, { ...sum, count: sum.count + 1, cents: sum.cents + cents })
  }
  for (const [entry, absent] of [
    ['payment', paymentsAbsent],
    ['refund', refundsAbsent],
  ] as const)
    for (const { id, orderId, cents, day, atEdge } of absent.rows)
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
  const found = [...counted.values(), ...paymentsAbsent.found, ...refundsAbsent.found]
  return { differences, sums: [...sums.values()], found, agreed, fees }
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

const countOf = (found: readonly Found[], keep: (one: Found) => boolean): number =>
  found.filter(keep).reduce((sum, { count }) => sum + count, 0)

export const toListed = ({ imported_at, from_day, to_day, ...row }: StoredStatement): ListedStatement => ({
  id: row.id,
  imported_by: row.imported_by,
  rows: row.rows,
  unbooked: row.unbooked,
  agreed: row.agreed,
  run: row.run,
  differences: countOf(row.found, (one) => !one.at_edge),
  at_edge: countOf(row.found, (one) => one.at_edge),
  imported_at: imported_at.toISOString(),
  from: from_day,
  to: to_day,
})

const decimal = (cents: number | null): string | null => (cents === null ? null : sumToDecimal(cents))

/** Differences of a statement that are kept, page by page. */
export async function differencesOf(
  db: ReadDatabase,
  id: number,
  { after, limit }: DifferencesQuery,
): Promise<DifferencePage> {
  const rows = await statementsRepository(db).differences(id, after, limit + 1)
  const shown = rows.slice(0, limit)
  return {
    items: shown.map(({ number, ours_cents, theirs_cents, ...item }) => ({
      ...item,
      order: number === null ? null : shownOrderNumber(number),
      ours: decimal(ours_cents),
      theirs: decimal(theirs_cents),
    })),
    next: rows.length > limit ? String(shown.at(-1)?.position) : null,
  }
}

/** @throws Refusal for an id that does not exist */
export async function requireStatement(db: ReadDatabase, id: number): Promise<Statement> {
  const [row, page] = await Promise.all([
    statementsRepository(db).byId(id),
    differencesOf(db, id, { after: 0, limit: SHOWN }),
  ])
  if (!row) throw new Refusal('reports.notFound', 404, 'consoleReports.refusals.notFound')
  const counts = DIFFERENCES.map((kind) => [kind, countOf(row.found, (one) => one.difference === kind)])
  return {
    ...toListed(row),
    ...page,
    file_hash: row.file_hash.toString('hex'),
    sums: row.sums.map((sum) => ({
      ...sum,
      gross: sumToDecimal(sum.gross),
      fee: sumToDecimal(sum.fee),
      net: sumToDecimal(sum.net),
    })),
    counts: Object.fromEntries(counts) as Statement['counts'],
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

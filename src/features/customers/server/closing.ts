import { type AccountState, accountStates } from '#features/accounts/server/index.ts'
import { lockCartsOf } from '#features/purchase/cart/server/index.ts'
import { type EmailShop, enqueueEmail } from '#features/emails/server/index.ts'
import { lockOrdersOf } from '#features/purchase/orders/server/index.ts'
import { giveUpTickets, ticketsAtStake } from '#features/tickets/server/index.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import type { PersonalDataSource } from '#platform/personal-data.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import type { ClosingEffects, ClosingPreview } from '../customers.contract.ts'
import { type Blocker, mayClose } from '../customers.rules.ts'
import { closedEmail } from './customer-emails.ts'
import { customersRepository } from './customers.repository.ts'

export interface ClosingDeps {
  db: Database
  shop: EmailShop
  /** All that is kept about customers. */
  sources: readonly PersonalDataSource[]
}

interface Closing {
  userId: number
  giveUpTickets: boolean
  /** Of the blockers' titles. */
  language: Language
}

/** What keeps an account from being closed: a winner must be reachable, and money on its way must arrive. */
async function blockersOf(db: Sql, userId: number, language: Language): Promise<Blocker[]> {
  const matters = await customersRepository(db).openMatters(userId)
  const stakes = await ticketsAtStake(db, userId)
  return [
    ...matters.map(({ kind, number, state }) =>
      kind === 'order'
        ? { kind, number: shownOrderNumber(number), state }
        : { kind, number: shownOrderNumber(number) },
    ),
    ...stakes.map((stake) => ({
      kind: 'tickets' as const,
      slug: stake.slug,
      title: textIn(stake.titles, language).text,
      tickets: stake.tickets,
      ends_at: stake.end_date.toISOString(),
      is_running: stake.is_running,
    })),
  ]
}

/** Locks cart, orders and account, in the order of every transaction. @throws Refusal 404, or 409 for staff or twice */
async function lockForClosing(trx: Trx, userId: number): Promise<{ account: AccountState; orders: number }> {
  await lockCartsOf(trx, [userId])
  const orders = await lockOrdersOf(trx, userId)
  const account = await accountStates(trx).lock(userId)
  if (!account) throw customerNotFound()
  if (account.isClosed) throw new Refusal('customers.closed', 409, 'consoleCustomers.refusals.closed')
  if (account.isStaff) throw new Refusal('customers.isStaff', 409, 'ownData.refusals.isStaff')
  return { account, orders }
}

export const customerNotFound = (): Refusal =>
  new Refusal('customers.notFound', 404, 'consoleCustomers.refusals.notFound')

/** Removes the person, whatever still runs. */
async function erase(
  trx: Trx,
  { shop, sources }: Omit<ClosingDeps, 'db'>,
  { account, orders }: Awaited<ReturnType<typeof lockForClosing>>,
  givesUpTickets: boolean,
): Promise<ClosingEffects> {
  const person = { userId: account.id, email: account.email, isConfirmed: account.isConfirmed }
  const tickets_given_up = givesUpTickets ? await giveUpTickets(trx, account.id) : 0
  const rows: Record<string, number> = {}
  const emailKeys: string[] = []
  for (const source of sources) {
    const erased = await source.erase?.(trx, person)
    if (erased) rows[source.name] = erased.rows
    emailKeys.push(...(erased?.emailKeys ?? []))
  }
  for (const source of sources.toReversed()) {
    const erased = await source.eraseLast?.(trx, person, emailKeys)
    if (erased) rows[source.name] = erased.rows
  }
  await enqueueEmail(trx, closedEmail(shop, account))
  const { all } = await customersRepository(trx).countTickets(account.id)
  const { account: sessions = 0, security_log: security_events = 0, emails = 0, messages = 0 } = rows
  return {
    sessions,
    security_events,
    emails,
    messages,
    // Of those that the customer's page shows.
    others: Object.fromEntries(
      sources.flatMap((source) => (source.read ? [[source.name, rows[source.name] ?? 0]] : [])),
    ),
    orders_kept: orders,
    tickets_given_up,
    tickets_kept: all - tickets_given_up,
  }
}

/**
 * Closes an account for ever and removes the person from all that stays (ADR 0047).
 * @throws Refusal 409 `account.stillRunning` with the blockers
 */
export async function closeAccount(
  trx: Trx,
  deps: Omit<ClosingDeps, 'db'>,
  closing: Closing,
): Promise<ClosingEffects> {
  const locked = await lockForClosing(trx, closing.userId)
  const blockers = await blockersOf(trx, closing.userId, closing.language)
  if (!mayClose(blockers, closing.giveUpTickets))
    throw new Refusal('account.stillRunning', 409, 'ownData.refusals.stillRunning', { body: { blockers } })
  return erase(trx, deps, locked, closing.giveUpTickets)
}

/** Rolls a rehearsal back. */
class Rehearsed extends Error {
  readonly preview: ClosingPreview
  constructor(preview: ClosingPreview) {
    super('rehearsed')
    this.preview = preview
  }
}

/** What `closeAccount` would do: it is done, and rolled back. */
export async function previewClosing(deps: ClosingDeps, closing: Closing): Promise<ClosingPreview> {
  try {
    return await transact(deps.db, async (trx) => {
      const locked = await lockForClosing(trx, closing.userId)
      const blockers = await blockersOf(trx, closing.userId, closing.language)
      const effects = await erase(trx, deps, locked, closing.giveUpTickets)
      throw new Rehearsed({ blockers, may_close: mayClose(blockers, closing.giveUpTickets), effects })
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.preview
    throw error
  }
}

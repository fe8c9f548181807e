import { loginKey } from '#features/accounts/server/index.ts'
import { type HoldCaps, accountCap } from '#features/purchase/orders/hold-caps.rules.ts'
import { ordersRepository } from '#features/purchase/orders/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import type { CustomerLimits } from '../customers.contract.ts'
import type { AccountStanding } from '../customers.rules.ts'
import { customersRepository } from './customers.repository.ts'

export interface AccountLimitsDeps {
  db: Database
  holdCaps: HoldCaps
  /** Failed logins. */
  login: Limit
}

/** What an account may still do, by the rules that its purchases and logins are held to. */
export async function accountLimits(
  { db, holdCaps, login }: AccountLimitsDeps,
  { id, state, isConfirmed }: { id: number; state: AccountStanding; isConfirmed: boolean },
  language: Language,
): Promise<CustomerLimits> {
  const [standing, [history], logins] = await Promise.all([
    customersRepository(db).standing(id),
    ordersRepository(db).histories([id]),
    login.used(loginKey(id)),
  ])
  return {
    cannot_buy: state === 'active' ? (standing?.exclusion ?? null) : state,
    holds: (standing?.holds ?? []).map((hold) => ({
      offer_id: hold.offer_id,
      title: textIn(hold.titles, language).text,
      tickets: hold.tickets,
      most: accountCap(holdCaps, hold),
    })),
    hold_most: { tickets: holdCaps.maxTickets, percent: holdCaps.maxPercent },
    unconfirmed_most: isConfirmed ? null : holdCaps.unconfirmedTickets,
    unpaid_minutes: { used: Math.floor(history?.unpaid_minutes ?? 0), most: holdCaps.unpaidMinutes },
    failed_logins: { used: logins.count, most: logins.most, wait_seconds: logins.waitSeconds },
  }
}

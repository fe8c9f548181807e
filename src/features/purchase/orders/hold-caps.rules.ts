/**
 * How many tickets may be held and not paid (docs/adr/0037-caps-on-holds.md). An account, a network and all accounts
 * that have never bought anything have a share of each contest; an account has a budget of minutes, too.
 */

/** Settings `HOLD_…`. */
export interface HoldCaps {
  maxTickets: number
  maxPercent: number
  networkPercent: number
  newcomersPercent: number
  /** Minutes that an account may hold tickets within a day without paying. */
  unpaidMinutes: number
  /** Tickets that an account holds at a time as long as its address is not confirmed. */
  unconfirmedTickets: number
}

/** Below these numbers the percentages of a small contest, or of its last tickets, do not apply. */
const AT_LEAST = { account: 10, network: 50, newcomers: 10 } as const

interface Contest {
  total_tickets: number
  tickets_sold: number
  tickets_held: number
  /** Kept for entries by post. */
  tickets_reserved?: number | undefined
}

/** Tickets that can be bought, held ones included. */
const unsold = ({
  total_tickets,
  tickets_sold,
  tickets_reserved = 0,
}: Omit<Contest, 'tickets_held'>): number => total_tickets - tickets_sold - tickets_reserved

const share = (tickets: number, percent: number): number => Math.floor((tickets * percent) / 100)

/** The most tickets of a contest that one account may hold at a time. */
export const accountCap = (caps: HoldCaps, { total_tickets }: Pick<Contest, 'total_tickets'>): number =>
  Math.max(AT_LEAST.account, Math.min(caps.maxTickets, share(total_tickets, caps.maxPercent)))

/** The most tickets of a contest that the accounts of one network may hold together. */
export const networkCap = (caps: HoldCaps, { total_tickets }: Pick<Contest, 'total_tickets'>): number =>
  Math.max(AT_LEAST.network, share(total_tickets, caps.networkPercent))

/** The most tickets of a contest that accounts without a completed order may hold together. */
export const newcomersCap = (caps: HoldCaps, contest: Omit<Contest, 'tickets_held'>): number =>
  Math.max(AT_LEAST.newcomers, share(unsold(contest), caps.newcomersPercent))

/** Held tickets of a contest, without those that the new order replaces. */
export interface HeldTickets {
  account: number
  network: number
  newcomers: number
}

/**
 * How many tickets of a contest a buyer may hold now.
 * @param contest its `tickets_held` without those that the new order replaces
 * @returns at most the free ones; 0 or more
 */
export function mayHold(caps: HoldCaps, contest: Contest, held: HeldTickets, isNewcomer: boolean): number {
  const free = unsold(contest) - contest.tickets_held
  return Math.max(
    0,
    Math.min(
      free,
      accountCap(caps, contest) - held.account,
      networkCap(caps, contest) - held.network,
      isNewcomer ? newcomersCap(caps, contest) - held.newcomers : Infinity,
    ),
  )
}

/** Whether an account has held tickets for so long without paying that it must wait. */
export const isOverBudget = (caps: HoldCaps, unpaidMinutes: number): boolean =>
  unpaidMinutes >= caps.unpaidMinutes

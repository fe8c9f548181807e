import type { Door } from './wire.ts'

/** Access token and cart id of a customer. */
export interface LoadCustomer {
  token: string
  cartId: number
}

/** Where buyers find the shop and the provider. */
interface Places {
  shop: Door
  emulator: Door
}

/** One run of buyers on one contest, again and again until the time is up. */
export interface Run extends Places {
  kind: 'run'
  /** What each buyer does again and again. */
  what: 'purchase' | 'hold'
  buyers: number
  seconds: number
  offerId: number
  quantity: number
  /** Buyers take them in turn. */
  customers: readonly LoadCustomer[]
}

/** What a run came to. Latencies are milliseconds. */
export interface Outcome {
  done: number
  seconds: number
  p50: number
  p99: number
  max: number
  /** How often each unexpected answer came, by status and code. */
  refused: Record<string, number>
}

/** As many buyers as customers, all at the same moment, for one ticket each. */
export interface StormRun extends Places {
  kind: 'storm'
  offerId: number
  /** The ticket is in the cart already. */
  fullCarts: boolean
  customers: readonly LoadCustomer[]
}

export interface StormOutcome {
  bought: number
  /** Answered so, at once or when they tried again after the storm. */
  soldOut: number
  /** Answered at first that payments in progress reserve the last tickets. */
  reserved: number
  failed: number
  seconds: number
  /** Until a buyer has the ticket, or the answer that there is none; milliseconds. */
  latencies: { p50: number; p99: number; max: number }
  /** Answers by call and status. */
  answers: Record<string, number>
  /** Codes and texts of answers other than 200. */
  texts: Record<string, number>
}

/** What the parent sends to the load process. */
export type Job = Run | StormRun
export type OutcomeOf<Given extends Job> = Given extends Run ? Outcome : StormOutcome

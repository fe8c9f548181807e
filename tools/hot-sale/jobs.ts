import type { Spread } from '../bench/spread.ts'
import type { Door } from './wire.ts'

export interface LoadCustomer {
  token: string
  cartId: number
}

interface Places {
  /** Processes of the shop, among which buyers are spread. */
  shops: readonly Door[]
  emulator: Door
}

/** One run of buyers on one contest, again and again until the time is up. */
export interface Run extends Places {
  kind: 'run'
  what: 'purchase' | 'hold'
  buyers: number
  seconds: number
  /** All buyers together begin no more purchases a second; as many as they can when left out. */
  perSecond?: number
  offerId: number
  quantity: number
  customers: readonly LoadCustomer[]
}

export interface Outcome extends Spread {
  done: number
  seconds: number
  /** Unexpected responses by status and code. */
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
  /** Told so, at once or when they tried again after the storm. */
  soldOut: number
  /** Told at first that payments in progress reserve the last tickets. */
  reserved: number
  failed: number
  seconds: number
  latencies: Spread
  /** Of single calls. */
  calls: Spread
  responses: Record<string, number>
  texts: Record<string, number>
}

export type Job = Run | StormRun
export type OutcomeOf<Given extends Job> = Given extends Run ? Outcome : StormOutcome

import type { FastifyBaseLogger } from 'fastify'
import type { Alerts } from '#features/alerts/server/index.ts'
import type { BeaconClient } from '#platform/beacon/beacon-client.ts'
import type { BeaconChain } from '#platform/beacon/chains.ts'
import type { Database } from '#platform/database.ts'
import type { LogKey } from './log-key.ts'
import type { ShopPolicy } from './register/policies.ts'
import type { StampAuthority } from './stamps/stamp-authority.ts'

/** Durations that new terms get, in seconds. */
export interface DrawDurations {
  objections: number
  sealMargin: number
  beaconPatience: number
  claim: number
  alternateDelay: number
  /** How long before a round staff cancel or void at the latest. */
  notice: number
  /** How many forfeitures the shop may decide. */
  alternatesDecided: number
}

export interface DrawsDeps {
  db: Database
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  alerts: Alerts
  /** The beacon of new terms. */
  beacon: BeaconClient
  /** A client of another chain, which older terms may name. */
  beaconOf: (chain: BeaconChain) => BeaconClient
  key: LogKey
  /** Who confirms the register, for new terms; null for nobody. */
  witnesses: ShopPolicy | null
  /** Who stamps terms and sealed lists, for new terms; null for nobody. */
  stamps: StampAuthority | null
  /** Of the shop's public address. */
  host: string
  durations: DrawDurations
  isDemo: boolean
  isStopping?: () => boolean
}

import type { LimitRule } from './limit-states.ts'
import { networkOf } from './network-address.ts'

/**
 * What a limit may count by: the account, the account's guesses at one contest, the network an address belongs to, an
 * account at one network, or everybody.
 */
export const LIMIT_SCOPES = ['place', 'contest', 'account', 'address', 'all'] as const
export type LimitScope = (typeof LIMIT_SCOPES)[number]
export type LimitRules = Readonly<Partial<Record<LimitScope, LimitRule>>>

/** Whom a count is for. A scope whose value is missing is not counted. */
export interface Who {
  account?: string | number
  /** Id of the account that is meant where `account` is one of its names: places are known to the holder by every name. */
  holder?: number | undefined
  /** IP address of the connection. */
  address?: string
  /** Id of the contest. */
  contest?: number
}

/** A count of somebody's, by a key in plain words. */
export interface LimitKey {
  scope: LimitScope
  rule: LimitRule
  key: string
}

/** The counts that a call belongs to. */
export function limitKeys(
  name: string,
  scoped: readonly { scope: LimitScope; rule: LimitRule }[],
  who: Who,
): LimitKey[] {
  const network = networkOfWho(who)
  const keys: LimitKey[] = []
  for (const { scope, rule } of scoped) {
    const id = idOf(scope, who, network)
    if (id !== undefined) keys.push({ scope, rule, key: `${name}:${scope}:${id}` })
  }
  return keys
}

/** The holder of an account at a network, or where there is none the name. */
export function placeOf(who: Who): string | undefined {
  const network = networkOfWho(who)
  if (network === undefined) return undefined
  if (who.holder !== undefined) return `holder:${who.holder} ${network}`
  return who.account === undefined ? undefined : `name:${network} ${who.account}`
}

function idOf(
  scope: LimitScope,
  { account, contest }: Who,
  network: string | undefined,
): string | number | undefined {
  switch (scope) {
    case 'all':
      return ''
    case 'account':
      return account
    case 'address':
      return network
    case 'place':
      return account === undefined || network === undefined ? undefined : `${network} ${account}`
    case 'contest':
      return account === undefined || contest === undefined ? undefined : `${contest} ${account}`
  }
}

/** The network of whoever it is; one at a time comes often in a row. */
let lastAddress = ''
let lastNetwork = ''
function networkOfWho({ address }: Who): string | undefined {
  if (address === undefined) return undefined
  if (address !== lastAddress) {
    lastAddress = address
    lastNetwork = networkOf(address)
  }
  return lastNetwork
}

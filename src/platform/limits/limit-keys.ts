import type { LimitRule } from './limit-states.ts'
import { type Network, networksOf } from './network-address.ts'

/** By account, network, in all, account and network, account and contest. */
export const LIMIT_SCOPES = ['account', 'address', 'all', 'accountAtAddress', 'accountAtContest'] as const
export type LimitScope = (typeof LIMIT_SCOPES)[number]
export type LimitRules = Readonly<Partial<Record<LimitScope, LimitRule>>>

export const STRENGTH_SCOPES = ['account', 'address', 'all'] as const
/** A named strength, such as `LIMIT_STRICT`. */
export type LimitStrength = Readonly<Record<(typeof STRENGTH_SCOPES)[number], LimitRule>>

/** A scope whose value is missing is not counted. */
export interface Who {
  account?: string | number
  /** Id of the account when `account` is one of its names; trust belongs to the id. */
  holder?: number | undefined
  address?: string
  contest?: number
}

/** The key is plain text. */
export interface LimitKey {
  scope: LimitScope
  rule: LimitRule
  key: string
}

/** An IPv6 address counts under several networks, the wider ones with a higher ceiling. */
export function limitKeys(
  name: string,
  scoped: readonly { scope: LimitScope; rule: LimitRule }[],
  who: Who,
): LimitKey[] {
  const networks = networksOfWho(who)
  const network = networks[0]?.name
  const keys: LimitKey[] = []
  for (const { scope, rule } of scoped) {
    if (scope === 'address') {
      for (const { name: at, factor } of networks)
        keys.push({
          scope,
          rule: factor === 1 ? rule : { ...rule, count: rule.count * factor },
          key: `${name}:${scope}:${at}`,
        })
      continue
    }
    const id = idOf(scope, who, network)
    if (id !== undefined) keys.push({ scope, rule, key: `${name}:${scope}:${id}` })
  }
  return keys
}

/** What is trusted: the account, or a name without an account, at its network. */
export function trustedPair(who: Who): string | undefined {
  const network = networksOfWho(who)[0]?.name
  if (network === undefined) return undefined
  if (who.holder !== undefined) return `holder:${who.holder} ${network}`
  return who.account === undefined ? undefined : `name:${network} ${who.account}`
}

function idOf(
  scope: Exclude<LimitScope, 'address'>,
  { account, contest }: Who,
  network: string | undefined,
): string | number | undefined {
  switch (scope) {
    case 'all':
      return ''
    case 'account':
      return account
    case 'accountAtAddress':
      return account === undefined || network === undefined ? undefined : `${network} ${account}`
    case 'accountAtContest':
      return account === undefined || contest === undefined ? undefined : `${contest} ${account}`
  }
}

// Successive calls often have the same address.
let lastAddress = ''
let lastNetworks: readonly Network[] = []
function networksOfWho({ address }: Who): readonly Network[] {
  if (address === undefined) return []
  if (address !== lastAddress) {
    lastAddress = address
    lastNetworks = networksOf(address)
  }
  return lastNetworks
}

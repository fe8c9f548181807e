import { type SecretKeys, keyedHash } from '#platform/keyed-hashes.ts'
import type { MessageKey } from '#i18n/keys.ts'
import type { Database, Trx } from '#platform/database.ts'
import { batchCalls } from '#platform/batcher.ts'
import type { PlatformLog } from '#platform/postgres/log.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { PROOF_CHALLENGE } from '#shared/proof-headers.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  type Attempt,
  type Bucket,
  type Granted,
  type LimitStates,
  type Reversal,
  type Wait,
  grant,
  reverse,
  waitOf,
} from './limit-states.ts'
import { type LimitRules, type LimitScope, type Who, limitKeys, trustedPair } from './limit-keys.ts'
import { limitStore, lockLimits } from './limit-store.ts'
import { PROOF_SECONDS, proofsOfWork, sentProof } from './proof-of-work.ts'
import { sharedCounts } from './shared-counts.ts'

export interface Taken {
  cancel(): Promise<void>
  /** Reverses the count, deletes earlier failures, and trusts this network for the account. */
  succeed(): Promise<void>
}

/** Every refusal is a 429 with Retry-After. */
export interface Limit {
  /**
   * Counts exactly over all processes. While only the count of all callers is full, a proof of work replaces it: the
   * refusal has a challenge, and a call with its solution is granted (ADR 0019). @throws Refusal 429
   */
  take(who: Who): Promise<Taken>
  /** Counts without waiting for the database (see `sharedCounts`). @throws Refusal 429 */
  hit(who: Who): void
  trust(who: Who): Promise<void>
  /** Refuses like `hit`, but does not count. */
  check(who: Who): void
  /** What an account has used of the count by account, over all processes, without counting. */
  used(account: string | number): Promise<UsedCount>
  /** For a transaction that holds a lock for each account. */
  ledger(trx: Trx, whom: readonly Who[]): Promise<Ledger>
}

export interface UsedCount {
  count: number
  most: number
  /** Seconds for which it is refused; 0 while it is not. */
  waitSeconds: number
}

export interface Ledger {
  check(who: Who): Refusal | undefined
  count(who: Who): void
  store(): Promise<void>
}

export interface LimiterOptions extends SecretKeys {
  db: Database
  factor: number
  log: PlatformLog
  onRefused?: (limit: string, who: Who) => void
}

export type Limiter = ReturnType<typeof limiter>

type Step = { attempt: Attempt } | { back: Reversal }

const TRUSTED_SECONDS = 30 * 86_400
/** How long a process remembers a refusal, to spare the database. */
const REMEMBERED_MS = 5_000
const REMEMBERED_MAX = 20_000
/** Pause after a database error, and between two log lines about it. */
const TROUBLE_MS = 5_000
const LOG_EVERY_MS = 60_000
const BOUNDS = { batch: 256, queue: 10_000 }

/** Limits over all processes of a shop (ADR 0019). */
export function limiter({ db, factor, log, onRefused, ...keys }: LimiterOptions) {
  // Of the present key alone: counts begin anew with another one (ADR 0105).
  const hash = keyedHash(keys.secret, 'volant limits', 'hex')
  const fingerprint = (key: string): string => hash(key).slice(0, 32)

  /** Counts of this process while the database does not respond. */
  const alone: LimitStates = new Map()
  let aloneUntil = 0
  let loggedAt = 0

  function trouble(error: unknown): void {
    const now = nowMs()
    aloneUntil = now + TROUBLE_MS
    if (now - loggedAt < LOG_EVERY_MS) return
    loggedAt = now
    log.error({ err: error }, 'the database does not count: limits hold for this process alone')
  }

  const proofs = proofsOfWork(keys)

  const counts = sharedCounts({ db, fingerprint, onTrouble: trouble })

  const decide = batchCalls<Step, Granted>(async (steps) => {
    const now = nowMs()
    if (now >= aloneUntil) {
      try {
        return await transact(db, (trx) => decideShared(trx, steps))
      } catch (error) {
        trouble(error)
      }
    }
    if (alone.size > REMEMBERED_MAX) alone.clear()
    return steps.map((step) => ({ value: apply(alone, step, now, new Set()) }))
  }, BOUNDS)

  /** End of each refusal, and when it is decided again, since another process may have reversed a count. */
  const refused = new Map<string, { over: number; asked: number } & Pick<Wait, 'isGlobal'>>()

  function remember(signature: string, { wait, ...refusal }: Wait): void {
    if (refused.size >= REMEMBERED_MAX) refused.clear()
    const now = nowMs()
    refused.set(signature, { ...refusal, over: now + wait, asked: now + Math.min(wait, REMEMBERED_MS) })
  }

  function remembered(signature: string): Wait | undefined {
    const entry = refused.get(signature)
    const now = nowMs()
    if (entry && entry.asked > now)
      return { wait: entry.over - now, ...(entry.isGlobal && { isGlobal: true }) }
    refused.delete(signature)
    return undefined
  }

  async function attempt(buckets: readonly Bucket[], trusted: string | undefined): Promise<Granted> {
    const signature = buckets.map(({ key }) => key).join()
    const still = remembered(signature)
    if (still) return still
    const granted = await decide({ attempt: { buckets, ...(trusted && { trusted }) } })
    if ('wait' in granted) remember(signature, granted)
    return granted
  }

  /** As `attempt`, with a proof of work in place of the buckets of all callers; undefined without an unused one. */
  async function attemptWithProof(
    buckets: readonly Bucket[],
    trusted: string | undefined,
  ): Promise<Granted | undefined> {
    const proof = await proofs.verified(sentProof())
    if (proof === undefined) return undefined
    // A solution counts once.
    const used = { key: fingerprint(`proof:${proof}`), rule: { count: 1, seconds: PROOF_SECONDS } }
    const own = buckets.filter(({ isGlobal }) => !isGlobal)
    const granted = await attempt([...own, { ...used, isGlobal: true }], trusted)
    if ('wait' in granted) return granted.isGlobal ? undefined : granted
    return { counted: granted.counted.filter((key) => key !== used.key) }
  }

  async function settle(
    buckets: readonly Bucket[],
    counted: readonly string[],
    trusted: string | undefined,
  ): Promise<void> {
    const forget = buckets.filter((one) => one.doubling).map((one) => one.key)
    const less = counted.filter((key) => !forget.includes(key))
    for (const key of refused.keys()) if (forget.some((one) => key.includes(one))) refused.delete(key)
    await decide({
      back: { less, forget, ...(trusted && { trust: { key: trusted, seconds: TRUSTED_SECONDS } }) },
    })
  }

  return {
    /** @param name part of keys and refusal codes @param message takes `minutes` and `seconds` */
    limit(name: string, rules: LimitRules, message: MessageKey): Limit {
      const scoped = Object.entries(rules).map(([scope, { count, seconds }]) => ({
        scope: scope as LimitScope,
        rule: { count: Math.ceil(count * factor), seconds },
      }))
      const keysOf = (who: Who) => limitKeys(name, scoped, who)
      const trustedKey = (who: Who): string | undefined => {
        const pair = rules.accountAtAddress && trustedPair(who)
        return pair === undefined ? undefined : fingerprint(`trusted:${name}:${pair}`)
      }
      const tooMany = (waitMs: number, who: Who, headers?: Record<string, string>): Refusal => {
        onRefused?.(name, who)
        const retryAfter = Math.ceil(waitMs / 1000)
        const minutes = retryAfter < 90 ? 0 : Math.ceil(retryAfter / 60)
        return new Refusal(`limit.${name}`, 429, message, {
          retryAfter,
          ...(headers && { headers }),
          values: { minutes, seconds: retryAfter },
        })
      }
      /** With a count by account and network, the other counts are for untrusted networks only. */
      const bucketsOf = (who: Who): Bucket[] =>
        keysOf(who).map(({ scope, rule, key }) => ({
          key: fingerprint(key),
          rule,
          doubling: scope === 'accountAtAddress',
          untrustedOnly: rules.accountAtAddress !== undefined && scope !== 'accountAtAddress',
          isGlobal: scope === 'all',
        }))
      const refuseFull = (keys: ReturnType<typeof keysOf>, who: Who): void => {
        let wait = 0
        for (const { key, rule } of keys) wait = Math.max(wait, counts.waitOf(key, rule))
        if (wait > 0) throw tooMany(wait, who)
      }

      return {
        check: (who) => refuseFull(keysOf(who), who),
        hit(who) {
          const keys = keysOf(who)
          refuseFull(keys, who)
          for (const { key, rule } of keys) counts.count(key, rule)
        },

        async take(who) {
          const buckets = bucketsOf(who)
          const trusted = trustedKey(who)
          let granted = await attempt(buckets, trusted)
          if ('wait' in granted && granted.isGlobal)
            granted = (await attemptWithProof(buckets, trusted)) ?? granted
          if ('wait' in granted)
            throw tooMany(
              granted.wait,
              who,
              granted.isGlobal && { [PROOF_CHALLENGE]: await proofs.challenge() },
            )
          const { counted } = granted
          // A trusted network was not counted in all buckets.
          return {
            cancel: async () => void (await decide({ back: { less: counted, forget: [] } })),
            succeed: () => settle(buckets, counted, trusted),
          }
        },

        trust: (who) => settle(bucketsOf(who), [], trustedKey(who)),

        async used(account) {
          const [one] = keysOf({ account }).filter(({ scope }) => scope === 'account')
          if (!one) return { count: 0, most: 0, waitSeconds: 0 }
          const key = fingerprint(one.key)
          const state = (await limitStore(db).load([key])).get(key)
          const waitSeconds = Math.ceil(waitOf(state, one, 0) / 1_000)
          return { count: state?.count ?? 0, most: one.rule.count, waitSeconds }
        },

        async ledger(trx, whom) {
          const own = ({ account, contest }: Who): Bucket[] =>
            keysOf({ ...(account !== undefined && { account }), ...(contest !== undefined && { contest }) })
              .filter(({ scope }) => scope !== 'all')
              .map(({ key, rule }) => ({ key: fingerprint(key), rule }))
          const keys = new Set(whom.flatMap(own).map((one) => one.key))
          const states = keys.size > 0 ? await limitStore(trx).load([...keys]) : new Map()
          const changed = new Set<string>()
          return {
            check(who) {
              const granted = grant(new Map(states), { buckets: own(who) }, 0, new Set())
              return 'wait' in granted ? tooMany(granted.wait, who) : undefined
            },
            count: (who) => void grant(states, { buckets: own(who) }, 0, changed),
            store: async () => {
              if (changed.size > 0) await limitStore(trx).write(changed, states)
            },
          }
        },
      }
    },

    close: (): Promise<void> => counts.close(),
  }
}

async function decideShared(trx: Trx, steps: readonly Step[]): Promise<{ value: Granted }[]> {
  await lockLimits(trx)
  const states = await limitStore(trx).load([...new Set(steps.flatMap(keysOfStep))])
  const changed = new Set<string>()
  const outcomes = steps.map((step) => ({ value: apply(states, step, 0, changed) }))
  if (changed.size > 0) await limitStore(trx).write(changed, states)
  return outcomes
}

function apply(states: LimitStates, step: Step, now: number, changed: Set<string>): Granted {
  if ('attempt' in step) return grant(states, step.attempt, now, changed)
  reverse(states, step.back, now, changed)
  return { counted: [] }
}

const keysOfStep = (step: Step): string[] =>
  'attempt' in step
    ? [...step.attempt.buckets.map((one) => one.key), ...(step.attempt.trusted ? [step.attempt.trusted] : [])]
    : [...step.back.less, ...step.back.forget]

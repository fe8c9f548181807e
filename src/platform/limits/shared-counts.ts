import { createHash } from 'node:crypto'
import type { Database } from '#platform/database.ts'
import { nowMs } from '#shared/clock.ts'
import { type LimitRule, waitOf } from './limit-states.ts'
import { limitStore } from './limit-store.ts'

export interface SharedCountsOptions {
  db: Database
  fingerprint: (key: string) => string
  onTrouble: (error: unknown) => void
}

interface Count {
  /** Of all processes, as far as known. */
  count: number
  until: number
  blocked: 0
  seconds: number
  unsent: number
}

/** Delay until other processes see a count. */
const FLUSH_AFTER_MS = 100
const RETRY_AFTER_MS = 5_000
const FLUSH_KEYS = 2_000
/** Expired keys are dropped so often. */
const TIDY_EVERY_MS = 60_000
/** Above this (some 5 MB), at once, and then stored ones. */
const KEPT_KEYS = 20_000

/** Hashes long names, which bounds the memory. */
const short = (key: string): string =>
  key.length <= 100 ? key : createHash('sha256').update(key).digest('hex')

/** Counts in memory and shares the counts later through the database: all processes together may exceed a limit. */
export function sharedCounts({ db, fingerprint, onTrouble }: SharedCountsOptions) {
  const counts = new Map<string, Count>()
  let unsent = new Set<string>()
  let tidiedAt = nowMs()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined

  async function flush(): Promise<void> {
    const keys = [...unsent].slice(0, FLUSH_KEYS)
    for (const key of keys) unsent.delete(key)
    const sent = keys.flatMap((key) => {
      const entry = counts.get(key)
      return entry ? [{ key, entry, stored: fingerprint(key), count: entry.unsent }] : []
    })
    try {
      const totals = await limitStore(db).add(
        sent.map(({ stored, count, entry }) => ({ key: stored, count, seconds: entry.seconds })),
      )
      const now = nowMs()
      for (const { entry, stored, count } of sent) {
        entry.unsent -= count
        const total = totals.get(stored)
        if (total) Object.assign(entry, { count: total.count + entry.unsent, until: now + total.until })
      }
      drop(now)
      if (unsent.size > 0) later(FLUSH_AFTER_MS)
    } catch (error) {
      for (const key of keys) unsent.add(key)
      onTrouble(error)
      later(RETRY_AFTER_MS)
    }
  }

  function later(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      flushing = flush().finally(() => {
        flushing = undefined
      })
    }, ms).unref()
  }

  function drop(now: number): void {
    if (counts.size <= KEPT_KEYS && now - tidiedAt < TIDY_EVERY_MS) return
    tidiedAt = now
    for (const [key, entry] of counts) if (entry.until <= now) counts.delete(key)
    if (counts.size <= KEPT_KEYS) return
    for (const [key, entry] of counts) if (entry.unsent === 0) counts.delete(key)
    unsent = new Set([...unsent].filter((key) => counts.has(key)))
  }

  return {
    waitOf: (key: string, rule: LimitRule): number => waitOf(counts.get(short(key)), { rule }, nowMs()),

    count(longKey: string, { seconds }: LimitRule): void {
      const key = short(longKey)
      const now = nowMs()
      const live = counts.get(key)
      if (live && live.until > now) {
        live.count += 1
        live.unsent += 1
      } else {
        counts.set(key, { count: 1, until: now + seconds * 1000, blocked: 0, seconds, unsent: 1 })
      }
      unsent.add(key)
      if (!flushing) later(FLUSH_AFTER_MS)
    },

    async close(): Promise<void> {
      clearTimeout(timer)
      await flushing
      clearTimeout(timer)
      if (unsent.size > 0) await flush()
      clearTimeout(timer)
    },
  }
}

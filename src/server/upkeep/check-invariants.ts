import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { AlarmBell } from '#features/alarms/server/index.ts'
import { providerLedger } from '#features/payments/server/index.ts'
import type { Database } from '#platform/database.ts'
import { invariantRuns } from '#platform/invariant-runs.ts'
import { type Breach, checkInvariants, compareBooks } from '#platform/invariants.ts'
import type { PaymentProvider } from '#platform/payment/payment-provider.ts'
import { nowMs } from '#shared/clock.ts'
import { readPromises } from './promises.ts'

/** Which one compares with the provider. */
const COMPARED = 'I5'
/** Orders it compares: those of the last hours, and of them the newest. All of them are compared once a day elsewhere. */
const RECENT = { hours: 3, most: 1_000 }
const PAUSE_MS = 2_000
/** Offending rows that an alarm tells. */
const ROWS_TOLD = 5

interface Upkeep {
  db: Database
  log: FastifyBaseLogger
  provider: PaymentProvider
  alerts: AlarmBell
}

/**
 * Background work: asks the database whether the shop's promises hold (db/invariants.sql), at most once in `minutes`
 * however many processes want to, and raises an alarm for each that does not; one that holds again ends its alarm.
 * @returns whether it was this process's turn
 */
export async function checkPromises(
  { db, log, provider, alerts }: Upkeep,
  minutes: number,
): Promise<boolean> {
  const runs = invariantRuns(db)
  return runs.alone(minutes, async () => {
    const begun = nowMs()
    const all = await readPromises()
    const breaches = await checkInvariants(
      db,
      all.filter(({ name }) => name !== COMPARED),
    )
    const unknown: string[] = []
    const compared = all.find(({ name }) => name === COMPARED)
    if (compared) {
      const pause = (): Promise<unknown> => sleep(PAUSE_MS)
      const found = await compareBooks(db, compared, () => providerLedger(db, provider, RECENT), pause).catch(
        (error: unknown) => {
          log.warn({ err: error }, 'the books could not be compared')
          unknown.push(COMPARED)
        },
      )
      if (found) breaches.push(found)
    }
    for (const { name } of all) {
      if (unknown.includes(name)) continue
      const breach = breaches.find((one) => one.name === name)
      if (breach) await alerts.raise(db, { kind: 'invariant', subject: name, details: told(breach) })
      else await alerts.clear(db, 'invariant', name)
    }
    const broken = breaches.map(({ name }) => name)
    const tookMs = nowMs() - begun
    await runs.note({ tookMs, broken, unknown })
    log[broken.length > 0 ? 'error' : 'info']({ broken, unknown, tookMs }, 'promises checked')
  })
}

const told = ({ title, rows, more }: Breach): Record<string, unknown> => ({
  title,
  rows: rows.slice(0, ROWS_TOLD),
  count: rows.length,
  more,
})

/** The job that has the terms and the sealed list of each draw stamped (docs/draw-v1.md, section 6). */
import { setTimeout as sleep } from 'node:timers/promises'
import { toBytes } from '#draw-protocol/bytes.ts'
import { parseAuthority } from '#draw-protocol/stamps.ts'
import type { ReadDatabase } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { fileText, storeFile } from '../draw-files.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import type { StampAuthority } from './stamp-authority.ts'
import { askStamp } from './stamp-client.ts'
import { type Unstamped, stampsRepository, stampsWrites } from './stamps.repository.ts'

type Deps = Pick<DrawsDeps, 'db' | 'log' | 'alerts' | 'stamps' | 'isStopping'>

interface Patience {
  /** For one response. */
  timeoutMs?: number
  /** For all of them, before the job ends its run; those that are slower go on beside the next. */
  runMs?: number
}

/** What was asked for in vain. */
interface Failure {
  tries: number
  nextMs: number
  fault: string
}

const MOST_AT_ONCE = 4
const MOST_PAUSE_SECONDS = 300
/** After so long a stamp is late. */
const LATE_SECONDS = 300

const keyOf = ({ id, name }: Unstamped): string => `${id} ${name}`

/**
 * Background job: asks the authority for the stamps that are missing; nobody waits for them. Any number of workers may run
 * it: the first stamp that is stored stays.
 */
export function stampAsking(
  deps: Deps,
  { timeoutMs = 10_000, runMs = 500 }: Patience = {},
): () => Promise<void> {
  const { db, log, stamps } = deps
  const running = new Map<string, Promise<void>>()
  const failures = new Map<string, Failure>()
  const note = (one: Unstamped, fault: string): void => {
    const tries = (failures.get(keyOf(one))?.tries ?? 0) + 1
    const again = Math.min(MOST_PAUSE_SECONDS, 2 ** Math.min(tries, 10))
    failures.set(keyOf(one), { tries, nextMs: nowMs() + again * 1000, fault })
    log.warn({ slug: one.slug, name: one.name, fault, again }, 'a time stamp was not given')
  }
  const isDue = (one: Unstamped): boolean =>
    !running.has(keyOf(one)) && nowMs() >= (failures.get(keyOf(one))?.nextMs ?? 0)

  return async () => {
    const missing = await stampsRepository(db).missing()
    for (const one of stamps ? missing.filter(isDue) : []) {
      if (running.size >= MOST_AT_ONCE || deps.isStopping?.()) break
      const asking = ask(deps, stamps!, one, timeoutMs)
        .then((fault) => (fault === null ? void failures.delete(keyOf(one)) : note(one, fault)))
        .catch((error: unknown) => note(one, String(error)))
        .finally(() => running.delete(keyOf(one)))
      running.set(keyOf(one), asking)
    }
    const all = Promise.all(running.values())
    await (runMs === Infinity ? all : Promise.race([all, sleep(runMs)]))
    await settle(deps, failures)
  }
}

/** @returns why it was not stored; null when there is one now */
async function ask(
  { db, log }: Deps,
  { url }: StampAuthority,
  { id, slug, name, hash }: Unstamped,
  timeoutMs: number,
): Promise<string | null> {
  const certificates = parseAuthority(toBytes(await fileText(db, id, 'authority.pem')))
  const response = await askStamp(url, { hash, certificates }, timeoutMs)
  if (response.kind === 'failed') return response.fault
  const { stamp, bytes } = response
  await transact(db, async (trx) => {
    if (await stampsWrites(trx).insert(id, name, stamp.time)) await storeFile(trx, id, name, bytes)
  })
  log.info({ slug, name }, 'a time stamp is stored')
  return null
}

/** Every process finds the same; what the authority said, only those that asked it. */
async function settle({ db, alerts, stamps }: Deps, failures: ReadonlyMap<string, Failure>): Promise<void> {
  const late = Map.groupBy(await lateStamps(db), ({ slug }) => slug)
  await alerts.settle(
    db,
    'stampsMissing',
    [...late].map(([subject, ofContest]) => {
      const said = ofContest.flatMap((one) => failures.get(keyOf(one))?.fault ?? [])
      const reason = stamps ? said.join('; ') : 'STAMP_URL is not set'
      return { subject, details: { since: ofContest[0]!.since.toISOString(), reason } }
    }),
  )
}

const lateStamps = async (db: ReadDatabase): Promise<Unstamped[]> =>
  (await stampsRepository(db).missing()).filter(({ seconds }) => seconds >= LATE_SECONDS)

/** Contests that lack a stamp for minutes, for the doctor. */
export const contestsWithoutStamps = async (db: ReadDatabase): Promise<string[]> => [
  ...new Set((await lateStamps(db)).map(({ slug }) => slug)),
]

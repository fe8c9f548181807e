/** The job that has the terms and the sealed list of each draw stamped (docs/draw-v1.md, section 6). */
import { toBytes } from '#draw-protocol/bytes.ts'
import { parseAuthority } from '#draw-protocol/stamps.ts'
import type { ReadDatabase } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { fileText, storeFile } from '../draw-files.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { type Patience, pauseAfter, questionsUnderWay } from '../questions.ts'
import type { StampAuthority } from './stamp-authority.ts'
import { askStamp } from './stamp-client.ts'
import { type Unstamped, stampsRepository, stampsWrites } from './stamps.repository.ts'

type Deps = Pick<DrawsDeps, 'db' | 'log' | 'alerts' | 'stamps' | 'isStopping'>

/** What was asked for in vain. */
interface Failure {
  tries: number
  nextMs: number
  fault: string
}

const MOST_AT_ONCE = 4
const LATE_SECONDS = 300

const isLate = ({ seconds }: Unstamped): boolean => seconds >= LATE_SECONDS
const keyOf = ({ id, name }: Unstamped): string => `${id} ${name}`

/**
 * Background job: asks the authority for the stamps that are missing; nobody waits for them. Any number of workers may run
 * it: the first stamp that is stored stays.
 */
export function stampAsking(deps: Deps, patience: Patience = {}): () => Promise<void> {
  const { db, log, stamps } = deps
  const questions = questionsUnderWay(deps, patience, MOST_AT_ONCE)
  const failures = new Map<string, Failure>()
  /** Since a run has asked what is missing. */
  const stored = new Set<string>()
  const note = (one: Unstamped, fault: string): void => {
    const tries = (failures.get(keyOf(one))?.tries ?? 0) + 1
    const again = pauseAfter(tries)
    failures.set(keyOf(one), { tries, nextMs: nowMs() + again * 1000, fault })
    log.warn({ slug: one.slug, name: one.name, fault, again }, 'a time stamp was not given')
  }

  return async () => {
    stored.clear()
    const missing = await stampsRepository(db).missing()
    for (const one of stamps ? missing : []) {
      const key = keyOf(one)
      if (nowMs() < (failures.get(key)?.nextMs ?? 0)) continue
      questions.begin(key, async (timeoutMs) => {
        const fault = await ask(deps, stamps!, one, timeoutMs).catch(String)
        if (fault !== null) return note(one, fault)
        failures.delete(key)
        stored.add(key)
      })
    }
    await questions.ended()
    const late = missing.filter((one) => isLate(one) && !stored.has(keyOf(one)))
    await settle(deps, late, failures)
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
async function settle(
  { db, alerts, stamps }: Deps,
  late: readonly Unstamped[],
  failures: ReadonlyMap<string, Failure>,
): Promise<void> {
  await alerts.settle(
    db,
    'stampsMissing',
    [...Map.groupBy(late, ({ slug }) => slug)].map(([subject, ofContest]) => {
      const said = ofContest.flatMap((one) => failures.get(keyOf(one))?.fault ?? [])
      const reason = stamps ? said.join('; ') : 'STAMP_URL is not set'
      return { subject, details: { since: ofContest[0]!.since.toISOString(), reason } }
    }),
  )
}

/** Contests that lack a stamp for minutes, for the doctor. */
export async function contestsWithoutStamps(db: ReadDatabase): Promise<string[]> {
  const late = (await stampsRepository(db).missing()).filter(isLate)
  return [...new Set(late.map(({ slug }) => slug))]
}

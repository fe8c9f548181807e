import { hostname } from 'node:os'
import type { AlertKind } from '#features/alerts/alerts.rules.ts'
import type { Alerts, StoredFinding } from '#features/alerts/server/index.ts'
import type { CheckName } from '#features/system/system.contract.ts'
import type { Database } from '#platform/database.ts'
import { nowMs } from '#shared/clock.ts'
import { examine, sentenceOf } from './doctor/doctor.ts'
import type { Check, FindingState } from './doctor/findings.ts'

const MINUTE = 60_000

interface Watched {
  kind: AlertKind
  /** From a finding to the next one, while nothing is wrong. */
  everyMs: number
  /** Which findings raise the alert. */
  raises: readonly FindingState[]
  /** Whether each process looks, since what it looks at is its own machine's; otherwise workers alone. */
  isOwn?: true
}

const FAULT: readonly FindingState[] = ['fault']
const WARNING: readonly FindingState[] = ['fault', 'warning']

/** Checks of the doctor that an alert stands for. */
export const WATCHED: Partial<Record<CheckName, Watched>> = {
  dataDir: { kind: 'diskLow', everyMs: MINUTE, raises: WARNING, isOwn: true },
  databaseDisk: { kind: 'diskLow', everyMs: MINUTE, raises: WARNING },
  standby: { kind: 'databaseDegraded', everyMs: MINUTE, raises: WARNING },
  readReplica: { kind: 'databaseDegraded', everyMs: MINUTE, raises: WARNING },
  pooler: { kind: 'databaseDegraded', everyMs: 5 * MINUTE, raises: FAULT, isOwn: true },
  connections: { kind: 'databaseDegraded', everyMs: MINUTE, raises: FAULT },
  clock: { kind: 'clockSkew', everyMs: 2 * MINUTE, raises: WARNING, isOwn: true },
  provider: { kind: 'providerDown', everyMs: 2 * MINUTE, raises: FAULT },
  mailServer: { kind: 'mailDown', everyMs: 2 * MINUTE, raises: FAULT },
  logKey: { kind: 'logKeyWrong', everyMs: 10 * MINUTE, raises: FAULT, isOwn: true },
  backup: { kind: 'backupOld', everyMs: 10 * MINUTE, raises: WARNING },
}

const KINDS = [...new Set(Object.values(WATCHED).map(({ kind }) => kind))]

/** A finding that comes once may be a restart of the partner. */
const TIMES = 2
/** A machine that is gone says nothing of its faults any more. */
const UNSEEN_MINUTES = 30

/** Where an alert of this kind is seen from. */
export const seenFrom = (check: CheckName, host = hostname()): string => `${host}/${check}`

export interface SurroundingsOptions {
  db: Database
  alerts: Alerts
  /** Made anew for each round, since some checks share what they ask. */
  checks: () => Record<CheckName, Check>
  isWorker: boolean
  now?: () => number
}

/**
 * Looks at the surroundings of a process by the checks of the doctor, and raises an alert for what is at fault twice in a
 * row. Each machine has alerts of its own, so that processes which see different things do not contradict each other.
 */
export function watchSurroundings({ db, alerts, checks, isWorker, now = nowMs }: SurroundingsOptions) {
  const seen = new Map<CheckName, { at: number; times: number }>()
  const mine = (Object.keys(WATCHED) as CheckName[]).filter((name) => isWorker || WATCHED[name]?.isOwn)

  return async (): Promise<void> => {
    const due = mine.filter((name) => {
      const last = seen.get(name)
      return !last || last.times > 0 || now() - last.at >= WATCHED[name]!.everyMs
    })
    const all = checks()
    const findings = await examine(Object.fromEntries(due.map((name) => [name, all[name]])))
    for (const { check, state, says, values = {} } of findings) {
      const { kind, raises } = WATCHED[check]!
      const times = raises.includes(state) ? (seen.get(check)?.times ?? 0) + 1 : 0
      seen.set(check, { at: now(), times })
      const subject = seenFrom(check)
      const finding: StoredFinding = { key: sentenceOf(check, says), values }
      if (times >= TIMES) await alerts.raise(db, { kind, subject, details: { finding } })
      else if (times === 0 && says !== 'noDatabase') await alerts.clear(db, kind, subject)
    }
    if (isWorker) for (const kind of KINDS) await alerts.clearUnseen(db, kind, UNSEEN_MINUTES)
  }
}

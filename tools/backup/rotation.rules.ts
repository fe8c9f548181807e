export interface Keep {
  days: number
  weeks: number
  months: number
}

export interface Dated {
  name: string
  at: Date
}

const DAY_MS = 24 * 3_600_000

/** Of UTC; a week begins on Monday. */
const PERIODS: Record<keyof Keep, (at: Date) => string> = {
  days: (at) => at.toISOString().slice(0, 10),
  weeks: (at) => String(Math.floor((Math.floor(at.getTime() / DAY_MS) + 3) / 7)),
  months: (at) => at.toISOString().slice(0, 7),
}

/** Whoever finds a loss makes a backup first, which must not take the place of the one from before. */
const UNTOUCHED_MS = 2 * DAY_MS

/**
 * The names of the backups that go: of each of the last days, weeks and months that have a backup the newest one stays, and
 * all of the last two days. A clock that was wrong once makes none of them go: what is of the future stays.
 */
export function superfluous(backups: readonly Dated[], keep: Keep, now: Date): string[] {
  const newestFirst = backups.toSorted((one, other) => other.at.getTime() - one.at.getTime())
  const kept = new Set(newestFirst.filter(({ at }) => now.getTime() - at.getTime() <= UNTOUCHED_MS))
  for (const [kind, periodOf] of Object.entries(PERIODS) as [keyof Keep, (at: Date) => string][]) {
    const periods = new Set<string>()
    for (const backup of newestFirst) {
      const period = periodOf(backup.at)
      if (periods.has(period)) continue
      if (periods.size === keep[kind]) break
      periods.add(period)
      kept.add(backup)
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup)).map(({ name }) => name)
}

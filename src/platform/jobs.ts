import type { Database } from './database.ts'

export const [SECOND, MINUTE] = [1_000, 60_000]

/** A background job. Any number of processes may run it at the same time. */
export type Job<Deps> = {
  /** In milliseconds. A job is missing when its last run ended five times as long ago, and five minutes at least. */
  everyMs: number
  /** Before its first run. */
  afterMs?: number
} & (
  | { run: (deps: Deps) => Promise<unknown> }
  /** Makes the run of a process, for a job that remembers something from one to the next. */
  | { make: (deps: Deps) => () => Promise<unknown> }
)

/** Jobs by their names, which the database and metrics have. @template Deps what they are given; by default each says it itself */
export type Jobs<Deps = never> = Readonly<Record<string, Job<Deps>>>

/**
 * What nothing needs any more, by its name in the report: the job that erases personal data past its retention period
 * deletes it, at most so many rows at a time.
 */
export type Leftovers = Readonly<Record<string, (db: Database, limit: number) => Promise<number>>>

/** Repeats a step until it finds less than it may. @returns how much it found */
export async function untilDone(limit: number, step: (limit: number) => Promise<number>): Promise<number> {
  for (let sum = 0; ;) {
    const done = await step(limit)
    sum += done
    if (done < limit) return sum
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Gauge } from 'prom-client'
import { accountsJobs } from '#features/accounts/server/index.ts'
import { type Alerts, alertsJobs } from '#features/alerts/server/index.ts'
import { drawsJobs } from '#features/draws/server/index.ts'
import { emailsJobs } from '#features/emails/server/index.ts'
import { favouritesJobs } from '#features/favourites/server/index.ts'
import { offersJobs } from '#features/offers/server/index.ts'
import { picturesJobs } from '#features/pictures/server/index.ts'
import { postalJobs } from '#features/postal/server/index.ts'
import { ordersJobs } from '#features/purchase/orders/server/index.ts'
import { paymentsJobs } from '#features/purchase/payments/server/index.ts'
import { reportsJobs } from '#features/reports/server/index.ts'
import { staffJobs } from '#features/staff/server/index.ts'
import type { Database, Sql } from '#platform/database.ts'
import { type Job, MINUTE, SECOND } from '#platform/jobs.ts'
import type { Metrics } from '#platform/metrics.ts'
import { nowMs } from '#shared/clock.ts'
import { secondsSinceRuns, storeRun } from './jobs.repository.ts'
import { maintenanceJobs } from './maintenance.ts'

const COLLECTED = {
  ...ordersJobs,
  ...offersJobs,
  ...drawsJobs,
  ...paymentsJobs,
  ...emailsJobs,
  ...favouritesJobs,
  ...accountsJobs,
  ...picturesJobs,
  ...maintenanceJobs,
  ...alertsJobs,
  ...postalJobs,
  ...staffJobs,
  ...reportsJobs,
}
export type JobName = keyof typeof COLLECTED

/** What all of them need. */
type WorkerDeps = (typeof COLLECTED)[JobName] extends Job<infer Deps> ? Deps : never

/** The background jobs of a shop, which slices declare in `server/jobs.ts`. */
export const JOBS: Readonly<Record<JobName, Job<WorkerDeps>>> = COLLECTED

/** What a worker repeats. */
export function jobTasks(deps: WorkerDeps): PeriodicTask[] {
  const ended = jobRuns(deps.db)
  return Object.entries(JOBS).map(([name, job]) => {
    const run = 'make' in job ? job.make(deps) : () => job.run(deps)
    const andNote = async (): Promise<void> => {
      await run()
      await ended(name)
    }
    return { ...job, name, run: andNote }
  })
}

/** A job is missing when its last run ended so long ago, or five of its intervals. */
const MISSING_AFTER_MS = 5 * MINUTE
const missingAfterMs = (name: JobName): number => Math.max(MISSING_AFTER_MS, 5 * JOBS[name].everyMs)

/** A run is stored at most this often. */
const STORE_EVERY_MS = 10 * SECOND

/** Makes the function that stores when a job last ended well, for all processes to see. */
export function jobRuns(db: Database): (job: string) => Promise<void> {
  const stored = new Map<string, number>()
  return async (job) => {
    if (nowMs() - (stored.get(job) ?? -Infinity) < STORE_EVERY_MS) return
    stored.set(job, nowMs())
    await storeRun(db, job)
  }
}

export interface JobAge {
  job: JobName
  /** Since the last run that ended well, by the database's clock; null when none ever did. */
  seconds: number | null
  isMissing: boolean
}

export async function jobAges(db: Sql): Promise<JobAge[]> {
  const ages = await secondsSinceRuns(db)
  return (Object.keys(JOBS) as JobName[]).map((job) => {
    const seconds = ages.get(job) ?? null
    return { job, seconds, isMissing: seconds === null || seconds * 1_000 > missingAfterMs(job) }
  })
}

/** Read from the database, so that a web process shows that no worker runs. */
export function measureJobs(metrics: Metrics, db: Database): void {
  const gauge = (name: string, help: string, valueOf: (age: JobAge) => number | null) =>
    new Gauge({
      name: `volant_${name}`,
      help,
      labelNames: ['task'],
      registers: [metrics.registry],
      async collect() {
        for (const age of await jobAges(db)) {
          const value = valueOf(age)
          if (value !== null) this.set({ task: age.job }, value)
        }
      },
    })
  const ages = 'Seconds since the last run of each background job that ended well, in any process'
  gauge('job_age_seconds', ages, ({ seconds }) => seconds)
  const missing = '1 for each background job that no process has run for far too long, or ever'
  gauge('job_missing', missing, ({ isMissing }) => (isMissing ? 1 : 0))
}

/** Some job ends every few seconds while a worker runs. */
const WORKER_SECONDS = 120

/** Seconds since any job ended; undefined while a worker runs. */
export function workerMissing(ages: readonly JobAge[]): number | null | undefined {
  const known = ages.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]))
  if (known.length === 0) return null
  const newest = Math.min(...known)
  return newest > WORKER_SECONDS ? newest : undefined
}

/**
 * Raises an alert while no worker runs, or one for each job that is missing. Web processes run it, because a missing worker
 * reports nothing.
 * @param deliver sends waiting alerts and emails, which are jobs of the missing worker
 */
export async function watchJobs(
  db: Database,
  alerts: Alerts,
  deliver: () => Promise<unknown>,
): Promise<void> {
  const ages = await jobAges(db)
  const seconds = workerMissing(ages)
  const isAway = seconds !== undefined
  await alerts.settle(db, 'workerMissing', isAway ? [{ subject: '', details: { seconds } }] : [])
  const missing = isAway ? [] : ages.filter(({ isMissing }) => isMissing)
  const matters = missing.map(({ job, seconds: age }) => ({ subject: job, details: { seconds: age } }))
  await alerts.settle(db, 'jobMissing', matters)
  if (isAway || missing.length > 0) await deliver()
}

export interface PeriodicTask {
  name: string
  everyMs: number
  afterMs?: number
  run: () => Promise<unknown>
}

/** Repeats tasks without overlap; logs failures. @returns function that stops them and waits for running ones */
export function startPeriodic(
  tasks: readonly PeriodicTask[],
  log: FastifyBaseLogger,
  ended: (task: string, outcome: 'done' | 'failed') => void = () => {},
): () => Promise<void> {
  const stopping = new AbortController()
  const pause = (ms: number): Promise<unknown> =>
    sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined)

  const loops = tasks.map(async (task) => {
    if (task.afterMs) await pause(task.afterMs)
    while (!stopping.signal.aborted) {
      try {
        await task.run()
        ended(task.name, 'done')
      } catch (error) {
        ended(task.name, 'failed')
        log.error({ err: error, task: task.name }, 'background work failed, will be tried again')
      }
      await pause(task.everyMs)
    }
  })

  return async () => {
    stopping.abort()
    await Promise.all(loops)
  }
}

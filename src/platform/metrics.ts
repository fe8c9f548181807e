import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { BatchMeter, BatchQueue } from './batcher.ts'

/** Seconds of answers, here and at the provider. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128]

/** How many connections of a pool exist, are idle, and how many callers wait for one. */
interface PoolState {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/** What came of a hold. */
type HoldOutcome = 'held' | 'refused'
/** What came of a call to the provider: an answer, a definite no, or silence. */
type ProviderOutcome = 'ok' | 'refused' | 'unknown'

export type Metrics = ReturnType<typeof createMetrics>

/**
 * The figures of one process, for Prometheus. Counting is arithmetic in memory; whatever must be looked up is looked up
 * when somebody reads.
 * @param process whether figures of the process itself belong to it: memory, event loop, garbage collection
 */
export function createMetrics({ process = false } = {}) {
  const registry = new Registry()
  const registers = [registry]
  if (process) collectDefaultMetrics({ register: registry })

  const http = new Histogram({
    name: 'volant_http_request_seconds',
    help: 'Answers by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  const shed = new Counter({
    name: 'volant_http_shed_total',
    help: 'Requests turned away because the process was overloaded',
    labelNames: ['kind'],
    registers,
  })
  const limited = new Counter({
    name: 'volant_limited_total',
    help: 'Answers 429 by the limit that gave them',
    labelNames: ['limit'],
    registers,
  })
  const holds = new Counter({
    name: 'volant_holds_total',
    help: 'Carts that asked for their tickets to be held, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const settlements = new Counter({
    name: 'volant_settlements_total',
    help: 'Paid orders whose holds became tickets',
    registers,
  })
  const provider = new Histogram({
    name: 'volant_provider_seconds',
    help: 'Calls to the payment provider by call and outcome',
    labelNames: ['call', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const batches = new Histogram({
    name: 'volant_batch_size',
    help: 'Items that went to the database together, by kind of batch',
    labelNames: ['batch'],
    buckets: BATCHES,
    registers,
  })
  const jobs = new Counter({
    name: 'volant_jobs_total',
    help: 'Runs of background work by task and outcome',
    labelNames: ['task', 'outcome'],
    registers,
  })

  const queues = new Map<string, (() => BatchQueue)[]>()
  const readQueues = (gauge: Gauge<'batch'>, pick: (all: BatchQueue[]) => number): void => {
    for (const [batch, reads] of queues) gauge.set({ batch }, pick(reads.map((read) => read())))
  }
  new Gauge({
    name: 'volant_batch_waiting',
    help: 'Items that wait for the next batch, by kind of batch',
    labelNames: ['batch'],
    registers,
    collect() {
      readQueues(this, (all) => all.reduce((sum, { waiting }) => sum + waiting, 0))
    },
  })
  new Gauge({
    name: 'volant_batch_oldest_seconds',
    help: 'How long the oldest waiting item has waited, by kind of batch',
    labelNames: ['batch'],
    registers,
    collect() {
      readQueues(this, (all) => Math.max(...all.map(({ oldestMs }) => oldestMs)) / 1000)
    },
  })

  return {
    registry,
    http: (method: string, route: string, status: number, seconds: number): void =>
      http.observe({ method, route, status }, seconds),
    shed: (kind: string): void => shed.inc({ kind }),
    limited: (limit: string): void => limited.inc({ limit }),
    hold: (outcome: HoldOutcome): void => holds.inc({ outcome }),
    settled: (): void => settlements.inc(),
    provider: (call: string, outcome: ProviderOutcome, seconds: number): void =>
      provider.observe({ call, outcome }, seconds),
    job: (task: string, outcome: 'done' | 'failed'): void => jobs.inc({ task, outcome }),

    /** The meter of a batcher; batchers of one name are counted together. */
    batch: (batch: string): BatchMeter => ({
      watch: (read) => void queues.set(batch, [...(queues.get(batch) ?? []), read]),
      batch: (size) => batches.observe({ batch }, size),
    }),

    /** Shows the use of a pool of database connections. */
    watchPool(pool: PoolState): void {
      new Gauge({
        name: 'volant_database_connections',
        help: 'Connections of the pool by state; waiting counts callers without one',
        labelNames: ['state'],
        registers,
        collect() {
          this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
          this.set({ state: 'idle' }, pool.idleCount)
          this.set({ state: 'waiting' }, pool.waitingCount)
        },
      })
    },
  }
}

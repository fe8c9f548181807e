import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { BatchMeter, BatchQueue } from './batcher.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128]

interface PoolState {
  totalCount: number
  idleCount: number
  waitingCount: number
}

interface WaitingFigures {
  open: number
  waiting: number
  seconds: number
}

/** `unknown`: no response, or one that leaves the outcome open. */
type ProviderOutcome = 'ok' | 'refused' | 'unknown'

export type Metrics = ReturnType<typeof createMetrics>

/** Prometheus metrics of one process. @param process adds memory, event loop and garbage collection */
export function createMetrics({ process = false } = {}) {
  const registry = new Registry()
  const registers = [registry]
  if (process) collectDefaultMetrics({ register: registry })

  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `volant_${name}`, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ) => new Histogram({ name: `volant_${name}`, help, labelNames, buckets, registers })

  const responses = 'Answers by method, route and status'
  const http = histogram('http_request_seconds', responses, SECONDS, 'method', 'route', 'status')
  const shed = counter('http_shed_total', 'Requests turned away because the process was overloaded', 'kind')
  const limited = counter('limited_total', 'Answers 429 by the limit that gave them', 'limit')
  const carts = 'Carts that asked for their tickets to be held, by outcome'
  const holds = counter('holds_total', carts, 'outcome')
  const settlements = counter('settlements_total', 'Paid orders whose holds became tickets')
  const calls = 'Calls to the payment provider by call and outcome'
  const provider = histogram('provider_seconds', calls, SECONDS, 'call', 'outcome')
  const items = 'Items that went to the database together, by kind of batch'
  const batches = histogram('batch_size', items, BATCHES, 'batch')
  const jobs = counter('jobs_total', 'Runs of background work by task and outcome', 'task', 'outcome')

  const servers =
    'Statements of lists, reports and public pages by the server that answered, where there is a read replica'
  const reads = counter('reads_total', servers, 'server')

  const queues = new Map<string, (() => BatchQueue)[]>()
  const queueGauge = (name: string, help: string, pick: (all: BatchQueue[]) => number) =>
    new Gauge({
      name: `volant_${name}`,
      help,
      labelNames: ['batch'],
      registers,
      collect() {
        for (const [batch, reads] of queues) this.set({ batch }, pick(reads.map((read) => read())))
      },
    })
  const waiting = 'Items that wait for the next batch, by kind of batch'
  queueGauge('batch_waiting', waiting, (all) => all.reduce((sum, one) => sum + one.waiting, 0))
  const oldest = 'How long the oldest waiting item has waited, by kind of batch'
  queueGauge('batch_oldest_seconds', oldest, (all) => Math.max(...all.map(({ oldestMs }) => oldestMs)) / 1000)

  const lines: (() => WaitingFigures)[] = []
  const lineGauge = (figure: keyof WaitingFigures, help: string) =>
    new Gauge({
      name: `volant_waiting_room_${figure}`,
      help,
      registers,
      collect() {
        this.set(Math.max(0, ...lines.map((read) => read()[figure])))
      },
    })
  lineGauge('open', 'Contests with a waiting room')
  lineGauge('waiting', 'Buyers who wait to enter')
  lineGauge('seconds', 'How long the last of them waits at the present rate')

  return {
    registry,
    http: (method: string, route: string, status: number, seconds: number): void =>
      http.observe({ method, route, status }, seconds),
    shed: (kind: string): void => shed.inc({ kind }),
    limited: (limit: string): void => limited.inc({ limit }),
    hold: (outcome: 'held' | 'refused'): void => holds.inc({ outcome }),
    settled: (): void => settlements.inc(),
    provider: (call: string, outcome: ProviderOutcome, seconds: number): void =>
      provider.observe({ call, outcome }, seconds),
    job: (task: string, outcome: 'done' | 'failed'): void => jobs.inc({ task, outcome }),

    read: (server: 'primary' | 'replica'): void => reads.inc({ server }),

    /** Batchers of one name are counted together. */
    batch: (batch: string): BatchMeter => ({
      watch: (read) => void queues.set(batch, [...(queues.get(batch) ?? []), read]),
      batch: (size) => batches.observe({ batch }, size),
    }),

    watchReplica(view: () => { state: string; behind?: number }): void {
      new Gauge({
        name: 'volant_replica_behind_seconds',
        help: 'By how much the data of the read replica are older than those of the primary; absent when unknown',
        registers,
        collect() {
          const { behind } = view()
          if (behind === undefined) this.remove()
          else this.set(behind / 1_000)
        },
      })
      new Gauge({
        name: 'volant_replica_in_use',
        help: '1 while lists, reports and public pages are read from the read replica',
        registers,
        collect() {
          this.set(Number(view().state === 'follows'))
        },
      })
    },

    /** Lines in front of contests, as this process last saw them: all processes see the same. */
    watchWaitingRooms: (read: () => WaitingFigures): void => void lines.push(read),

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

import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import Tinypool from 'tinypool'
import { Refusal } from '#shared/refusal.ts'
import { ShortCache } from '#shared/short-cache.ts'
import type { DocumentTask } from './document-worker.ts'
import { OWN_FLAGS } from '../own-flags.ts'

/** Two at least: a file of hundreds of pages must not stop the others. */
const THREADS = Math.min(4, Math.max(2, availableParallelism() - 1))
/** A thread without work ends after this time. */
const IDLE_MS = 20_000
/** Of each thread, for objects that were just made. */
const YOUNG_MB = 6
/** Of each thread, for all others. Without a bound a thread collects its garbage late where a machine has much memory. */
const OLD_MB = 512
/** Documents that wait; more are refused. */
const WAITING_MAX = 500
const RETRY_SECONDS = 5

/** At most 16 MB. */
const CACHE = { ttlMs: 300_000, capacity: 64 }
const CACHED_MAX_BYTES = 256 * 1024

let pool: Tinypool | undefined
const documents = new ShortCache<Buffer>(CACHE)
/** The last document of each owner that is made or waits. */
const turns = new Map<string, Promise<unknown>>()
let waiting = 0

/**
 * Makes a function that draws documents in worker threads, those of one owner one after the other, and keeps small ones
 * for some minutes (ADR 0113).
 * @param module exports the function `name`, whose arguments can be cloned and decide every byte of its document
 */
export const inThread =
  <Draw extends (...args: never[]) => Promise<Buffer>>(module: URL, name: string) =>
  /** @throws Refusal 503 when too many documents wait */
  async (owner: string, ...args: Parameters<Draw>): Promise<Buffer> => {
    const task: DocumentTask = { module: module.href, name, args }
    const key = createHash('sha256').update(JSON.stringify(task)).digest('base64')
    return await documents.get(
      key,
      () => afterOthersOf(owner, task),
      ({ length }) => length <= CACHED_MAX_BYTES,
    )
  }

async function afterOthersOf(owner: string, task: DocumentTask): Promise<Buffer> {
  if (waiting >= WAITING_MAX)
    throw new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: RETRY_SECONDS })
  waiting += 1
  const before = turns.get(owner)
  const making = (before ?? Promise.resolve()).then(() => run(task))
  // A document that failed does not stop the next one.
  const ended = making.then(
    () => undefined,
    () => undefined,
  )
  turns.set(owner, ended)
  try {
    return await making
  } finally {
    waiting -= 1
    if (turns.get(owner) === ended) turns.delete(owner)
  }
}

async function run(task: DocumentTask): Promise<Buffer> {
  pool ??= new Tinypool({
    filename: fileURLToPath(new URL('./document-worker.ts', import.meta.url)),
    name: 'makeDocument',
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
    execArgv: OWN_FLAGS,
    // A document is garbage a moment later: room for more of that only keeps memory.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
  })
  const bytes = (await pool.run(task)) as Uint8Array
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Prints how much memory this process and a thread of it may take, in MB. */
import { Worker, isMainThread, parentPort } from 'node:worker_threads'
import v8 from 'node:v8'
import { leaveThreadsTheirLimits } from './thread-limits.ts'

const mostMegabytes = (): number => Math.round(v8.getHeapStatistics().heap_size_limit / 1024 / 1024)

if (isMainThread) {
  if (process.argv[2] === 'left') leaveThreadsTheirLimits()
  const resourceLimits = { maxOldGenerationSizeMb: 100, maxYoungGenerationSizeMb: 12 }
  const thread = new Worker(new URL(import.meta.url), { resourceLimits })
  thread.once('message', (ofThread: number) =>
    process.stdout.write(JSON.stringify({ ofThread, ofProcess: mostMegabytes() })),
  )
} else parentPort?.postMessage(mostMegabytes())

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const COLLECTED_WITHIN_MS = 60_000

/** Memory of a process at one moment, in MB. */
export interface Memory {
  resident: number
  /** Part of that: of the program's files, which processes of one program share. */
  files: number
  /** The most that was ever resident. */
  peak: number
  heapUsed: number
  heapTotal: number
  /** Outside of JavaScript's heap, known to it: buffers, WebAssembly. */
  external: number
}

export interface Measured {
  pid: number
  url: string
  metricsToken: string
}

/** As everywhere in the measurements of this project, and in `top`. */
const MB = 1024 * 1024

/** What the system and the process's own /metrics say. */
export async function memoryOf({ pid, url, metricsToken }: Measured): Promise<Memory> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const text = await response.text()
  if (!response.ok) throw new Error(`/metrics of ${url} responded with ${response.status}`)
  const metric = (name: string): number => {
    const found = new RegExp(`^nodejs_${name}_bytes (\\S+)`, 'm').exec(text)?.[1]
    if (found === undefined) throw new Error(`/metrics of ${url} has no ${name}`)
    return Number(found) / MB
  }
  return {
    ...residentMemory(pid),
    heapUsed: metric('heap_size_used'),
    heapTotal: metric('heap_size_total'),
    external: metric('external_memory'),
  }
}

/** What the system says. */
export function residentMemory(pid: number): Pick<Memory, 'resident' | 'files' | 'peak'> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const line = (name: string): number => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
    if (found === undefined) throw new Error(`/proc/${pid}/status has no ${name}`)
    return Number(found) / 1024
  }
  return { resident: line('VmRSS'), files: line('RssFile'), peak: line('VmHWM') }
}

/** Has a process that loaded collect-garbage.mjs collect its garbage. @returns MB of its heap that stay */
export async function heapAfterCollection(pid: number, report: string): Promise<number> {
  rmSync(report, { force: true })
  process.kill(pid, 'SIGUSR2')
  const end = performance.now() + COLLECTED_WITHIN_MS
  while (!existsSync(report)) {
    if (performance.now() > end) throw new Error(`process ${pid} did not collect its garbage`)
    await sleep(50)
  }
  return (JSON.parse(readFileSync(report, 'utf8')) as NodeJS.MemoryUsage).heapUsed / MB
}

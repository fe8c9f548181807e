import { spawn } from 'node:child_process'
import path from 'node:path'

const CONNECTIONS = 16
const SECONDS = 8

export interface Rate {
  path: string
  kind: 'cached' | 'uncached'
  perSecond: number
  p99Ms: number
  errors: number
}

interface Report {
  requests: { average: number; total: number }
  latency: { p99: number }
  errors: number
  non2xx: number
}

/** Pages per second of one process, from a load generator in a process of its own; each page once to warm up. */
export async function measureRates(url: string): Promise<Rate[]> {
  const rates: Rate[] = []
  // A page with a parameter that it reads is never kept.
  for (const [page, kind] of [
    ['/', 'cached'],
    ['/offers', 'cached'],
    ['/login?next=%2Fcart', 'uncached'],
  ] as const) {
    const run = (seconds: number) => load(url + page, { seconds, connections: CONNECTIONS })
    await run(2)
    const { requests, latency, errors, non2xx } = await run(SECONDS)
    const figures = { perSecond: requests.average, p99Ms: latency.p99, errors: errors + non2xx }
    rates.push({ path: page, kind, ...figures })
  }
  return rates
}

interface Load {
  seconds: number
  connections: number
  /** Further options of autocannon. */
  options?: readonly string[]
}

/** Requests one address again and again, from a process of its own. */
export async function load(address: string, { seconds, connections, options = [] }: Load): Promise<Report> {
  const program = path.resolve(import.meta.dirname, '../../node_modules/autocannon/autocannon.js')
  const load = `-c ${connections} -d ${seconds} -j -n`.split(' ')
  const args = [program, ...load, '-H', 'accept-encoding: gzip, br', ...options, address]
  return JSON.parse(await outputOf(args)) as Report
}

/** What a program of Node writes; @throws Error with its complaints when it ends badly. */
export function outputOf(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, complaints] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${args[0]} ended with ${code}:\n${complaints}`)),
    )
  })
}

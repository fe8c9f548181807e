import { spawn } from 'node:child_process'
import path from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../../tools/run/free-port.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** How long a process or a database may take to start on a busy machine. */
export const PATIENCE = { timeout: 120_000, interval: 100 }

export type ShopProcess = Awaited<ReturnType<typeof startShopProcess>>

interface ProcessOptions {
  /** A free one when left out. */
  port?: number
  /** Settings by environment name: the database, the provider and the folder at least. */
  env: Record<string, string>
  /** Whether its log can be read from `child.stdout`. */
  hasOutput?: boolean
}

/** Readiness of whatever listens on a port. */
export const readinessOf = (port: number): Promise<[number, string]> =>
  fetch(`http://127.0.0.1:${port}/api/health/ready`).then(
    async (response) => [response.status, ((await response.json()) as { status: string }).status],
    () => [0, 'gone'],
  )

/** Starts the shop as a process of its own, which can be killed. */
export async function startShopProcess({ port: wanted, env, hasOutput = false }: ProcessOptions) {
  const port = wanted ?? (await freePort())
  const child = spawn(process.execPath, ['src/server/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', hasOutput ? 'pipe' : 'ignore', 'inherit'],
    env: { ...bareEnvironment(), PORT: String(port), LOG_LEVEL: 'error', ...env },
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = (route: string): string => `http://127.0.0.1:${port}${route}`
  const readiness = () => readinessOf(port)
  return {
    port,
    child,
    url,
    readiness,
    /** Resolves once it takes requests. */
    whenReady: () => vi.waitUntil(async () => (await readiness())[0] === 200, PATIENCE),
    /** A call that sends and reads JSON. */
    // oxlint-disable-next-line typescript/no-explicit-any -- a body of any shape, which the tests match
    async call(route: string, token?: string, body?: object): Promise<any> {
      const response = await fetch(url(route), {
        method: body ? 'POST' : 'GET',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      return response.json()
    },
    /** Ends it at once, or as an operator does; resolves to its exit code. */
    end(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

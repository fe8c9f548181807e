import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type InstanceFile, signalGroup } from './instance.ts'
import type { WriteLine } from './log.ts'
import { PlainError } from './say.ts'

const POLL_MS = 100
const RESPONSE_MS = 3_000

export interface ChildOptions {
  name: string
  args: string[]
  env: NodeJS.ProcessEnv
  cwd: string
  write: WriteLine
}

export interface Child {
  name: string
  /** Resolves with its exit code; 1 when a signal ended it. */
  ended: Promise<number>
  isRunning(): boolean
  /** Asks it to finish, and kills it when it has not finished after `patienceMs`. */
  stop(patienceMs: number): Promise<void>
  kill(): void
}

/** Starts a program in a process group of its own, which Ctrl-C in the terminal does not reach. */
export function startChild(options: ChildOptions, instance: InstanceFile): Child {
  const { name, args, env, cwd, write } = options
  const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  readLines(child, write)
  let running = true
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${name}: ${error.message}\n`)
      resolve(1)
    })
    child.once('close', (code) => resolve(code ?? 1))
  }).finally(() => {
    running = false
    if (child.pid) instance.remove(child.pid)
  })
  if (child.pid) instance.add(name, child.pid)
  const signal = (which: NodeJS.Signals) => {
    if (running && child.pid) signalGroup(child.pid, which)
  }
  const stop = async (patienceMs: number) => {
    signal('SIGTERM')
    const force = setTimeout(() => signal('SIGKILL'), patienceMs)
    await ended
    clearTimeout(force)
  }
  return { name, ended, isRunning: () => running, stop, kill: () => signal('SIGKILL') }
}

function readLines(child: ChildProcess, write: WriteLine): void {
  for (const source of ['stdout', 'stderr'] as const) {
    const input = child[source]
    if (input) createInterface({ input }).on('line', (line) => write(line, source))
  }
}

/** Waits until an address responds with a good status; gives up when the child ends or after `patienceMs`. */
export async function waitUntilReady(child: Child, url: string, patienceMs: number): Promise<void> {
  const until = performance.now() + patienceMs
  while (performance.now() < until) {
    const message = `The ${child.name} ended while starting; its messages stand above.`
    if (!child.isRunning()) throw new PlainError(message, await child.ended)
    if (await respondsOk(url)) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new PlainError(`The ${child.name} is not ready after ${patienceMs / 1000} s (${url}).`)
}

/** Whether an address responds 2xx. */
export async function respondsOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type InstanceFile, signalGroup } from './instance-file.ts'
import { readable } from './log-line.ts'

export interface ChildOptions {
  /** Name in front of its lines. */
  name: string
  /** Arguments for the pinned Node. */
  args: string[]
  env: NodeJS.ProcessEnv
  cwd: string
}

export interface Child {
  name: string
  /** Resolves with its exit code; 1 when a signal ended it. */
  ended: Promise<number>
  isRunning(): boolean
  /** Asks it to finish, and forces it when it has not after `patienceMs`. */
  stop(patienceMs: number): Promise<void>
  /** Ends it and what it has started, at once. */
  kill(): void
}

/**
 * Starts a program in a process group of its own. Ctrl-C in the terminal then reaches only us, and we stop
 * the children in order.
 */
export function startChild(options: ChildOptions, instance: InstanceFile): Child {
  const { name, args, env, cwd } = options
  const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  printLines(child, name)
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

function printLines(child: ChildProcess, name: string): void {
  for (const [stream, target] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      // A file keeps the structured lines; a person at a terminal gets readable ones.
      target.write(`${name.padEnd(8)} | ${target.isTTY ? readable(line) : line}\n`)
    })
  }
}

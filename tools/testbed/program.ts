import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { isEnding } from '../run/ending.ts'

export const projectDir = path.resolve(import.meta.dirname, '../..')

/** What every program gets of our environment, and nothing else. */
export function bareEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
}

/** How long a program may take to be ready; far more than it takes on an idle machine. */
const READY_MS = 120_000
const READY_EVERY_MS = 30

/** A program of a testbed, which is stopped or killed and started again. */
export interface Program {
  readonly name: string
  start(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  stop(): Promise<void>
  /** How it ended, when nobody had stopped it. */
  unexpectedExit(): string | undefined
  /** While it runs. */
  pid(): number | undefined
  /** Seconds of processor time used since the last start. */
  processorSeconds(): number
  /** Resident memory in MB. */
  memoryMb(): number
}

interface ProgramOptions {
  name: string
  /** Program below the project's folder, and its arguments; for a `command` its arguments alone. */
  args: readonly string[]
  /** Options for Node itself. */
  nodeArgs?: readonly string[]
  /** A program of the machine; Node when left out. */
  command?: string
  env: Record<string, string>
  /** Its output is appended here. */
  logFile: string
  /** Called with the first line it prints. */
  onFirstLine?: (line: string) => void
  isReady: () => Promise<boolean>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Describes a program; nothing runs until it is started. */
export function program(options: ProgramOptions): Program {
  const { name, env, logFile, onFirstLine, isReady, nodeArgs = [], command = process.execPath } = options
  const [file = '', ...rest] = options.args
  const args =
    options.command === undefined ? [...nodeArgs, path.resolve(projectDir, file), ...rest] : options.args
  let child: ChildProcess | undefined
  let unexpected: string | undefined

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = once(ending, 'exit')
    ending.kill(signal)
    await gone
    if (signal === 'SIGTERM' && ending.exitCode !== 0)
      unexpected = `${name} did not stop cleanly (${ending.signalCode ?? ending.exitCode}); see ${logFile}`
  }

  return {
    name,
    async start() {
      if (isEnding()) throw new Error(`${name} is not started: this run is ending`)
      const started = spawn(command, args, {
        cwd: projectDir,
        env: { ...bareEnvironment(), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      running.add(started)
      started.once('error', (error) => (unexpected = `${name} cannot be run: ${error.message}`))
      started.once('exit', (code, signal) => {
        running.delete(started)
        if (child === started) unexpected = `${name} ended unexpectedly (${signal ?? code}); see ${logFile}`
      })
      const log = createWriteStream(logFile, { flags: 'a' })
      started.stderr.pipe(log)
      let first = ''
      started.stdout.on('data', (piece: Buffer) => {
        log.write(piece)
        if (first.includes('\n')) return
        first += piece.toString()
        if (first.includes('\n')) onFirstLine?.(first.slice(0, first.indexOf('\n')))
      })
      const end = performance.now() + READY_MS
      while (!(await isReady())) {
        if (started.pid === undefined) throw new Error(unexpected)
        if (started.exitCode !== null)
          throw new Error(`${name} ended with ${started.exitCode}; see ${logFile}`)
        if (performance.now() > end) throw new Error(`${name} did not become ready; see ${logFile}`)
        await new Promise((resolve) => setTimeout(resolve, READY_EVERY_MS))
      }
    },
    unexpectedExit: () => unexpected,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pid: () => child?.pid,
    processorSeconds: () => processorSeconds(child?.pid),
    memoryMb() {
      const status = readFileSync(`/proc/${child?.pid}/status`, 'utf8')
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    },
  }
}

/** Ticks a second of /proc on Linux, whatever the kernel's own rate. */
const TICKS = 100

/** Fields of /proc/PID/stat after the name, which may contain anything but ends with the last parenthesis. */
function timesOf(pid: number | string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const at = (index: number): number => Number(fields[index])
    return { parent: at(1), seconds: (at(11) + at(12)) / TICKS, endedChildren: (at(13) + at(14)) / TICKS }
  } catch {
    // It ended meanwhile.
    return undefined
  }
}

/** Seconds of processor time a process has used. */
export const processorSeconds = (pid: number | undefined): number => timesOf(pid ?? 0)?.seconds ?? 0

/** The same of a process with all its children, running or ended. */
export function processorSecondsWithChildren(pid: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(timesOf)
    .filter((times) => times?.parent === pid)
  const own = timesOf(pid)
  return (
    (own?.seconds ?? 0) +
    (own?.endedChildren ?? 0) +
    children.reduce((sum, one) => sum + (one?.seconds ?? 0), 0)
  )
}

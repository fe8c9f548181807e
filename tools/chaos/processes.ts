import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import path from 'node:path'

export const projectDir = path.resolve(import.meta.dirname, '../..')

/** How long a program may take to be ready; far more than it takes on an idle machine. */
const READY_MS = 120_000

/** A program of the stand that is killed and started again. */
export interface Program {
  readonly name: string
  start(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  stop(): Promise<void>
  /** How it ended, when nobody had told it to. */
  diedOfItself(): string | undefined
}

export interface ProgramOptions {
  name: string
  /** Program below the project's folder, and its arguments; for a `command` its arguments alone. */
  args: readonly string[]
  /** A program of the machine; Node when left out. */
  command?: string
  env: Record<string, string>
  /** What it writes goes here, run after run. */
  logFile: string
  /** Told the first line it prints. */
  onFirstLine?: (line: string) => void
  isReady: () => Promise<boolean>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function program(options: ProgramOptions): Program {
  const { name, env, logFile, onFirstLine, isReady, command = process.execPath } = options
  const [file = '', ...rest] = options.args
  const args = options.command === undefined ? [path.join(projectDir, file), ...rest] : options.args
  let child: ChildProcess | undefined
  let ownEnd: string | undefined

  async function end(signal: NodeJS.Signals): Promise<void> {
    const running = child
    child = undefined
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const gone = once(running, 'exit')
    running.kill(signal)
    await gone
    if (signal === 'SIGTERM' && running.exitCode !== 0)
      ownEnd = `${name} did not stop cleanly (${running.signalCode ?? running.exitCode}); see ${logFile}`
  }

  return {
    name,
    async start() {
      const began = spawn(command, args, {
        cwd: projectDir,
        env: { PATH: process.env.PATH ?? '', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = began
      running.add(began)
      began.once('error', (error) => {
        ownEnd = `${name} cannot be run: ${error.message}`
      })
      began.once('exit', (code, signal) => {
        running.delete(began)
        if (child === began) ownEnd = `${name} ended by itself (${signal ?? code}); see ${logFile}`
      })
      const log = createWriteStream(logFile, { flags: 'a' })
      began.stderr.pipe(log)
      let first = ''
      began.stdout.on('data', (piece: Buffer) => {
        log.write(piece)
        if (first.includes('\n')) return
        first += piece.toString()
        if (first.includes('\n')) onFirstLine?.(first.slice(0, first.indexOf('\n')))
      })
      const end = performance.now() + READY_MS
      while (!(await isReady())) {
        if (began.pid === undefined) throw new Error(ownEnd)
        if (began.exitCode !== null) throw new Error(`${name} ended with ${began.exitCode}; see ${logFile}`)
        if (performance.now() > end) throw new Error(`${name} did not become ready; see ${logFile}`)
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
    },
    diedOfItself: () => ownEnd,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** Whether an address answers 2xx. */
export const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(3_000) }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.ok
    },
    () => false,
  )

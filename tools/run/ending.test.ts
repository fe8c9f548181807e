import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { PATIENCE } from '../../test/support/shop-process.ts'
import { sized } from '../../test/support/tier.ts'
import { bareEnvironment } from '../testbed/program.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')

/** Processes that have a mark in their environment, by their command lines. */
function marked(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const has = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`VOLANT_MARK=${mark}`)
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        return has && command !== '' ? [command] : []
      } catch {
        return []
      }
    })
}

type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP'
type Run = readonly [signal: Signal, afterMs: number, ...command: string[]]
const HOT = ['tools/bench-hot.ts', '--only', 'log', '--buyers', '8', '--seconds', '5'] as const
const CHAOS = ['tools/chaos.ts', '--rounds', '9', '--buyers', '9'] as const
const VERIFY = ['tools/verify.ts', 'lint', 'http'] as const

// From the first moment to the middle of the work.
const RUNS: readonly Run[] = [
  ['SIGTERM', 2_000, ...CHAOS],
  ['SIGTERM', 5_000, ...HOT],
  ...[300, 800, 1_500, 4_000, 8_000, 15_000].flatMap((afterMs): Run[] => [
    ['SIGTERM', afterMs, ...CHAOS],
    ['SIGINT', afterMs, ...HOT],
    ['SIGHUP', afterMs, ...VERIFY],
    ['SIGTERM', afterMs, 'tools/bench-pages.ts', '--only', 'rate'],
    ['SIGTERM', afterMs, 'tools/screenshots.ts', '--only', 'home', '--lang', 'nl', '--width', '360'],
    ['SIGTERM', afterMs, 'tools/db-types.ts', '--verify'],
    ['SIGTERM', afterMs, 'tools/fill.ts'],
  ]),
]

test.each(sized({ short: RUNS.slice(0, 2), extended: RUNS }))(
  '%s after %i ms ends %s %s %s without a trace and leaves no process and no folder',
  async (...run) => {
    const [signal, afterMs, ...command] = run as unknown as Run
    const folder = temporaryFolder()
    const mark = path.basename(folder)
    const child = spawn(process.execPath, command, {
      cwd: projectDir,
      env: {
        ...bareEnvironment(),
        VOLANT_MARK: mark,
        TMPDIR: folder,
        ...(command[0] === 'tools/fill.ts' && { DATA_DIR: path.join(folder, 'data') }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (printed += String(part)))
    const ended = once(child, 'exit')
    await new Promise((resolve) => setTimeout(resolve, afterMs))
    child.kill(signal)
    const [code, by] = (await ended) as [number | null, NodeJS.Signals | null]
    // Its own end, or the system's where nothing had begun. The table types may be done before the signal.
    const ends = [signal, 128 + constants.signals[signal], ...(command[0] === 'tools/db-types.ts' ? [0] : [])]
    expect(by ?? code).toBeOneOf(ends)
    expect(printed).not.toMatch(/^\s+at /m)
    await expect.poll(() => marked(mark), PATIENCE).toEqual([])
    expect(readdirSync(folder).filter((name) => name.startsWith('volant'))).toEqual([])
  },
)

import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ensureChromium } from '../../chromium.ts'
import { buildIfNeeded } from '../../run/build.ts'
import { atEnd, endingSignal } from '../../run/ending.ts'
import { signalGroup } from '../../run/instance.ts'
import type { Step, Tally } from './runner.ts'
import { type VitestReport, tallyOf, timingsOf } from './vitest-report.ts'

/** The short form of the checks, for every change, or the long one, before a release. */
export type Tier = 'short' | 'extended'

type Print = (text: string) => void

const projectDir = path.resolve(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(path.join(projectDir, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** Runs a line as npm would. @param print takes the output; without it the line prints to our own */
async function run(line: string, extra: Record<string, string> = {}, print?: Print): Promise<number | null> {
  const programs = path.join(projectDir, 'node_modules', '.bin')
  const env = {
    // The tests start some fifty programs of Node, most of them with the same modules.
    NODE_COMPILE_CACHE: path.join(projectDir, 'node_modules/.cache/node'),
    ...process.env,
    ...extra,
    PATH: `${programs}${path.delimiter}${process.env.PATH ?? ''}`,
  }
  const stdio: StdioOptions = print ? ['ignore', 'pipe', 'pipe'] : 'inherit'
  // A group of its own: what a signal ends are also the programs that the line has started.
  const child = spawn(line, { cwd: projectDir, env, shell: true, stdio, detached: true })
  const closed = once(child, 'close')
  const done = atEnd(async () => {
    if (child.pid) signalGroup(child.pid, 'SIGTERM')
    await closed
  })
  child.stdout?.setEncoding('utf8').on('data', (text: string) => print?.(text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => print?.(text))
  const [code] = (await closed.finally(done)) as [number | null]
  return code
}

const gate = async (line: string, print?: Print, extra?: Record<string, string>): Promise<Tally> =>
  (await run(line, extra, print)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }

/** A gate that has an npm script: the very same line. */
const script = (name: string, more = '') => ({
  isSmall: true,
  run: (print?: Print) => gate(`${scripts[name]!}${more}`, print),
})

async function vitest(project: string, tier: Tier, extra: Record<string, string> = {}): Promise<Tally> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'volant-report-'))
  const done = atEnd(() => rmSync(scratch, { recursive: true, force: true }))
  const file = path.join(scratch, 'report.json')
  try {
    const code = await run(
      `vitest run --project '${project}' --reporter=default --reporter=json --outputFile.json="${file}"`,
      { ...extra, VOLANT_TESTS: tier },
    )
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as VitestReport) : undefined
    return { ...tallyOf(report, code), timings: timingsOf(report, projectDir) }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
    done()
  }
}

async function build(): Promise<Tally> {
  await buildIfNeeded(projectDir, endingSignal())
  return { passed: 1, failed: 0 }
}

const browser = async () => ({ CHROME_PATH: await ensureChromium(process.env) })

/** What only the extended tier runs. */
const EXTENDED_STEPS: readonly Step[] = [
  {
    name: 'mutation',
    about: 'tests fail for at least 90 % of the mutants of the pure files',
    run: () => gate(scripts['mutation']!),
  },
  {
    name: 'screenshots',
    about: 'every page and state can be brought about, in each language, width and scheme',
    run: async () => gate('node tools/screenshots.ts', undefined, await browser()),
  },
]

/** Everything that must hold, tests last; the extended tier has each step in its long form, and more of them. */
export const stepsOf = (tier: Tier): readonly Step[] => [
  { name: 'route-types', about: 'React Router writes the types of the routes', ...script('route-types') },
  { name: 'format', about: 'every file is formatted', ...script('format', ' --check') },
  // One program for the rules and the compiler's errors, because most of its time goes to the types that both need.
  { name: 'lint', about: 'TypeScript, strict, and correctness', after: ['route-types'], ...script('lint') },
  { name: 'deps', about: 'imports and tables go the ways of slices.json', ...script('deps') },
  { name: 'dead-code', about: 'no unused file, export or package', ...script('dead-code') },
  // React Router writes the types of the routes here, too.
  { name: 'build', about: 'the pages build', after: ['route-types'], isSmall: true, run: build },
  { name: 'budgets', about: 'no page loads more bytes than it may', after: ['build'], ...script('budgets') },
  {
    name: 'db-types',
    about: 'the table types match the migrations',
    isSmall: true,
    run: (print) => gate('node tools/db-types.ts --verify', print),
  },
  // After the build, which its shops need. Most of its time it waits for what is tried again later.
  {
    name: 'chaos',
    about: 'rounds of kills, bad lines and a failing provider; every invariant holds',
    after: ['build'],
    isIdle: tier === 'short',
    run: (print) =>
      gate(
        `node tools/chaos.ts ${tier === 'short' ? '--rounds 1 --buyers 10' : '--rounds 10 --buyers 20'}`,
        print,
      ),
  },
  { name: 'unit', about: 'house rules, canaries of the gates, pure tests', run: () => vitest('unit*', tier) },
  // After the build: the tests that kill whole shops start them with their pages.
  { name: 'http', about: 'routes, database, races on a real PostgreSQL', run: () => vitest('http', tier) },
  {
    name: 'browser',
    about: 'journeys in Chromium',
    run: async () => vitest('browser', tier, await browser()),
  },
  ...(tier === 'extended' ? EXTENDED_STEPS : []),
]

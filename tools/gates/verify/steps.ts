import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ensureChromium } from '../../chromium.ts'
import { buildIfNeeded } from '../../run/build.ts'
import type { Step, Tally } from './runner.ts'
import { type VitestReport, tallyOf } from './vitest-report.ts'

const projectDir = path.resolve(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(path.join(projectDir, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** Runs a line as npm would: in the project, with its own programs first on PATH. */
function run(line: string, extra: Record<string, string> = {}): Promise<number | null> {
  const programs = path.join(projectDir, 'node_modules', '.bin')
  const env = { ...process.env, ...extra, PATH: `${programs}${path.delimiter}${process.env.PATH ?? ''}` }
  const child = spawn(line, { cwd: projectDir, env, shell: true, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
}

const gate = async (line: string): Promise<Tally> =>
  (await run(line)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }

/** A gate that has an npm script: the very same line. */
const script = (name: string): Promise<Tally> => gate(scripts[name]!)

async function vitest(project: string, extra?: Record<string, string>): Promise<Tally> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'volant-report-'))
  const report = path.join(scratch, 'report.json')
  try {
    const code = await run(
      `vitest run --project ${project} --reporter=default --reporter=json --outputFile.json="${report}"`,
      extra,
    )
    return tallyOf(
      existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as VitestReport) : undefined,
      code,
    )
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function build(): Promise<Tally> {
  await buildIfNeeded(projectDir, new AbortController().signal)
  return { passed: 1, failed: 0 }
}

/** Everything that must hold, cheapest first. */
export const STEPS: readonly Step[] = [
  { name: 'format', about: 'every file is formatted', run: () => gate(`${scripts.format} --check`) },
  { name: 'types', about: 'TypeScript, strict', run: () => script('types') },
  { name: 'lint', about: 'correctness, type-aware', run: () => script('lint') },
  { name: 'deps', about: 'imports go the ways of slices.json', run: () => script('deps') },
  { name: 'dead-code', about: 'no unused file, export or package', run: () => script('dead-code') },
  { name: 'unit', about: 'house rules, canaries of the gates, pure tests', run: () => vitest('unit') },
  { name: 'build', about: 'the pages build', run: build },
  { name: 'budgets', about: 'no page loads more bytes than it may', run: () => script('budgets') },
  // After the build: the tests that kill whole shops start them with their pages.
  { name: 'http', about: 'routes, database, races on a real PostgreSQL', run: () => vitest('http') },
  {
    name: 'chaos',
    about: 'ten rounds of kills, bad lines and a failing provider; every promise holds',
    run: () => gate('node tools/chaos.ts --rounds 10 --buyers 20'),
  },
  {
    name: 'db-types',
    about: 'the table types match the migrations',
    run: () => gate('node tools/db-types.ts --verify'),
  },
  {
    name: 'browser',
    about: 'the journeys in Chromium',
    run: async () => vitest('browser', { CHROME_PATH: await ensureChromium(process.env) }),
  },
]

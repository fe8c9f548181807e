/**
 * `npm run planted-faults [-- id …]`: plants each fault of test/planted-faults/faults.json in the working tree, one at a time, expects its
 * tests to fail, and restores the file. A fault that its own tests miss is tried on all unit and HTTP tests; one that they miss, too,
 * has survived, and the run fails. Prints a Markdown table. The chosen tests must pass without a fault first.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export interface Fault {
  id: string
  /** What is wrong, in one sentence. */
  what: string
  file: string
  /** Occurs once in the file. */
  find: string
  replace: string
  /** Vitest files that are expected to fail. */
  tests: string[]
}

/** As much of Vitest's JSON report as is read. */
interface Report {
  testResults: {
    name: string
    status: string
    assertionResults: { status: string; title: string }[]
  }[]
}

const projectDir = path.resolve(import.meta.dirname, '..')
const inProject = (file: string): string => path.join(projectDir, file)
const all = JSON.parse(readFileSync(inProject('test/planted-faults/faults.json'), 'utf8')) as Fault[]
const ids = process.argv.slice(2)
const faults = ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id))
if (faults.length === 0) throw new Error(`no fault is called ${ids.join(' or ')}`)

const changed = execFileSync('git', ['status', '--porcelain', '--', ...faults.map(({ file }) => file)], {
  cwd: projectDir,
  encoding: 'utf8',
})
if (changed !== '') throw new Error(`commit or undo these changes first:\n${changed}`)

let child: ChildProcess | undefined
let planted: { file: string; text: string } | undefined
const reports = mkdtempSync(path.join(tmpdir(), 'planted-faults-'))

function restore(): void {
  if (planted) writeFileSync(planted.file, planted.text)
  planted = undefined
}
process.on('exit', () => {
  restore()
  child?.kill()
  rmSync(reports, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

/**
 * Runs tests until one fails.
 * @param form of the tests; `named`: the short one, in files, too, that it leaves out
 * @returns the first failure by file and title; undefined when all pass
 */
async function firstFailure(
  args: readonly string[],
  form: 'named' | 'short' | 'extended' = 'named',
): Promise<string | undefined> {
  const report = path.join(reports, 'report.json')
  rmSync(report, { force: true })
  const vitest = inProject('node_modules/vitest/vitest.mjs')
  const flags = ['run', '--bail=1', '--reporter=json', `--outputFile=${report}`]
  const code = await new Promise((resolve) => {
    child = spawn(process.execPath, [vitest, ...flags, ...args], {
      cwd: projectDir,
      stdio: 'ignore',
      env: { ...process.env, VOLANT_TESTS: form === 'named' ? '' : form },
    })
    child.once('exit', resolve)
  })
  if (code === 0) return undefined
  // Without a report nothing was tested: throws.
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, assertionResults }) => {
      const title = assertionResults.find(({ status }) => status === 'failed')?.title
      return { title, text: `${path.basename(name)}: ${title ?? 'its preparation fails'}` }
    })
  if (!failures[0]) throw new Error(`vitest ended with ${String(code)} and names no failed test`)
  return (failures.find(({ title }) => title) ?? failures[0]).text
}

async function foundBy({ file, find, replace, tests }: Fault): Promise<string | undefined> {
  const text = readFileSync(inProject(file), 'utf8')
  if (text.split(find).length !== 2) throw new Error(`${file} does not contain once: ${find}`)
  planted = { file: inProject(file), text }
  try {
    writeFileSync(
      planted.file,
      text.replace(find, () => replace),
    )
    // Not the house rules: they fail on every fault that is planted, since its text is gone.
    const others = ['--project=unit', '--project=http', 'src/', 'emulators/', 'db/', 'tools/', 'test/http/']
    return (
      (await firstFailure(tests)) ??
      (await firstFailure(tests, 'extended')) ??
      (await firstFailure(others, 'short'))
    )
  } finally {
    restore()
  }
}

const broken = await firstFailure([...new Set(faults.flatMap(({ tests }) => tests))])
if (broken) throw new Error(`fails without any fault: ${broken}`)
console.log('| Fault | File | Found by |\n| --- | --- | --- |')
let survivors = 0
for (const fault of faults) {
  const found = await foundBy(fault)
  if (!found) survivors += 1
  console.log(`| ${fault.what} | ${fault.file} | ${found ?? '**nothing**'} |`)
}
console.log(`\n${faults.length} planted, ${faults.length - survivors} found, ${survivors} survived`)
process.exitCode = survivors > 0 ? 1 : 0

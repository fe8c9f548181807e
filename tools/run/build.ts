import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { isRelease } from '../bootstrap/whole-release.mjs'
import { PlainError, say } from './say.ts'

/** Everything a build depends on; tests do not. */
const SOURCES = [
  'src/**/*',
  'public/**/*',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '*.config.ts',
]
const NO_SOURCE = /\.test\.tsx?$|^vitest\.config\.ts$/
/** The shop's pages, the console and its preview of them, and the page that checks a draw without a network. */
export const VERIFIER = 'build/verify/index.html'
const RESULTS = ['build/server/index.js', 'build/console/index.html', 'build/preview/index.html', VERIFIER]
type Program = readonly [program: string, ...args: string[]]
const PAGES: Program = ['node_modules/@react-router/dev/bin.cjs', 'build']
const VERIFIER_PAGE: Program = ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.verify.config.ts']
const OTHERS: readonly Program[] = [
  ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.console.config.ts'],
  ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.preview.config.ts'],
  VERIFIER_PAGE,
]

/** Hash of the contents of all sources, so that a touched or checked-out file alone builds nothing. */
export function hashSources(projectDir: string): string {
  const hash = createHash('sha256')
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: projectDir }))
  for (const file of files.filter((name) => !NO_SOURCE.test(name)).toSorted()) {
    const full = path.join(projectDir, file)
    if (!statSync(full).isFile()) continue
    const content = readFileSync(full)
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** Builds the pages unless `build/` was made from the very same sources. `stopping` ends a build under way. */
export async function buildIfNeeded(projectDir: string, stopping: AbortSignal): Promise<void> {
  // A release comes built, without the programs that build.
  if (isRelease(projectDir)) return
  const stamp = path.join(projectDir, 'build', 'sources.sha256')
  const sources = hashSources(projectDir)
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === sources
  const missing = (): string | undefined =>
    RESULTS.find((result) => !existsSync(path.join(projectDir, result)))
  if (isCurrent && missing() === undefined) return
  say('Building the pages …')
  const began = performance.now()
  openBuildFolder(projectDir, stamp)
  const { code, output } = await runBuild(projectDir, stopping)
  if (code !== 0) throw new PlainError(whyItFailed(projectDir, output))
  if (missing() !== undefined) throw new PlainError(`The build made no ${missing()}:\n${output}`)
  writeFileSync(stamp, sources)
  const verifier = createHash('sha256').update(readFileSync(path.join(projectDir, VERIFIER)))
  say(`SHA-256 of verify.html: ${verifier.digest('hex')}`)
  say(`Pages built in ${((performance.now() - began) / 1000).toFixed(1)} s.`)
}

/** Builds the page that checks a draw into an empty folder of its own. @returns its file */
export async function buildVerifier(
  projectDir: string,
  folder: string,
  stopping: AbortSignal,
): Promise<string> {
  const { code, output } = await runProgram(
    projectDir,
    [...VERIFIER_PAGE, '--outDir', folder, '--emptyOutDir'],
    stopping,
  )
  if (code !== 0) throw new PlainError(whyItFailed(projectDir, output))
  return path.join(folder, path.basename(VERIFIER))
}

function openBuildFolder(projectDir: string, stamp: string): void {
  const folder = path.dirname(stamp)
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    rmSync(stamp, { force: true })
  } catch (error) {
    throw new PlainError(cannotBuild(projectDir, (error as Error).message))
  }
}

const cannotBuild = (projectDir: string, reason: string): string =>
  `The pages must be built before the first start, and ${projectDir} takes no files (${reason}). Run \`npm start\` once as ` +
  'an account that may write there, or copy its folder «build» here.'

/** What prevents writing is one line of the build's long output. */
export function whyItFailed(projectDir: string, output: string): string {
  const reason = /\b(EACCES|EPERM|EROFS|ENOSPC|EDQUOT)\b[^\n]*/.exec(output)?.[0]
  return reason ? cannotBuild(projectDir, reason) : `The build failed:\n${output}`
}

interface BuildResult {
  code: number
  output: string
}

/** The build of the pages empties the folder when it begins, so the others write into theirs after it. */
async function runBuild(projectDir: string, stopping: AbortSignal): Promise<BuildResult> {
  const pages = await runProgram(projectDir, PAGES, stopping)
  if (pages.code !== 0) return pages
  const others = await Promise.all(OTHERS.map((build) => runProgram(projectDir, build, stopping)))
  const results = [pages, ...others]
  return (
    results.find(({ code }) => code !== 0) ?? {
      code: 0,
      output: results.map(({ output }) => output).join(''),
    }
  )
}

function runProgram(
  projectDir: string,
  [program, ...args]: Program,
  stopping: AbortSignal,
): Promise<BuildResult> {
  const child = spawn(process.execPath, [path.join(projectDir, program), ...args], {
    cwd: projectDir,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: stopping,
  })
  let output = ''
  const collect = (chunk: Buffer) => (output += chunk.toString())
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

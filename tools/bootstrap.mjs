/**
 * Runs a tool of Volant on a machine that has only Node and npm: installs what is missing, finds the pinned
 * Node, and hands over. Runs on Node 20 before anything is installed, so it uses built-ins only.
 *
 *   node tools/bootstrap.mjs start|dev|test|backup|… [arguments]
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureDependencies, findNode, whyNotHere } from './bootstrap/installation.mjs'
import { isRelease, releaseFault } from './bootstrap/whole-release.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const IN_RELEASES = [
  'start',
  'db-restore',
  'db-move',
  'customers',
  'invariants',
  'audit-verify',
  'staff',
  'upgrade',
  'keys',
  'register',
  'doctor',
  'backup',
  'backup-rehearse',
  'sales',
  'alerts',
]
const WITHOUT_DEVELOPMENT = [...IN_RELEASES, 'build', 'release', 'verifiers']

async function main([command, ...rest]) {
  const task = command?.replace(':', '-')
  const program = path.join(root, 'tools', `${task}.ts`)
  if (!task || !existsSync(program)) throw new Error(`There is no tool «${command ?? ''}» in tools/.`)
  const fault = whyNotHere(root) ?? releaseFault(root)
  if (fault) throw new Error(fault)
  if (isRelease(root) && !IN_RELEASES.includes(task))
    throw new Error(`This is a release, which has been built and tested: run ${task} in a checkout.`)
  await ensureDependencies(root, { development: !WITHOUT_DEVELOPMENT.includes(task) })
  const node = await findNode(root)
  const envFile = existsSync(path.join(root, '.env')) ? ['--env-file=.env'] : []
  // `npm run release` removes types by a function that Node calls an experiment.
  return run(node, ['--disable-warning=ExperimentalWarning', ...envFile, program, ...rest])
}

/** Processes whose end stops the shop: this one, and npm with its shell when npm runs it. */
function launchers() {
  if (!process.env.npm_lifecycle_event) return [process.pid]
  const read = (name) => {
    try {
      return readFileSync(`/proc/${name}`, 'utf8')
    } catch {
      return ''
    }
  }
  const isNpm = (pid) => /\bnpm\b/.test(read(`${pid}/cmdline`))
  const parent = process.ppid
  if (isNpm(parent)) return [process.pid, parent]
  const grandparent = Number(/^PPid:\s*(\d+)/m.exec(read(`${parent}/status`))?.[1] ?? 0)
  return [process.pid, parent, ...(isNpm(grandparent) ? [grandparent] : [])]
}

/** Runs the tool in our place: its output, its signals and its exit code are ours. */
function run(node, args) {
  const bin = path.join(root, 'node_modules', '.bin')
  const env = {
    ...process.env,
    PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`,
    VOLANT_LAUNCHERS: launchers().join(','),
  }
  const child = spawn(node, args, { cwd: root, env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)))
  })
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(`\n${error.message}`)
  process.exitCode = 1
}

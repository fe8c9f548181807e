/**
 * Runs a tool of Volant on a machine that has only Node and npm: installs what is missing, finds the pinned
 * Node, and hands over. Runs on Node 20 before anything is installed, so it uses built-ins only.
 *
 *   node tools/bootstrap.mjs start|dev|test|db-backup|… [arguments]
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureDependencies } from './bootstrap/dependencies.mjs'
import { findNode } from './bootstrap/find-node.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const WITHOUT_DEVELOPMENT = ['start', 'db-backup', 'db-restore', 'db-move']

async function main([task, ...rest]) {
  const program = path.join(root, 'tools', `${task}.ts`)
  if (!task || !existsSync(program)) throw new Error(`There is no tool «${task ?? ''}» in tools/.`)
  await ensureDependencies(root, { development: !WITHOUT_DEVELOPMENT.includes(task) })
  const node = await findNode(root)
  return run(node, ['--env-file-if-exists=.env', program, ...rest])
}

/**
 * The processes whose end means that nobody wants the shop any more: this one, and npm when npm runs it.
 * After a kill -9 they cannot say so themselves.
 */
const launchers = () => [process.pid, ...(process.env.npm_lifecycle_event ? [process.ppid] : [])]

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

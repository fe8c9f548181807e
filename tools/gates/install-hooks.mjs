/**
 * `npm run prepare`, which npm also runs after an installation: sets up the hooks of lefthook.yml. Does nothing in
 * CI, outside a git checkout, or where somebody keeps hooks of their own. Runs on any Node that npm runs on.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const lefthook = path.join(root, 'node_modules', 'lefthook', 'bin', 'index.js')

/** The folder of the checkout's hooks, or nothing where the project is no checkout of its own. */
function hooksFolder() {
  if (!existsSync(path.join(root, '.git'))) return undefined
  try {
    const stdio = ['ignore', 'pipe', 'ignore']
    const response = execFileSync('git', ['rev-parse', '--git-path', 'hooks'], { cwd: root, stdio })
    return path.resolve(root, response.toString().trim())
  } catch {
    return undefined
  }
}

const isForeign = (file) => !file.endsWith('.sample') && !readFileSync(file, 'utf8').includes('lefthook')

function whyNot(folder) {
  if (process.env.CI) return 'this is CI'
  if (!folder) return 'this is no git checkout'
  if (!existsSync(lefthook)) return 'lefthook is not installed'
  const hooks = existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : []
  const foreign = hooks.find(isForeign)
  return foreign && `${path.basename(foreign)} is a hook of your own`
}

const reason = whyNot(hooksFolder())
if (reason) console.log(`Git hooks are left as they are: ${reason}.`)
else execFileSync(process.execPath, [lefthook, 'install'], { cwd: root, stdio: 'inherit' })

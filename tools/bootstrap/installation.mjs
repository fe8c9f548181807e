import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const HEARTBEAT_MS = 15_000

const readPackages = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {}
  } catch {
    return undefined
  }
}

/** Why `node_modules` must be installed; npm writes its list last, so an interrupted installation has none. */
export function whyInstall(root, { development }) {
  const wanted = readPackages(path.join(root, 'package-lock.json'))
  const found = readPackages(path.join(root, 'node_modules', '.package-lock.json'))
  if (!wanted) throw new Error('package-lock.json is missing or damaged; check out the project again.')
  if (!found) return 'they are not installed yet'
  for (const [name, { version, optional, dev, devOptional, link }] of Object.entries(wanted)) {
    if (name === '' || link) continue
    if (!found[name]) {
      if (optional || devOptional || (dev && !development)) continue
      return `${name.replace('node_modules/', '')} is missing`
    }
    if (found[name].version !== version)
      return `${name.replace('node_modules/', '')} is not version ${version}`
  }
  return undefined
}

/** Vite, Node's loader and PostgreSQL's initdb take these for something else. */
const REFUSED_IN_PATHS = ['#', '?', '%', '*', '"', '$', '`', '\\']

/** Why nothing can run from the folder `root`; undefined where all can. */
export function whyNotHere(root) {
  const found = REFUSED_IN_PATHS.filter((character) => root.includes(character))
  if (found.length === 0) return undefined
  return (
    `Volant cannot run from ${root}: a program that it uses does not find files in a folder with ${found.join(' ')} ` +
    `in its path. Move or rename the folder so that its path has none of ${REFUSED_IN_PATHS.join(' ')}`
  )
}

function requireWritable(root) {
  try {
    accessSync(root, constants.W_OK)
  } catch (error) {
    throw new Error(
      `The dependencies must be installed, and ${root} takes no files (${error.code}). ` +
        'Run npm start once as an account that may write there.',
    )
  }
}

/** PATH without the project's own programs: npm replaces them while it runs. */
export function outsidePath(root) {
  const own = path.join(root, 'node_modules')
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => folder && !path.resolve(folder).startsWith(own))
    .join(path.delimiter)
}

/** What npm is told. Whatever NODE_ENV says: the same folder serves the shop, the tests and the tools. */
export const INSTALL = ['ci', '--include=dev', '--no-audit', '--no-fund']

/** Installs exactly the lock file. */
export async function ensureDependencies(root, options) {
  const reason = whyInstall(root, options)
  if (!reason) return
  requireWritable(root)
  console.log(`Installing the dependencies (${reason}). The first time this takes a minute or two …`)
  const began = Date.now()
  const heartbeat = setInterval(() => {
    console.log(`  … still installing, ${Math.round((Date.now() - began) / 1000)} s`)
  }, HEARTBEAT_MS)
  try {
    const code = await runNpm(root)
    if (code !== 0) throw new Error('npm ci failed; its messages stand above. Is the npm registry reachable?')
  } finally {
    clearInterval(heartbeat)
  }
  const still = whyInstall(root, options)
  if (still) throw new Error(`npm ci has finished, and ${still}. Remove node_modules and start again.`)
  console.log(`Dependencies installed in ${Math.round((Date.now() - began) / 1000)} s.`)
}

function runNpm(root) {
  const args = [...INSTALL, '--loglevel=error']
  const npm = existsSync(process.env.npm_execpath ?? '') ? process.env.npm_execpath : undefined
  const script = npm && /\.c?js$/.test(npm) && !npm.startsWith(path.join(root, 'node_modules'))
  const inside = process.execPath.startsWith(path.join(root, 'node_modules'))
  const [command, prefix] = script ? [inside ? 'node' : process.execPath, [npm]] : ['npm', []]
  const env = { ...process.env, PATH: outsidePath(root) }
  const child = spawn(command, [...prefix, ...args], { cwd: root, env, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`npm does not start: ${error.message}`)))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

const versionOf = (program) => {
  const run = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return run.status === 0 ? run.stdout.trim().replace(/^v/, '') : undefined
}

/** Whether `version` is at least the `>=x.y.z` of package.json. */
const isAtLeast = (version, least) => {
  const a = version.split('.').map(Number)
  const b = least.split('.').map(Number)
  const at = [0, 1, 2].find((index) => a[index] !== b[index])
  return at === undefined || a[at] > b[at]
}

/** Where the Node that npm installs is looked for; the first is where it belongs. */
export function nodePlaces(root) {
  const folder = path.join(root, 'node_modules', 'node')
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${prefix}-${platform}-${process.arch}`
  return [
    path.join(folder, 'bin', 'node'),
    path.join(folder, 'node_modules', name, 'bin', 'node'),
    path.join(root, 'node_modules', name, 'bin', 'node'),
  ]
}

/** The Node of npm package `node`, whose install script may not have run; else this one, if it is new enough. */
export async function findNode(root) {
  const least = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).engines.node.replace(
    '>=',
    '',
  )
  const places = nodePlaces(root)
  const usable = () => places.find((place) => existsSync(place) && isAtLeast(versionOf(place) ?? '0', least))
  const pinned = usable()
  if (pinned) return pinned
  if (isAtLeast(process.versions.node, least)) return process.execPath
  console.log('Fetching the pinned Node …')
  spawnSync(process.execPath, ['installArchSpecificPackage.js'], {
    cwd: path.join(root, 'node_modules', 'node'),
    env: { ...process.env, PATH: outsidePath(root) },
    stdio: 'inherit',
  })
  const fetched = usable()
  if (fetched) return fetched
  throw new Error(
    `Volant needs Node ${least} or newer. This is Node ${process.versions.node}, and the npm package «node» ` +
      'that brings the right one could not be installed. Allow its install script, or install Node yourself.',
  )
}

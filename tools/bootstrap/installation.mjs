import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { uncheckedPackages } from './lock-platforms.mjs'

const HEARTBEAT_MS = 15_000

const readPackages = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {}
  } catch {
    return undefined
  }
}

/** The package of the lock file that has the pinned Node for this machine; only some systems have one. */
export const NODE_PACKAGE = `node_modules/node-${process.platform}-${process.arch}`

/** Why `node_modules` must be installed; npm writes its list last, so an interrupted installation has none. */
export function whyInstall(root, { development }) {
  const wanted = readPackages(path.join(root, 'package-lock.json'))
  const found = readPackages(path.join(root, 'node_modules', '.package-lock.json'))
  if (!wanted) throw new Error('package-lock.json is missing or damaged; check out the project again.')
  if (!found) return 'they are not installed yet'
  for (const [name, { version, optional, dev, devOptional, link }] of Object.entries(wanted)) {
    if (name === '' || link) continue
    if (!found[name]) {
      const mayBeMissing = (optional || devOptional) && name !== NODE_PACKAGE
      if (mayBeMissing || (dev && !development)) continue
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

/**
 * What npm is told: exactly the lock file, whatever NODE_ENV says; `npm start` leaves the development packages out.
 * They are added later in place, since `npm ci` would remove the files of a shop that runs from this folder.
 */
export function installCommand({ development, inPlace = false }) {
  const command = inPlace ? ['install', '--no-save'] : ['ci']
  return [...command, development ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund']
}

/** Stops before npm would install a package of this machine that package-lock.json has no checksum of. */
export function requireChecksums(root, { development }, machine) {
  const unchecked = uncheckedPackages(readPackages(path.join(root, 'package-lock.json')), machine)
  const needed = unchecked.filter(({ dev }) => development || !dev).map(({ name }) => name)
  if (needed.length === 0) return
  throw new Error(
    `package-lock.json has no checksums of packages for this system: ${needed.join(', ')}. ` +
      'Run npm run lock:platforms to get them from your registry, and start again.',
  )
}

/** Installs exactly the lock file. */
export async function ensureDependencies(root, options) {
  const reason = whyInstall(root, options)
  if (!reason) return
  requireWritable(root)
  requireChecksums(root, options)
  const inPlace = options.development && !whyInstall(root, { development: false })
  const command = installCommand({ ...options, inPlace })
  const named = `npm ${command[0]}`
  console.log(`Installing the dependencies (${reason}). The first time this takes a minute or two …`)
  const began = Date.now()
  const heartbeat = setInterval(() => {
    console.log(`  … still installing, ${Math.round((Date.now() - began) / 1000)} s`)
  }, HEARTBEAT_MS)
  try {
    const code = await runNpm(root, command)
    if (code !== 0)
      throw new Error(`${named} failed; its messages stand above. Is the npm registry reachable?`)
  } finally {
    clearInterval(heartbeat)
  }
  const still = whyInstall(root, options)
  if (still) throw new Error(`${named} has finished, and ${still}. Remove node_modules and start again.`)
  console.log(`Dependencies installed in ${Math.round((Date.now() - began) / 1000)} s.`)
  // npm runs no scripts at an installation (.npmrc), not even ours.
  if (options.development)
    spawnSync(process.execPath, ['tools/gates/install-hooks.mjs'], { cwd: root, stdio: 'inherit' })
}

function runNpm(root, command) {
  const args = [...command, '--loglevel=error']
  const npm = existsSync(process.env.npm_execpath ?? '') ? process.env.npm_execpath : undefined
  const script = npm && /\.c?js$/.test(npm) && !npm.startsWith(path.join(root, 'node_modules'))
  const inside = process.execPath.startsWith(path.join(root, 'node_modules'))
  const [program, prefix] = script ? [inside ? 'node' : process.execPath, [npm]] : ['npm', []]
  const env = { ...process.env, PATH: outsidePath(root) }
  const child = spawn(program, [...prefix, ...args], { cwd: root, env, stdio: 'inherit' })
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

/** The pinned Node of the lock file; else this one, if it is new enough. */
export async function findNode(root) {
  const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const least = engines.node.replace('>=', '')
  const pinned = path.join(root, NODE_PACKAGE, 'bin', 'node')
  if (existsSync(pinned) && isAtLeast(versionOf(pinned) ?? '0', least)) return pinned
  if (isAtLeast(process.versions.node, least)) return process.execPath
  throw new Error(
    `Volant needs Node ${least} or newer, and this is Node ${process.versions.node}. For ${process.platform} ` +
      `on ${process.arch} it brings none that runs here: install Node yourself.`,
  )
}

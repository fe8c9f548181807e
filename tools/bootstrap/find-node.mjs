import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { outsidePath } from './dependencies.mjs'

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

/**
 * The Node that runs Volant: the one pinned as npm package `node`, put together here when its install
 * script was not allowed to run; else the one that runs us, if it is new enough.
 */
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

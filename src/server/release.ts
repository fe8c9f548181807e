import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { shopVersion } from './config.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** The version and the first signs of the hash of the sources of its build, which tell two builds of one version apart. */
export function releaseName(root = ROOT): string {
  const stamp = path.join(root, 'build/sources.sha256')
  return existsSync(stamp) ? `${shopVersion()}-${readFileSync(stamp, 'utf8').slice(0, 8)}` : shopVersion()
}

/** How the connections of a process name themselves, before its roles and release; `npm run upgrade` reads it. */
export const RUNNING = 'volant process '

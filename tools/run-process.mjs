/**
 * Starts a process of the shop for a service manager, as `src/server/main.ts` does, after a look whether the release in this
 * folder is whole. Needs built-ins only until then.
 */
import path from 'node:path'
import { releaseFault } from './bootstrap/whole-release.mjs'

const fault = releaseFault(path.dirname(import.meta.dirname))
if (fault) {
  console.error(fault)
  process.exit(1)
}
await import('../src/server/main.ts')

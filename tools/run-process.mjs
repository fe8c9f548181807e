/**
 * Starts a process of the shop for a service manager, as `src/server/main.ts` does, after a look whether the release in this
 * folder is whole. Needs built-ins only until then.
 */
import path from 'node:path'
import { isRelease, releaseFault } from './bootstrap/whole-release.mjs'

const root = path.dirname(import.meta.dirname)
const fault = releaseFault(root)
if (fault) {
  console.error(fault)
  process.exit(1)
}
if (isRelease(root)) await import('../src/platform/without-types.mjs')
await import('../src/server/main.ts')

import { existsSync } from 'node:fs'

/**
 * Flags of Node for threads and processes that a process of the shop starts: none of its own, such as a debugger's port; in a
 * release, how it reads its sources.
 */
export const OWN_FLAGS: string[] = existsSync(new URL('../../release.json', import.meta.url))
  ? ['--import', new URL('./without-types.mjs', import.meta.url).href]
  : []

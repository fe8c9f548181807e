/**
 * For a release, whose sources have no types any more (tools/release/stage.ts): a process that imports this module first reads
 * them as they are, and Node does not load its compiler, which holds 15 MB.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

registerHooks({
  load: (url, context, next) =>
    url.startsWith('file:') && url.endsWith('.ts')
      ? { format: 'module', source: readFileSync(fileURLToPath(url)), shortCircuit: true }
      : next(url, context),
})

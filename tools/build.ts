/**
 * `npm run build`: makes everything that a process serves: the pages, the console, its preview of contests, and the page
 * that checks a draw without a network. Makes nothing when `build/` comes from the very same sources.
 */
import path from 'node:path'
import { buildIfNeeded } from './run/build.ts'
import { endingSignal, isEnding } from './run/ending.ts'
import { readOptions, say } from './run/say.ts'
import { explain } from './run/supervise.ts'

readOptions('npm run build', { options: {} })
try {
  await buildIfNeeded(path.resolve(import.meta.dirname, '..'), endingSignal())
  say('build/ has everything that a process serves.')
} catch (error) {
  if (!isEnding()) process.exitCode = explain(error)
}

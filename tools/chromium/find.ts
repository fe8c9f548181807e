import { spawnSync } from 'node:child_process'
import path from 'node:path'

/** The headless shell first: it opens no window for a page, which takes a quarter of the processor's time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

/** Whether a program answers like a browser; a wrapper of a browser that is not installed does not. */
export function runs(program: string): boolean {
  const run = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  return run.status === 0 && /\b(Chromium|Chrome)\b.*\d+\./.test(run.stdout)
}

/** A browser on the search path. */
export function findInstalled(searchPath = ''): string | undefined {
  const folders = searchPath.split(path.delimiter).filter(Boolean)
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(runs)
}

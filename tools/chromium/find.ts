import { spawnSync } from 'node:child_process'
import path from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
export const SHELL_NAME = 'chromium-headless-shell'

/** Whether a program answers like a browser; a wrapper of a browser that is not installed does not. */
export function runs(program: string): boolean {
  const run = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  return run.status === 0 && /\b(Chromium|Chrome)\b.*\d+\./.test(run.stdout)
}

/** A browser on the search path. */
export const findInstalled = (searchPath = ''): string | undefined => find(NAMES, searchPath)

/**
 * The headless shell on the search path: Chromium without windows, which opens a page for a quarter of the work. It keeps
 * no page for the way back, and so does not replace the other.
 */
export const findShell = (searchPath = ''): string | undefined => find([SHELL_NAME], searchPath)

function find(names: readonly string[], searchPath: string): string | undefined {
  const folders = searchPath.split(path.delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(runs)
}

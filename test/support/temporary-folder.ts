import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** A new folder, removed at the end of the test in progress, or, when asked for outside of tests and hooks, of the file. */
export function temporaryFolder(name = 'volant-test-', until: 'test' | 'file' = 'test'): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), name))
  const atEnd = until === 'test' ? onTestFinished : afterAll
  // Thousands of files take a busy machine longer than a hook may.
  atEnd(() => rmSync(folder, { recursive: true, force: true }), 60_000)
  return folder
}

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** A new folder for the test in progress, removed at its end. */
export function temporaryFolder(name = 'volant-test-'): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), name))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

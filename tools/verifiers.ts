/**
 * `npm run verifiers [-- FOLDER] [--check ADDRESS]`: makes the two programs that check draws, `verify.html` and
 * `verify-draw.py`, and prints their SHA-256. The same commit gives the same bytes on every machine, so that nobody needs to
 * trust the copies of a shop. With `--check` it compares them with what a shop serves and with the hashes in its register,
 * and ends with 1 where they differ.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fromCaller, projectDir, runTool } from './database/tool.ts'
import { findVerifiers, writeVerifiers } from './release/verifiers.ts'
import { buildVerifier } from './run/build.ts'
import { atEnd, endingSignal } from './run/ending.ts'
import { endWithUsage, readOptions, say } from './run/say.ts'

const USAGE = 'npm run verifiers [-- FOLDER] [--check ADDRESS]'
const { values, positionals } = readOptions(USAGE, {
  options: { check: { type: 'string' } },
  allowPositionals: true,
})
if (positionals.length > 1 || (values.check !== undefined && !/^https?:\/\/./.test(values.check)))
  endWithUsage(USAGE)

const told = (place: string, hash: string | null, ours: string | undefined): string =>
  hash === ours ? `the same in ${place}` : hash ? `DIFFERENT in ${place}: ${hash}` : `MISSING in ${place}`

await runTool(async () => {
  const work = mkdtempSync(path.join(os.tmpdir(), 'volant-verifiers-'))
  const remove = async (): Promise<void> => rmSync(work, { recursive: true, force: true })
  const done = atEnd(remove)
  try {
    const page = await buildVerifier(projectDir, work, endingSignal())
    const folder = positionals[0] ? fromCaller(positionals[0]) : path.join(projectDir, 'build/verifiers')
    const hashes = writeVerifiers(projectDir, page, folder)
    for (const [name, hash] of hashes) say(`${hash}  ${path.join(folder, name)}`)
    if (values.check === undefined) return
    const found = await findVerifiers(values.check, hashes.keys())
    for (const { name, served, registered } of found) {
      const ours = hashes.get(name)
      say(`${name}: ${told('the shop', served, ours)}, ${told('its register', registered, ours)}`)
      if (served !== ours || registered !== ours) process.exitCode = 1
    }
  } finally {
    await remove()
    done()
  }
})

/**
 * `npm run backup:rehearse -- [<backup>] [--identity <file>]`: restores the newest backup, or the one that is named, into a
 * database and a folder of its own, starts a shop on them that calls nobody, asks the invariants and walks through pages.
 * One line each; ends with 1 when one of them fails. Nothing of it stays.
 */
import { type Rehearsal, rehearse } from './backup/rehearsal.ts'
import { listBackups, readManifest } from './backup/folder.ts'
import { readBackupSettings } from './backup/settings.ts'
import { readIdentities } from './backup/streams.ts'
import { fromCaller, projectDir, runTool } from './database/tool.ts'
import { buildIfNeeded } from './run/build.ts'
import { endingSignal } from './run/ending.ts'
import { freePort } from './run/free-port.ts'
import { PlainError, endWithUsage, readOptions, say } from './run/say.ts'

const USAGE = 'npm run backup:rehearse -- [<backup>] [--identity <file>]'

const { values, positionals } = readOptions(USAGE, {
  options: { identity: { type: 'string' } },
  allowPositionals: true,
})
if (positionals.length > 1) endWithUsage(USAGE)

const tell: Rehearsal['tell'] = (isGood, what, text) =>
  say(`${(isGood ? 'ok' : 'FAULT').padEnd(6)} ${what.padEnd(11)} ${text}`)

async function newestIn(folder: string) {
  const { backups, faults } = await listBackups(folder)
  for (const fault of faults) tell(false, 'Folder', fault)
  if (!backups[0]) throw new PlainError(`${folder} has no whole backup: npm run backup.`)
  return backups[0]
}

await runTool(async () => {
  const identities = values.identity === undefined ? [] : await readIdentities(fromCaller(values.identity))
  const [named] = positionals
  const backup = named
    ? await readManifest(fromCaller(named))
    : await newestIn(readBackupSettings(process.env).folder)
  await buildIfNeeded(projectDir, endingSignal())
  const isGood = await rehearse({ backup, identities, port: await freePort(), tell })
  say(isGood ? `${backup.name} can be restored.` : `${backup.name} does not give a shop that works.`)
  if (!isGood) process.exitCode = 1
})

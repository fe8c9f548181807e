/**
 * `npm run backup`: writes a whole backup of the shop while it sells, copies it elsewhere by BACKUP_COPY_COMMAND, removes
 * what BACKUP_KEEP does not keep, and tells the shop what came of it. Ends with 1 when anything of that failed.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { noteBackupRun } from '#platform/backups.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { systemClock } from '#shared/clock.ts'
import { copyElsewhere } from './backup/copy.ts'
import { type Backup, listBackups, nameAt, removeBackup, removeDrafts } from './backup/folder.ts'
import { type Keep, superfluous } from './backup/rotation.rules.ts'
import { readBackupSettings } from './backup/settings.ts'
import { writeWholeBackup } from './backup/write.ts'
import { runTool, withClient, withDatabase } from './database/tool.ts'
import { readOptions, say } from './run/say.ts'

const MEGABYTE = 1e6

readOptions('npm run backup', { options: {} })

const faults: string[] = []
const fail = (what: string, error: unknown): void => {
  const fault = `${what}: ${error instanceof Error ? error.message : String(error)}`
  faults.push(fault)
  console.error(fault)
  process.exitCode = 1
}

const sizeOf = ({ manifest }: Backup): number =>
  Object.values(manifest.files).reduce((sum, { bytes }) => sum + bytes, 0)

await runTool(async () => {
  const settings = readBackupSettings(process.env)
  const { folder: parent, backupKeep, backupCopyCommand: copying, backupPublicKey: publicKeys } = settings
  const begun = performance.now()
  const name = await freeName(parent)
  await withDatabase(async ({ url, place }) => {
    let backup: Backup | undefined
    try {
      const drafts = await removeDrafts(parent)
      if (drafts > 0) say(`Removed ${drafts} that a run had left unfinished.`)
      backup = await withClient(url, 'backup', (client) =>
        writeWholeBackup({ client, parent, name, dataDir: settings.dataDir, publicKeys }),
      )
      const { isEncrypted, rows } = backup.manifest
      const size = (sizeOf(backup) / MEGABYTE).toFixed(1)
      say(`${backup.folder}: ${rows} rows of ${place}, ${size} MB, ${isEncrypted ? '' : 'not '}encrypted.`)
    } catch (error) {
      fail('No backup was written', error)
    }
    let isCopied: boolean | null = null
    if (backup && copying) {
      try {
        await copyElsewhere(copying, backup.folder)
        isCopied = true
        say('Copied by BACKUP_COPY_COMMAND.')
      } catch (error) {
        isCopied = false
        fail('The backup was written and not copied', error)
      }
    }
    // After a failure what is there stays.
    if (backup)
      await rotate(parent, backupKeep, backup.at).catch((error: unknown) => fail('Old backups stay', error))
    if (backup)
      say(
        'Not in it: the settings with their keys (SECRET_KEY, LOG_KEY, PAYPAL_CLIENT_SECRET, …). Keep them apart.',
      )
    const database = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool backup' })
    try {
      const isNoted = await noteBackupRun(database.db, name, {
        isMade: backup !== undefined,
        bytes: backup ? sizeOf(backup) : null,
        seconds: Math.round((performance.now() - begun) / 1_000),
        isEncrypted: publicKeys.length > 0,
        isCopied,
        fault: faults.join(' ') || null,
      })
      if (!isNoted) say('This server takes no writes: the shop does not know of this backup.')
    } catch (error) {
      fail('The shop does not know of this backup', error)
    } finally {
      await database.close()
    }
  })
})

async function rotate(parent: string, keep: Keep, now: Date): Promise<void> {
  const { backups, faults: strange } = await listBackups(parent)
  for (const fault of strange) say(`Left alone: ${fault}`)
  const leaving = new Set(superfluous(backups, keep, now))
  for (const backup of backups.filter(({ name }) => leaving.has(name)))
    say(
      (await removeBackup(backup))
        ? `Removed ${backup.name}.`
        : `Left alone: ${backup.folder} has a file of others.`,
    )
  say(`${backups.length - leaving.size} are kept.`)
}

/** Of two backups in one second the later one waits for the next. */
async function freeName(parent: string): Promise<string> {
  for (;;) {
    const name = nameAt(systemClock())
    if (!existsSync(path.join(parent, name))) return name
    await sleep(100)
  }
}

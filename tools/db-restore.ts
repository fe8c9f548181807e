/**
 * `npm run db:restore -- <backup> [--identity <file>] [--replace] [--closed]`: fills the database from a backup, with the files
 * of DATA_DIR that its folder has, or from the single file that an older release wrote, and brings it up to date; with `--closed` nobody can
 * order from it until `npm run sales -- open`.
 */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { type Backup, readManifest, verifySums } from './backup/folder.ts'
import { restoreFiles } from './backup/restore.ts'
import { readBackupSettings } from './backup/settings.ts'
import { readIdentities, readPart } from './backup/streams.ts'
import { DATABASE } from './backup/write.ts'
import { readBackup, readCompressed } from './database/backup-file.ts'
import { closeContests, type LoadOptions } from './database/load.ts'
import {
  fromCaller,
  migrationsFolder,
  printCounts,
  runTool,
  withClient,
  withDatabase,
} from './database/tool.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const USAGE = 'npm run db:restore -- <backup> [--identity <file>] [--replace] [--closed]'

const { values, positionals } = readOptions(USAGE, {
  options: {
    identity: { type: 'string' },
    replace: { type: 'boolean', default: false },
    closed: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const [named] = positionals
if (!named || positionals.length > 1) endWithUsage(USAGE)

await runTool(async () => {
  const file = fromCaller(named)
  const identities = values.identity === undefined ? [] : await readIdentities(fromCaller(values.identity))
  let backup: Backup | undefined
  if (existsSync(file) && (await stat(file)).isDirectory()) {
    backup = await readManifest(file)
    await verifySums(backup)
  }
  let closed: string[] | undefined
  const options: LoadOptions = {
    migrations: migrationsFolder,
    replace: values.replace,
    // In the same transaction: a database that sells is never seen.
    beforeCommit: async (client) => {
      if (values.closed) closed = await closeContests(client)
    },
  }
  await withDatabase(async ({ url, place }) => {
    const input = backup && (await readPart(backup, DATABASE, identities))
    const counts = await withClient(url, 'restore', (client) =>
      input
        ? readCompressed(client, { file: path.join(file, DATABASE), input }, options)
        : readBackup(client, file, options),
    )
    const applied = await migrate({ url, folder: migrationsFolder, log: silentLog })
    console.log(`${place} was filled from ${file}:`)
    printCounts(counts)
    if (applied.length > 0) console.log(`Brought up to date: ${applied.join(', ')}.`)
    console.log(
      closed
        ? `Closed: ${closed.join(', ') || 'nothing was open'}.`
        : 'What was sold after this backup is not in it, and its numbers will be issued anew: see --closed.',
    )
    if (!backup) return
    const { dataDir } = readBackupSettings(process.env)
    const files = await restoreFiles(backup, { dataDir, identities, replaces: values.replace })
    console.log(`${files.length} files of the backup are in ${dataDir}.`)
  })
})

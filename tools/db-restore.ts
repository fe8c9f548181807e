/**
 * `npm run db:restore -- <file> [--replace] [--closed]`: fills the database from a backup and brings it up to date; with
 * `--closed` nobody can order from it until its contests are opened again.
 */
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { readBackup } from './database/backup-file.ts'
import { closeContests, type LoadOptions } from './database/load.ts'
import {
  fromCaller,
  migrationsFolder,
  printCounts,
  runTool,
  withClient,
  withDatabase,
} from './database/tool.ts'

await runTool(async () => {
  const args = process.argv.slice(2)
  const [name] = args.filter((word) => !word.startsWith('--'))
  const unknown = args.find((word) => word.startsWith('--') && !['--replace', '--closed'].includes(word))
  if (!name || unknown)
    throw new Error('Name the backup: npm run db:restore -- volant-2026-01-31.gz [--replace] [--closed]')
  const file = fromCaller(name)
  let closed: string[] | undefined
  const options: LoadOptions = {
    migrations: migrationsFolder,
    replace: args.includes('--replace'),
    // In the same transaction: a database that sells is never seen.
    beforeCommit: async (client) => {
      if (args.includes('--closed')) closed = await closeContests(client)
    },
  }
  await withDatabase(async ({ url, place }) => {
    const counts = await withClient(url, 'restore', (client) => readBackup(client, file, options))
    const applied = await migrate({ url, folder: migrationsFolder, log: silentLog })
    console.log(`${place} was filled from ${file}:`)
    printCounts(counts)
    if (applied.length > 0) console.log(`Brought up to date: ${applied.join(', ')}.`)
    console.log(
      closed
        ? `Closed: ${closed.join(', ') || 'nothing was open'}.`
        : 'What was sold after this backup is not in it, and its numbers will be issued anew: see --closed.',
    )
  })
})

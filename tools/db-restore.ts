/**
 * `npm run db:restore -- <file> [--replace] [--closed]`: fills the database from a backup and brings it up to date; with
 * `--closed` nothing is sold from it until its contests are opened again.
 */
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { readBackup } from './database/backup-file.ts'
import { closeContests } from './database/close-contests.ts'
import { fromCaller, printCounts, runTool } from './database/command.ts'
import { currentDatabase, migrationsFolder, withClient } from './database/current.ts'

await runTool(async () => {
  const args = process.argv.slice(2)
  const [name] = args.filter((word) => !word.startsWith('--'))
  const unknown = args.find((word) => word.startsWith('--') && !['--replace', '--closed'].includes(word))
  if (!name || unknown)
    throw new Error('Name the backup: npm run db:restore -- volant-2026-01-31.gz [--replace] [--closed]')
  const file = fromCaller(name)
  const options = { migrations: migrationsFolder, replace: args.includes('--replace') }
  const database = await currentDatabase(process.env)
  try {
    const counts = await withClient(database.url, 'restore', (client) => readBackup(client, file, options))
    const applied = await migrate({ url: database.url, folder: migrationsFolder, log: silentLog })
    console.log(`${database.place} was filled from ${file}:`)
    printCounts(counts)
    if (applied.length > 0) console.log(`Brought up to date: ${applied.join(', ')}.`)
    if (args.includes('--closed')) {
      const closed = await withClient(database.url, 'restore', closeContests)
      console.log(`Closed: ${closed.join(', ') || 'nothing was open'}.`)
    } else {
      console.log(
        'What was sold after this backup is not in it, and its numbers will be issued anew: see --closed.',
      )
    }
  } finally {
    await database.stop()
  }
})

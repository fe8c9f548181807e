/** `npm run db:restore -- <file> [--replace]`: fills the database from a backup and brings it up to date. */
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { readBackup } from './database/backup-file.ts'
import { fromCaller, printCounts, runTool } from './database/command.ts'
import { currentDatabase, migrationsFolder, withClient } from './database/current.ts'

await runTool(async () => {
  const args = process.argv.slice(2)
  const [name] = args.filter((word) => !word.startsWith('--'))
  const unknown = args.find((word) => word.startsWith('--') && word !== '--replace')
  if (!name || unknown)
    throw new Error('Name the backup: npm run db:restore -- volant-2026-01-31.gz [--replace]')
  const file = fromCaller(name)
  const options = { migrations: migrationsFolder, replace: args.includes('--replace') }
  const database = await currentDatabase(process.env)
  try {
    const counts = await withClient(database.url, 'restore', (client) => readBackup(client, file, options))
    const applied = await migrate({ url: database.url, folder: migrationsFolder, log: silentLog })
    console.log(`${database.place} was filled from ${file}:`)
    printCounts(counts)
    if (applied.length > 0) console.log(`Brought up to date: ${applied.join(', ')}.`)
  } finally {
    await database.stop()
  }
})

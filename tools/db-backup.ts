/** `npm run db:backup -- <file>`: writes the whole database into one compressed file, while the shop runs. */
import { writeBackup } from './database/backup-file.ts'
import { currentDatabase, fromCaller, printCounts, runTool, withClient } from './database/tool.ts'

await runTool(async () => {
  const [name] = process.argv.slice(2)
  if (!name) throw new Error('Name the file to write: npm run db:backup -- volant-2026-01-31.gz')
  const file = fromCaller(name)
  const database = await currentDatabase(process.env)
  try {
    const counts = await withClient(database.url, 'backup', (client) => writeBackup(client, file))
    console.log(`${database.place} was written to ${file}:`)
    printCounts(counts)
    console.log('Pictures and secrets are files in DATA_DIR; copy them as well.')
  } finally {
    await database.stop()
  }
})

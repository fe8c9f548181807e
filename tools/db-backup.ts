/** `npm run db:backup -- <file>`: writes the whole database into one compressed file, while the shop runs. */
import { noteBackup, writeBackup } from './database/backup-file.ts'
import { fromCaller, printCounts, runTool, withClient, withDatabase } from './database/tool.ts'

await runTool(async () => {
  const [name] = process.argv.slice(2)
  if (!name) throw new Error('Name the file to write: npm run db:backup -- volant-2026-01-31.gz')
  const file = fromCaller(name)
  await withDatabase(async ({ url, place }) => {
    const counts = await withClient(url, 'backup', async (client) => {
      const written = await writeBackup(client, file)
      await noteBackup(client)
      return written
    })
    console.log(`${place} was written to ${file}:`)
    printCounts(counts)
    console.log('Pictures and secrets are files in DATA_DIR; copy them as well.')
  })
})

/** `npm run db:move -- <postgres://…>`: copies the shop's database to a PostgreSQL server. */
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { move } from './database/load.ts'
import {
  describeUrl,
  migrationsFolder,
  printCounts,
  runTool,
  withClient,
  withDatabase,
} from './database/tool.ts'

await runTool(async () => {
  const [target] = process.argv.slice(2)
  if (!target || !/^postgres(ql)?:\/\//.test(target) || !URL.canParse(target)) {
    throw new Error(
      'Give the address of an empty database: npm run db:move -- postgres://user:password@host/database',
    )
  }
  await withDatabase(async (source) => {
    const counts = await withClient(source.url, 'move', (from) =>
      withClient(target, 'move', (to) => move(from, to, { migrations: migrationsFolder })),
    )
    await migrate({ url: target, folder: migrationsFolder, log: silentLog })
    console.log(`${source.place} was copied to ${describeUrl(target)}, and both sides agree:`)
    printCounts(counts)
    console.log('Start the shop with DATABASE_URL set to that address. The old database is unchanged.')
  })
})

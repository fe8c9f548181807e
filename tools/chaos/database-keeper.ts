/**
 * Keeps the embedded PostgreSQL of a folder running, as a process of its own that can be killed: prints the server's
 * address as JSON and stays until it is told to stop.
 *
 *   node tools/chaos/database-keeper.ts <data folder>
 */
import path from 'node:path'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { silentLog } from '#platform/postgres/log.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const server = await ensureEmbeddedPostgres({ dataDir: process.argv[2] ?? '', projectDir, log: silentLog })
const { url, adminUrl, dataDir, adopted } = server
process.stdout.write(`${JSON.stringify({ url, adminUrl, dataDir, adopted })}\n`)
process.once('SIGTERM', () => {
  server.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})

/**
 * Runs the embedded PostgreSQL of a folder as a process of its own, which can be killed: prints the server's address as
 * JSON and stays until it is told to stop.
 *
 *   node tools/testbed/database-keeper.ts <data folder> [durable | fast]
 */
import path from 'node:path'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { silentLog } from '#platform/postgres/log.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const [, , folder = '', speed] = process.argv
const starting = ensureEmbeddedPostgres({
  dataDir: folder,
  projectDir,
  log: silentLog,
  durable: speed !== 'fast',
})
process.once('SIGTERM', () => {
  starting
    .then((server) => server.stop())
    .then(
      () => process.exit(0),
      () => process.exit(1),
    )
})
const { url, dataDir } = await starting
process.stdout.write(`${JSON.stringify({ url, dataDir })}\n`)

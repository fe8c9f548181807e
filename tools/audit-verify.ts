/**
 * `npm run audit:verify`: computes the hashes of the audit log again, while the shop runs or not. `--checkpoint
 * <entries>:<hash>` compares with one that the shop has emailed: a log that was rewritten or cut since then differs.
 * Ends with 1 when something does not fit.
 */
import { compareCheckpoint, verifyAuditLog } from '#platform/audit-log.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { runTool, withDatabase } from './database/tool.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const USAGE = 'npm run audit:verify -- [--checkpoint <entries>:<hash>]'

const { values } = readOptions(USAGE, { options: { checkpoint: { type: 'string' } } })
const { checkpoint } = values
const [, entries, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(checkpoint ?? '') ?? []
if (checkpoint !== undefined && hash === undefined) endWithUsage(USAGE)

await runTool(async () => {
  await withDatabase(async ({ url, place }) => {
    const database = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool audit' })
    try {
      const { checkpoint: end, brokenAt } = await verifyAuditLog(database.db)
      console.log(`${place}: ${end.entries} entries in the audit log`)
      if (brokenAt === null) console.log(`unbroken; the last hash is ${end.hash || 'not there yet'}`)
      else console.log(`BROKEN: entry ${brokenAt} does not follow from the one before it`)
      const fault = hash && (await otherThan(Number(entries), hash))
      if (fault) console.log(`BROKEN: ${fault}`)
      else if (hash) console.log(`entry ${entries} has the hash of the checkpoint`)
      if (brokenAt !== null || fault) process.exitCode = 1

      async function otherThan(id: number, expected: string): Promise<string | undefined> {
        const { is, found } = await compareCheckpoint(database.db, { entries: id, hash: expected })
        if (is === 'missing') return `the log has no entry ${id} any more`
        return is === 'same' ? undefined : `entry ${id} has another hash than the checkpoint: ${found}`
      }
    } finally {
      await database.close()
    }
  })
})

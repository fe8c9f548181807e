/**
 * `npm run sales -- close --reason <text>` stops the sale of every contest, for a database that lacks its last sales;
 * `open` sells again what `close` or `db:restore -- --closed` has stopped, `status` tells what is for sale. The audit log has
 * each change with its reason.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { saleStates, sellAgain, stopSelling } from '#features/offers/server/index.ts'
import { type Database, isReadOnly, openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { transact } from '#platform/transaction.ts'
import { runTool, withDatabase } from './database/tool.ts'
import { endWithUsage, readOptions, say } from './run/say.ts'

const USAGE = 'npm run sales -- close|open|status [--reason <text>]'
const COMMANDS = { close: stopSelling, open: sellAgain }

const { values, positionals } = readOptions(USAGE, {
  options: { reason: { type: 'string' } },
  allowPositionals: true,
})
const [command] = positionals
const reason = values.reason?.trim()
if (positionals.length !== 1 || (command !== 'status' && command !== 'close' && command !== 'open'))
  endWithUsage(USAGE)

await runTool(async () => {
  if (command !== 'status' && !reason)
    throw new Error('Say why: --reason "the database was restored to 14:05"')
  await withDatabase(async ({ url, place }) => {
    const database = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool sales' })
    try {
      if (command !== 'status') {
        await untilWritable(database.db)
        const changed = await transact(database.db, (trx) => COMMANDS[command](trx, reason!))
        const what = command === 'close' ? 'Stopped' : 'For sale again'
        say(`${what}: ${changed.join(', ') || 'nothing was to be changed'}.`)
      }
      const states = await saleStates(database.db)
      say(`${place}:`)
      for (const { slug, is, at, reason: why } of states)
        say(`  ${is.padEnd(11)} ${slug}, since ${at.toISOString()}${why ? `: ${why}` : ''}`)
      if (states.length === 0) say('  no contest is for sale, or was stopped')
      if (states.some((one) => one.is === 'unscheduled'))
        say('Schedule those that are unscheduled again in the console.')
    } finally {
      await database.close()
    }
  })
})

/** PostgreSQL responds, and takes no writes, while it reads its log after a restore. */
async function untilWritable(db: Database): Promise<void> {
  for (let isTold = false; await isReadOnly(db); isTold = true) {
    if (!isTold) say('Waiting until the database takes writes …')
    await sleep(500)
  }
}

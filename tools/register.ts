/**
 * `npm run register -- restore REGISTER CHECKPOINTS`: appends to the register of the draws what a restored backup lacks, from
 * `register.txt` and `register-checkpoints.txt` of an evidence pack, or `/draws/log.txt` and `/draws/checkpoints.txt`, that
 * somebody kept. It signs nothing, and refuses files that do not continue the register. It can be run while the shop runs.
 */
import { readFileSync } from 'node:fs'
import { RestoreFault, restoreRegister } from '#features/draws/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { fromCaller, runTool, withDatabase } from './database/tool.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const USAGE = 'npm run register -- restore REGISTER CHECKPOINTS'

const { positionals } = readOptions(USAGE, { options: {}, allowPositionals: true })
const [command, registerFile = '', checkpointsFile = ''] = positionals
if (command !== 'restore' || positionals.length !== 3) endWithUsage(USAGE)

await runTool(async () => {
  const [register, checkpoints] = [registerFile, checkpointsFile].map((file) =>
    readFileSync(fromCaller(file), 'utf8'),
  ) as [string, string]
  await withDatabase(async ({ url }) => {
    const database = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool register' })
    try {
      const { from, to } = await restoreRegister(database.db, { register, checkpoints })
      console.log(
        `The register had ${from} leaves and has ${to}. The shop asks its witnesses within a minute.`,
      )
    } catch (error) {
      throw error instanceof RestoreFault ? new Error(`Nothing was changed: ${error.message}.`) : error
    } finally {
      await database.close()
    }
  })
})

/**
 * `npm run invariants`: asks the database whether every invariant of db/invariants.sql holds, while the shop runs or not.
 * `--without-provider` leaves out I5, for when neither PayPal nor the emulator can be reached. Ends with 1 on a breach.
 */
import { openDatabase } from '#platform/database.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { projectDir, runTool, withDatabase } from './database/tool.ts'
import { reconcileWithProvider, reportLines } from './invariants/ledger.ts'
import { runningSettings } from './run/running-settings.ts'
import { readOptions } from './run/say.ts'

const LEDGER = 'I5'

const { values } = readOptions('npm run invariants -- [--without-provider]', {
  options: { 'without-provider': { type: 'boolean', default: false } },
})

await runTool(async () => {
  const withProvider = !values['without-provider']
  const shop = runningSettings(process.env, projectDir)
  const all = await shopInvariants()
  const alone = all.filter(({ name }) => name !== LEDGER)
  const ledger = all.find(({ name }) => name === LEDGER)
  await withDatabase(async ({ url, place }) => {
    const database = openDatabase({ url, max: 2, log: silentLog, applicationName: 'volant invariants' })
    let failure: unknown
    try {
      const breaches = await checkInvariants(database.db, alone)
      if (withProvider && ledger) {
        const breach = await reconcileWithProvider(database.db, ledger, shop).catch((error: unknown) => {
          failure = error
        })
        if (breach) breaches.push(breach)
      }
      const asked = withProvider && !failure ? all : alone
      console.log(`${place}:`)
      for (const line of reportLines(asked, breaches)) console.log(line)
      if (failure) {
        const reason = reasonOf(failure)
        console.log(`UNKNOWN ${LEDGER}   ${ledger?.title}`)
        console.log(`          the provider at ${shop.paypalBaseUrl} does not send its ledger: ${reason}`)
      } else if (!withProvider) console.log(`not asked: ${LEDGER}`)
      console.log(
        breaches.length > 0 ? `${breaches.length} of ${asked.length} broken` : `${asked.length} hold`,
      )
      if (breaches.length > 0 || failure) process.exitCode = 1
    } finally {
      await database.close()
    }
  })
})

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

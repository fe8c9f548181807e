/**
 * `npm run doctor`: looks at what the shop needs, one line each, before traffic or beside a running shop. Changes nothing,
 * but starts an embedded database that does not run. Ends with 1 when something is at fault, 0 with warnings.
 */
import { logKeyOf } from '#features/draws/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { readMigrations } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { ConfigFaults, type Config, keptKeys, readConfig } from '#server/config.ts'
import { examine, shopChecks, told } from '#server/doctor/doctor.ts'
import { rootFault, startFault } from '#server/start-faults.ts'
import { readStampAuthority } from '#server/stamp-authority.ts'
import { readWitnessPolicy } from '#server/witness-policy.ts'
import { migrationsFolder, projectDir, runTool, withDatabase } from './database/tool.ts'
import { runningSettings } from './run/running-settings.ts'
import { readOptions } from './run/say.ts'

readOptions('npm run doctor', { options: {} })

const print = (state: string, title: string, text: string): void =>
  console.log(`${state.padEnd(8)} ${title}: ${text}`)

/** @returns undefined after a line for each fault of the settings, or of the account that asks */
function settings() {
  let read: Config | undefined
  try {
    read = readConfig()
    const fault = rootFault(read)
    if (fault) throw new ConfigFaults([fault])
    // The emulator of a demonstration may have another port than the usual one.
    const config = read.demo ? runningSettings(process.env, projectDir) : read
    return {
      config,
      keys: keptKeys(config),
      witnesses: readWitnessPolicy(config),
      stamps: readStampAuthority(config),
    }
  } catch (error) {
    const known = read && startFault(error, read)
    const faults = error instanceof ConfigFaults ? error.faults : known && [known]
    if (!faults) throw error
    for (const line of faults) print('fault', 'Settings', line)
    process.exitCode = 1
    return undefined
  }
}

await runTool(async () => {
  const found = settings()
  if (!found) return
  const { config, keys, witnesses, stamps } = found
  print('ok', 'Settings', `complete, ${config.mode} mode.`)
  await withDatabase(async ({ url }) => {
    const database = openDatabase({ url, max: 2, log: silentLog, applicationName: 'volant tool doctor' })
    try {
      const findings = await examine(
        shopChecks({
          config,
          db: database.db,
          secret: keys.secret,
          previousSecret: config.previousSecretKey,
          logKey: logKeyOf(keys.logKeySeed),
          witnesses,
          stamps,
          migration: (await readMigrations(migrationsFolder)).length,
        }),
      )
      for (const finding of findings) {
        const { title, text } = told(finding, 'en')
        print(finding.state, title, text)
        if (finding.state === 'fault') process.exitCode = 1
      }
    } finally {
      await database.close()
    }
  })
})

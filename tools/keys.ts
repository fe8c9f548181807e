/**
 * `npm run keys`: encrypts what SECRET_KEY_PREVIOUS had encrypted by SECRET_KEY, and says what ends when the previous key is
 * removed. It can be run while the shop runs, and again at any time.
 */
import { renewAuthenticators } from '#features/staff/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { keptKeys, readConfig } from '#server/config.ts'
import { runTool, withDatabase } from './database/tool.ts'
import { readOptions } from './run/say.ts'

readOptions('npm run keys', { options: {} })

await runTool(async () => {
  const config = readConfig()
  const keys = { secret: keptKeys(config).secret, previousSecret: config.previousSecretKey }
  await withDatabase(async ({ url }) => {
    const database = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool keys' })
    try {
      const { renewed, present, lost, withCodes } = await renewAuthenticators(database.db, keys)
      console.log(`Authenticators: ${renewed} encrypted anew, ${present} by SECRET_KEY already.`)
      if (lost.length > 0)
        throw new Error(
          `Neither key opens the authenticator of ${lost.join(', ')}. Set the key that made it as SECRET_KEY_PREVIOUS and run this again, or let an owner remove it in the console.`,
        )
      if (!keys.previousSecret) return
      console.log(
        withCodes === 0
          ? 'Nobody has unused recovery codes.'
          : `People with unused recovery codes: ${withCodes}. Codes from before the change end with SECRET_KEY_PREVIOUS: ask for new ones in the console.`,
      )
      console.log(
        'SECRET_KEY_PREVIOUS can be removed once no claim of a prize is open that it made a link for.',
      )
    } finally {
      await database.close()
    }
  })
})

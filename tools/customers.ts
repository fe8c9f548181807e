/**
 * `npm run customers -- <count> [--out file]`: makes customers in the database of the shop, for load tests, and prints
 * a line of JSON for each: email, password, user_id, cart_id, access, refresh, access_expires_at.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createPasswords } from '#features/accounts/server/index.ts'
import { isDemonstration } from '#features/demo/server/index.ts'
import { type Database, openDatabase } from '#platform/database.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { readConfig, secretKey } from '#server/config.ts'
import { hasRealOrders, makeCustomers } from './customers/make-customers.ts'
import { fromCaller, migrationsFolder, runTool, withDatabase } from './database/tool.ts'

const USAGE = 'Usage: npm run customers --silent -- <count from 1 to 100000> [--out file]'

/** What keeps a database from getting customers of this tool, as the end of a sentence about it. */
async function whyNotHere(db: Database): Promise<string | undefined> {
  if (!(await isDemonstration(db)))
    return 'is no demonstration: this tool makes customers only where a start in demo mode has filled the database'
  // A demonstration that went live keeps the accounts by which it is known.
  if (await hasRealOrders(db))
    return 'has orders to be paid at PayPal with real money: this tool makes customers in demonstrations only'
  return undefined
}

await runTool(async () => {
  const options = { out: { type: 'string' } } as const
  const { positionals, values } = parseArgs({ options, allowPositionals: true })
  const count = Number(positionals[0])
  if (positionals.length !== 1 || !Number.isInteger(count) || count < 1 || count > 100_000)
    throw new Error(USAGE)
  if (process.env.MODE?.trim() === 'live')
    throw new Error('Live mode has real customers only: this tool makes them in demo mode.')
  const config = readConfig()
  await withDatabase(async ({ url, place }) => {
    const database = openDatabase({ url, max: 2, log: silentLog, applicationName: 'volant tool customers' })
    try {
      const why = await whyNotHere(database.db)
      if (why !== undefined) throw new Error(`${place} ${why}, whatever MODE says here.`)
      await migrate({ url, folder: migrationsFolder, log: silentLog })
      const password = randomBytes(9).toString('base64url')
      // One hash for all of them, since hashing is slow on purpose.
      const passwordHash = await createPasswords().hash(password)
      const made = await makeCustomers(database.db, count, { secret: secretKey(config), passwordHash })
      const lines = made.map(({ email, userId: user_id, cartId: cart_id, access, refresh, expiresAt }) => {
        const access_expires_at = expiresAt.toISOString()
        return JSON.stringify({ email, password, user_id, cart_id, access, refresh, access_expires_at })
      })
      const text = `${lines.join('\n')}\n`
      if (values.out === undefined) process.stdout.write(text)
      else {
        writeFileSync(fromCaller(values.out), text, { mode: 0o600 })
        console.log(`${count} customers of ${place} are in ${fromCaller(values.out)}.`)
      }
    } finally {
      await database.close()
    }
  })
})

/**
 * `npm run fill -- --orders 1000000 --tickets 5000000`: fills an empty database with two years of an invented shop, for
 * measurements: customers, contests, orders with their payments and refunds, tickets, entries by post, messages, emails,
 * alerts and the audit log. The same seed and end make the same history. The database is that of DATA_DIR or
 * DATABASE_URL, one of which must be given; it counts as a demonstration from then on, which live mode refuses.
 *
 *   DATA_DIR=/tmp/million npm run fill -- [--orders 1000000] [--tickets 5000000] [--customers 300000] [--seed 1]
 *                                         [--until 2026-11-23T12:00:00Z]
 */
import { randomBytes } from 'node:crypto'
import { createPasswords } from '#features/accounts/server/index.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { givenDatabaseUrl } from '#server/config.ts'
import { STAFF_ROLES } from '#shared/staff-permissions.ts'
import { migrationsFolder, printCounts, runTool, withClient, withDatabase } from './database/tool.ts'
import { fillDatabase, whyNotToFill } from './fill/fill-database.ts'
import { staffEmail } from './fill/history.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const USAGE =
  'DATA_DIR=<empty folder> npm run fill -- [--orders 1000000] [--tickets 5000000] [--customers 300000] [--seed 1] ' +
  '[--until 2026-11-23T12:00:00Z]'

const { values } = readOptions(USAGE, {
  options: {
    orders: { type: 'string', default: '1000000' },
    tickets: { type: 'string', default: '5000000' },
    customers: { type: 'string', default: '300000' },
    seed: { type: 'string', default: '1' },
    until: { type: 'string', default: new Date().toISOString() },
  },
})
const [orders, tickets, customers, seed] = [values.orders, values.tickets, values.customers, values.seed].map(
  Number,
) as [number, number, number, number]
const until = new Date(values.until)
const isWhole = (value: number, most: number): boolean =>
  Number.isInteger(value) && value >= 1 && value <= most
if (
  !isWhole(orders, 10_000_000) ||
  !isWhole(tickets, 50_000_000) ||
  !isWhole(customers, 9_000_000) ||
  !isWhole(seed, 1_000_000_000) ||
  Number.isNaN(until.getTime()) ||
  until.getTime() > Date.now()
)
  endWithUsage(USAGE)

await runTool(async () => {
  if (process.env.MODE?.trim() === 'live') throw new Error('MODE is live: this tool invents customers.')
  if (givenDatabaseUrl(process.env) === undefined && !process.env.DATA_DIR)
    throw new Error('Name an empty database: DATA_DIR=<empty folder>, or DATABASE_URL.')
  if (tickets < orders * 2) throw new Error('--tickets: at least twice as many as --orders.')
  const begun = performance.now()
  const seconds = (): string => ((performance.now() - begun) / 1000).toFixed(0).padStart(4)
  await withDatabase(async ({ url, place }) => {
    await migrate({ url, folder: migrationsFolder, log: silentLog })
    await withClient(url, 'fill', async (client) => {
      const why = await whyNotToFill(client)
      if (why !== undefined) throw new Error(`${place} ${why}.`)
      const password = `${randomBytes(9).toString('base64url')}-Va1!`
      const passwordHash = await createPasswords().hash(password)
      const counts = await fillDatabase(
        client,
        { orders, tickets, customers, seed, until, passwordHash },
        (line) => console.log(`${seconds()} s  ${line}`),
      )
      console.log(`${place} is filled (${seconds().trim()} s):`)
      printCounts(counts)
      console.log(`Staff: ${STAFF_ROLES.map(staffEmail).join(', ')}, password ${password}`)
    })
  })
})

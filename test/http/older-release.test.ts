import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'
import { PATIENCE, startShopProcess } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// A process of the version before: it starts again on a database that a newer version has migrated.
const shop = await openShop()
const dataDir = temporaryFolder('volant-older-', 'file')

/** @param backTo of the newer version's migration */
const migratedTo = (backTo: number) =>
  sql`
  INSERT INTO schema_migration (version, name, checksum, back_to)
  SELECT max(version) + 1, 'later', 'x', ${backTo} FROM schema_migration WHERE name <> 'later'
  ON CONFLICT (version) DO UPDATE SET back_to = excluded.back_to`.execute(shop.db)

async function start() {
  const running = await startShopProcess({
    env: {
      DATABASE_URL: shop.url,
      DATA_DIR: dataDir,
      SECRET_KEY: shop.secret,
      PAYPAL_BASE_URL: shop.paypal.url,
      LOG_LEVEL: 'warn',
    },
    hasOutput: true,
  })
  const lines: string[] = []
  running.child.stdout?.setEncoding('utf8').on('data', (text: string) => lines.push(text))
  afterAll(() => running.end('SIGKILL'))
  return { ...running, log: () => lines.join('') }
}

test('a process starts on the schema of a newer version that lets it run, says so, and sells', async () => {
  await migratedTo(0)
  const running = await start()
  await running.whenReady()
  expect(running.log()).toMatch(/later\.sql.*newer version of Volant, whose migrations let this one run/)
  const { customer, orderId } = await shop.approvedOrder(2)
  const token = (await shop.sessionOf(customer))['access']
  const paid = await running.call('/api/paypal/capture-payment/', token, { order_id: orderId })
  expect(paid).toMatchObject({ status: 'COMPLETED', tickets: [{}, {}] })
  expect(await running.end('SIGTERM')).toBe(0)
})

test('a process does not start on a schema that takes no older version', async () => {
  await migratedTo(9999)
  const { child } = await start()
  await expect.poll(() => child.exitCode, PATIENCE).toBe(1)
})

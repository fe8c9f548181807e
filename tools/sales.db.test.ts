import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openShop } from '../test/support/shop.ts'
import { isExtended } from '../test/support/tier.ts'
import { projectDir, withClient } from './database/tool.ts'
import { bareEnvironment } from './testbed/program.ts'

const shop = await openShop()
const ended = new Date(Date.now() - 60_000)

function start(...args: string[]) {
  const child = spawn(process.execPath, ['tools/sales.ts', ...args], {
    cwd: projectDir,
    env: { ...bareEnvironment(), DATABASE_URL: shop.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const heard = { output: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => (heard.output += String(part)))
  return { heard, done: once(child, 'close').then(([code]) => ({ code: code as number | null, ...heard })) }
}
const sales = (...args: string[]) => start(...args).done

const entries = async (action: string) =>
  (
    await shop.pool.query<{ actor: string; reason: string }>(
      `SELECT entry::jsonb ->> 'actor' AS actor, entry::jsonb ->> 'reason' AS reason FROM audit_log WHERE action = $1`,
      [action],
    )
  ).rows

test('the sale of every contest is closed with a reason, told, and opened again', async () => {
  const running = await shop.newOffer({ slug: 'running' })
  await shop.newOffer({ slug: 'another' })
  await shop.newOffer({ slug: 'over', end_date: ended })
  await shop.newOffer({ slug: 'closed-before', state: 'closed', end_date: ended })
  await shop.newOffer({ slug: 'later', state: 'scheduled', opens_at: new Date(Date.now() + 3_600_000) })
  const customer = await shop.newCustomer()
  const begun = await shop.approvedOrder(1, 'buyer@buyer.test', running)

  const closed = await sales('close', '--reason', 'restored to 14:05')
  expect([closed.code, closed.output]).toEqual([0, expect.stringMatching(/^Stopped: another, running\.$/m)])
  expect((await customer.order(running, 1)).status).toBe(409)
  // Approved at the provider, and no money moves.
  expect((await begun.customer.capture(begun.orderId)).status).toBe(409)
  expect(shop.capturesOf(begun.orderId)).toEqual([])
  expect((await shop.anonymous('GET', '/api/offers/running/')).body['stopped_as']).toBe('stopped')
  expect(await entries('offers.stop')).toEqual(
    Array.from({ length: 2 }, () => ({ actor: 'command line', reason: 'restored to 14:05' })),
  )
  expect(await entries('offers.unschedule')).toHaveLength(1)

  const again = await sales('close', '--reason', 'once more')
  expect([again.code, again.output]).toEqual([
    0,
    expect.stringMatching(/^Stopped: nothing was to be changed\.$/m),
  ])
  const told = await sales('status')
  expect(told.code).toBe(0)
  expect(told.output).toMatch(/^ +stopped +another, since \S+: restored to 14:05$/m)
  expect(told.output).toMatch(/^ +stopped +running, /m)
  expect(told.output).toMatch(/^ +unscheduled later, since \S+: restored to 14:05\n(?:.*\n)*Schedule those/m)
  expect(told.output).not.toMatch(/over|closed-before/)

  const opened = await sales('open', '--reason', 'all matched')
  expect([opened.code, opened.output]).toEqual([
    0,
    expect.stringMatching(/^For sale again: another, running\.$/m),
  ])
  expect(opened.output).toMatch(/^ +open +running, since \S+Z$/m)
  expect((await customer.order(running, 1)).status).toBe(200)
  expect(await entries('offers.resume')).toEqual(
    Array.from({ length: 2 }, () => ({ actor: 'command line', reason: 'all matched' })),
  )
})

const MISTAKES: [string[], number, string][] = [
  [['close'], 1, 'Say why: --reason'],
  [['open', '--reason', '  '], 1, 'Say why: --reason'],
  [[], 2, 'Usage: npm run sales'],
  [['stop', '--reason', 'x'], 2, 'Usage: npm run sales'],
  [['close', 'open', '--reason', 'x'], 2, 'Usage: npm run sales'],
  [['close', '--because', 'x'], 2, 'Usage: npm run sales'],
]
test.each(isExtended ? MISTAKES : [MISTAKES[0]!, MISTAKES.at(-1)!])(
  '%j changes nothing',
  async (args, code, message) => {
    await shop.newOffer()
    const before = await shop.pool.query('SELECT id, state FROM offers ORDER BY id')
    expect(await sales(...args)).toEqual({ code, output: expect.stringContaining(message) })
    expect((await shop.pool.query('SELECT id, state FROM offers ORDER BY id')).rows).toEqual(before.rows)
  },
)

test('a database that still reads its log is waited for', async () => {
  await shop.newOffer({ slug: 'waiting' })
  const setReadOnly = (value: string) =>
    withClient(shop.url, 'test', (client) =>
      client.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${value}', current_database()); END $$`,
      ),
    )
  await setReadOnly('on')
  const { heard, done } = start('close', '--reason', 'restored')
  await expect.poll(() => heard.output).toContain('Waiting until the database takes writes')
  await withClient(shop.url, 'test', (client) => client.query('SELECT 1'))
  // Of the session that waits; a new one has what the database says.
  await shop.pool.query('SET default_transaction_read_only = off')
  await withClient(shop.url, 'test', async (client) => {
    await client.query('SET default_transaction_read_only = off')
    await client.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = off', current_database()); END $$`,
    )
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'volant tool sales' AND datname = current_database()`,
    )
  })
  expect(await done).toMatchObject({ code: 0, output: expect.stringMatching(/^Stopped: .*waiting/m) })
})

import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { customersRepository } from '#features/customers/server/customers.repository.ts'
import { orderSearch } from '#features/purchase/orders/server/staff-orders.repository.ts'
import { openTestDatabase } from '../support/database.ts'
import { onStatements } from '../support/statements.ts'
import { sized } from '../support/tier.ts'

const { db, pool } = await openTestDatabase()

/** The names of a town: a fifth of them have the same first word. */
const ACCOUNTS = sized({ short: 20_000, extended: 200_000 })

beforeAll(async () => {
  // Each statement has the shop's time limit.
  for (let first = 1; first <= ACCOUNTS; first += 10_000)
    await pool.query(
      `INSERT INTO users (username, email, password_hash)
       SELECT (ARRAY['Jean', 'Zoé', 'Søren', 'Marie', 'Łukasz'])[1 + n % 5] || ' ' || translate(md5(n::text), '0123456789', 'ghijklmnop'),
              'account.' || n || '@names.test', 'none'
       FROM generate_series($1::int, $2::int) AS n`,
      [first, first + 9_999],
    )
  await pool.query(
    `INSERT INTO users (username, email, password_hash) VALUES ('Zoé Lambert', 'zoe@names.test', 'none')`,
  )
  await pool.query('ANALYZE users')
})

test.each([
  ['the search box', () => orderSearch(db).customers({ by: 'username', begins: 'lambert' })],
  [
    'the list of customers',
    () =>
      customersRepository(db).list(
        { by: 'text', text: 'lambert', phones: [] },
        { state: undefined, after: undefined, limit: 51 },
      ),
  ],
])('finds any word of a name by its index, whatever plan is chosen (%s)', async (_, search) => {
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  const plans: string[] = []
  const lines = (response: unknown): string =>
    (response as { rows: Record<string, string>[] }).rows.map((row) => row['QUERY PLAN']).join('\n')
  onStatements(async ({ text, send }) => {
    if (text.includes('name_search(') && !text.startsWith('EXPLAIN')) {
      plans.push(lines(await send(`EXPLAIN ${text}`)))
      plans.push(lines(await pool.query(`EXPLAIN (GENERIC_PLAN) ${text}`)))
    }
    return send()
  })
  expect((await search()).map(({ username }) => username)).toEqual(['Zoé Lambert'])
  expect(plans).toHaveLength(2)
  for (const plan of plans) {
    expect(plan).toContain('Bitmap Index Scan on users_name_words')
    expect(plan).not.toContain('Seq Scan')
  }
})

import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/support/database.ts'
import { silentLog } from './postgres/log.ts'
import { updateAddresses } from './respell-addresses.ts'

const told: unknown[] = []
const { db, pool } = await openTestDatabase({
  log: { ...silentLog, warn: (...said: unknown[]) => void told.push(said[0]) },
})

test('every address of a table gets its one spelling, however many there are; what is none stays and is told', async () => {
  await pool.query(`INSERT INTO messages (id, name, email, message, language)
    SELECT gen_random_uuid(), 'Ann', CASE WHEN n > 1200 THEN 'ann@@köln.example' ELSE 'ann' || n || '@köln.example' END,
           'Hello', 'fr'
    FROM generate_series(1, 1202) AS n`)
  await updateAddresses(db, 'messages')
  const left = async () =>
    (
      await pool.query(`SELECT id::text FROM messages WHERE email ~ '[^[:ascii:]]' ORDER BY id::text`)
    ).rows.map(({ id }) => id)
  const none = await left()
  expect(none).toHaveLength(2)
  const { rows } = await pool.query(
    `SELECT count(DISTINCT email)::int AS spelled FROM messages WHERE email LIKE 'ann%@xn--kln-sna.example'`,
  )
  expect(rows).toEqual([{ spelled: 1200 }])
  // Whoever starts again changes nothing.
  await updateAddresses(db, 'messages')
  expect(await left()).toEqual(none)
  expect(told).toEqual(Array(2).fill({ table: 'messages', ids: none, count: 2 }))
})

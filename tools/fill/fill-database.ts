import type { Client } from 'pg'
import {
  dropForeignKeys,
  listTables,
  otherUsers,
  restoreForeignKeys,
  setTriggers,
  settleTransaction,
} from '../database/tables.ts'
import { Rows, type Table } from '../../db/story/rows.ts'
import { copyRows, dropIndexes, restoreIndexes } from './bulk.ts'
import { type FillOptions, fillHistory } from './history.ts'

/** Tables with ids that the fill gives. */
const SEQUENCES = ['users', 'offers', 'refunds', 'approvals', 'statements']
/** What no database has that nobody has used. */
const USED = ['users', 'offers', 'orders', 'tickets', 'demonstration', 'audit_log']

/** @returns what keeps a database with the shop's tables from being filled, as the end of a sentence about it */
export async function whyNotToFill(client: Client): Promise<string | undefined> {
  const users = await otherUsers(client)
  if (users.length > 0) return `is in use by ${users.join(', ')}`
  for (const table of USED) {
    const { rows } = await client.query(`select from ${table} limit 1`)
    if (rows.length > 0) return `holds data already (${table}): this tool fills empty databases only`
  }
  return undefined
}

/**
 * Fills an empty database with the shop's tables, in one transaction: a failure leaves it empty. Constraints, keys and
 * indexes are taken off meanwhile and check every row when they come back.
 * @returns the rows by table
 */
export async function fillDatabase(
  client: Client,
  options: FillOptions,
  say: (line: string) => void,
): Promise<Record<string, number>> {
  const rows = new Rows()
  const counts: Partial<Record<Table, number>> = {}
  await client.query('begin')
  try {
    await settleTransaction(client)
    await client.query(`set local maintenance_work_mem = '256MB'; set local work_mem = '64MB'`)
    const tables = await listTables(client)
    await setTriggers(client, tables, 'disable')
    const foreign = await dropForeignKeys(client)
    const dropped = await dropIndexes(client)
    await fillHistory(rows, options, async (orders) => {
      await copyRows(client, rows, counts)
      say(`${orders} orders, ${counts.tickets ?? 0} tickets`)
    })
    await restoreIndexes(client, dropped, (table) => {
      if (table in counts) say(`indexes of ${table}`)
    })
    say('foreign keys')
    await restoreForeignKeys(client, foreign)
    await setTriggers(client, tables, 'enable')
    // As the trigger notes them.
    await client.query(
      `insert into draw_voids (offer_id, number, reason)
       select offer_id, number, void_reason from tickets where status = 'void'`,
    )
    for (const table of SEQUENCES)
      await client.query(
        `select setval(pg_get_serial_sequence('${table}', 'id'), (select greatest(1, max(id)) from ${table}))`,
      )
    // A live shop refuses such a database, and the emulator knows none of its payments: no pass over the ledgers begins.
    await client.query(`insert into demonstration default values;
      update ledger_reconciliation set started_at = 'infinity', ended_at = clock_timestamp()`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
  say('statistics')
  await client.query('vacuum analyze')
  return counts as Record<string, number>
}

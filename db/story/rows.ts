import type { Insertable } from 'kysely'
import type { DB } from '#platform/database-types.ts'

export type Table = keyof DB
/** What a column may be given as. A Buffer is `bytea`, an object JSON. */
export type Cell = string | number | boolean | null | Date | Buffer | readonly string[] | object
export type Row<Name extends Table> = Partial<Record<keyof Insertable<DB[Name]>, Cell>>

/** Tables that others refer to. */
const FIRST: readonly Table[] = [
  'users',
  'offers',
  'orders',
  'approvals',
  'captures',
  'refunds',
  'statements',
]
const rankOf = (table: Table): number => (FIRST.indexOf(table) + FIRST.length + 1) % (FIRST.length + 1)

/** Rows of several tables on their way into the database. All rows of a table name the same columns. */
export class Rows {
  #rows = new Map<Table, Row<Table>[]>()

  add<Name extends Table>(table: Name, ...rows: readonly Row<Name>[]): void {
    const all = this.#rows.get(table) ?? []
    this.#rows.set(table, all)
    for (const row of rows) all.push(row)
  }

  /** What was added since the last call, those tables first to which others refer. */
  take(): [Table, Row<Table>[]][] {
    const taken = [...this.#rows].toSorted(([one], [other]) => rankOf(one) - rankOf(other))
    this.#rows = new Map()
    return taken
  }
}

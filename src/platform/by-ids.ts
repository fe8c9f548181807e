import type { Compilable, CompiledQuery } from 'kysely'
import type { Sql } from './database.ts'

const IDS: readonly never[] = [Symbol('ids') as never]

const isIds = (parameter: unknown): boolean => Array.isArray(parameter) && parameter[0] === IDS[0]

/**
 * A query by ids that is compiled once: compiling costs more than sending it.
 * @param build the query, which takes the ids as whole arrays (`anyOf`) and depends on nothing else
 */
export function byIds<Id extends string | number, Row>(
  build: (db: Sql, ids: readonly Id[]) => Compilable<Row>,
): (db: Sql, ids: readonly Id[]) => Promise<Row[]> {
  let made: CompiledQuery<Row> | undefined
  return async (db, ids) => {
    made ??= build(db, IDS).compile()
    const parameters = made.parameters.map((parameter) => (isIds(parameter) ? [...ids] : parameter))
    return (await db.executeQuery<Row>({ ...made, parameters })).rows
  }
}

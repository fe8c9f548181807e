import type { Compilable, CompiledQuery } from 'kysely'
import type { ReadDatabase } from './database.ts'

const IDS: readonly never[] = [Symbol('ids') as never]

const isIds = (parameter: unknown): boolean => Array.isArray(parameter) && parameter[0] === IDS[0]

/** Compiles a query once: compiling costs more than sending. @param build uses the ids only in `anyOf` */
export function byIds<Id extends string | number, Row>(
  build: (db: ReadDatabase, ids: readonly Id[]) => Compilable<Row>,
): (db: ReadDatabase, ids: readonly Id[]) => Promise<Row[]> {
  let made: CompiledQuery<Row> | undefined
  return async (db, ids) => {
    made ??= build(db, IDS).compile()
    const parameters = made.parameters.map((parameter) => (isIds(parameter) ? [...ids] : parameter))
    return (await db.executeQuery<Row>({ ...made, parameters })).rows
  }
}

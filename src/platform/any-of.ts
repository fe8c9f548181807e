import { type RawBuilder, sql } from 'kysely'

/**
 * The right side of `where('id', '=', anyOf(ids, 'bigint'))`. Unlike `in`, whose text has a parameter for each value, it
 * is one text for any number of values, so that the statement can stay prepared.
 */
export const anyOf = <Value extends string | number>(
  values: readonly Value[],
  type: 'bigint' | 'int' | 'uuid',
): RawBuilder<Value> => sql<Value>`ANY(${[...values]}::${sql.raw(type)}[])`

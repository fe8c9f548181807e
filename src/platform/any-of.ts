import { type RawBuilder, sql } from 'kysely'

/** For `where('id', '=', anyOf(ids, 'bigint'))`: unlike `in`, one prepared text for any number of values. */
export const anyOf = <Value extends string | number>(
  values: readonly Value[],
  type: 'bigint' | 'int' | 'uuid' | 'text',
): RawBuilder<Value> => sql<Value>`ANY(${[...values]}::${sql.raw(type)}[])`

import pg from 'pg'

const { types } = pg
const INT8 = types.builtins.INT8
const DATE = types.builtins.DATE

const parseInt8 = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`database integer beyond the safe range: ${text}`)
  return value
}

/** Type parsers of one pool; the driver's global table stays untouched. */
export function isolateTypes(): pg.CustomTypesConfig {
  const own = new Map<number, (text: string) => unknown>([
    [INT8, parseInt8],
    // The driver would make local midnight of a calendar day.
    [DATE, (text) => text],
  ])
  return {
    getTypeParser: (id, format) => {
      const parser = format === 'binary' ? undefined : own.get(id as number)
      return parser ?? types.getTypeParser(id, format)
    },
  }
}

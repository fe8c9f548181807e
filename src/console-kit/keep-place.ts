type Id = string | number

/** What has happened to a list since its reader asked for it. */
export interface News {
  added: number
  /** Rows that are not in the list any more, which still stand where they stood. */
  gone: ReadonlySet<Id>
  /** Rows stand in another order. */
  isReordered: boolean
}

interface Part<Row> {
  items: readonly Row[]
  /** Whether it is the end of the list. */
  isEnd: boolean
}

/**
 * The rows of a list with what is known of them now, each where it stands: nothing moves under a pointer. What would move
 * them is news that the reader may ask for.
 * @param shown all rows on the screen @param newest the beginning of the list as it is now
 */
export function keepPlace<Row>(
  shown: Part<Row>,
  newest: Part<Row>,
  idOf: (row: Row) => Id,
): { rows: Row[]; news?: News } {
  const found = new Map(newest.items.map((row) => [idOf(row), row]))
  const places = new Map(shown.items.map((row, at) => [idOf(row), at]))
  const rows = shown.items.map((row) => found.get(idOf(row)) ?? row)
  const stillThere = newest.items.flatMap((row) => places.get(idOf(row)) ?? [])
  const lastKnown = newest.items.findLastIndex((row) => places.has(idOf(row)))
  // Behind the last row that is known come those of the next page, unless all rows are shown.
  const added = newest.items.filter(
    (row, at) => !places.has(idOf(row)) && (shown.isEnd || lastKnown < 0 || at < lastKnown),
  ).length
  // Rows behind the last one that was found may only have been pushed out of what was asked for.
  const lastFound = Math.max(-1, ...stillThere)
  const gone = new Set(
    shown.items.filter((row, at) => !found.has(idOf(row)) && (newest.isEnd || at < lastFound)).map(idOf),
  )
  const isReordered = stillThere.some((place, at) => at > 0 && place < (stillThere[at - 1] ?? 0))
  return added > 0 || gone.size > 0 || isReordered ? { rows, news: { added, gone, isReordered } } : { rows }
}

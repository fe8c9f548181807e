import type { Breach, Invariant } from '#platform/invariants.ts'

const ROWS_SHOWN = 20

const cell = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const rowText = (row: Record<string, unknown>): string =>
  Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${cell(value)}`)
    .join(' ')

/** One line for each invariant, and below a broken one the rows that break it. */
export function reportLines(invariants: readonly Invariant[], breaches: readonly Breach[]): string[] {
  return invariants.flatMap(({ name, title }) => {
    const breach = breaches.find((one) => one.name === name)
    if (!breach) return [`holds   ${name.padEnd(4)} ${title}`]
    const { rows, more } = breach
    const hidden = rows.length - ROWS_SHOWN
    return [
      `BROKEN  ${name.padEnd(4)} ${title}  (${more ? 'more than ' : ''}${rows.length} rows)`,
      ...rows.slice(0, ROWS_SHOWN).map((row) => `          ${rowText(row)}`),
      ...(hidden > 0 ? [`          … and ${more ? 'more than ' : ''}${hidden} more`] : []),
    ]
  })
}

/** A row of the report for each of these. */
export const SALES_GROUPS = ['day', 'month', 'contest', 'country', 'vat'] as const
export type SalesGroup = (typeof SALES_GROUPS)[number]

/** Ten years. */
const LONGEST_DAYS = 3_660
const DAY_MS = 86_400_000

/** Whether the end comes after the beginning, and not too long after it. */
export function isPeriod(from: string, to: string): boolean {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  return days >= 0 && days <= LONGEST_DAYS
}

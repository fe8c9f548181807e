import type { PageDelay } from './documents.ts'
import type { Interactions } from './interactions.ts'
import type { PageFigures } from './lighthouse.ts'
import type { Rate } from './rates.ts'

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

export const lighthouseTable = (pages: readonly PageFigures[]): string =>
  table(
    ['page', 'perf', 'lowest', 'a11y', 'best', 'SEO', 'LCP', 'FCP', 'TBT', 'SI', 'CLS', 'requests', 'weight'],
    pages.map(({ path, median, lowestPerformance }) => [
      path,
      String(median.performance),
      String(lowestPerformance),
      String(median.accessibility),
      String(median['best-practices']),
      String(median.seo),
      ...[median.lcp, median.fcp].map(seconds),
      `${Math.round(median.tbt)} ms`,
      seconds(median.si),
      median.cls.toFixed(3),
      String(median.requests),
      `${(median.weight / 1000).toFixed(0)} kB`,
    ]),
  )

export const rateTable = (rates: readonly Rate[]): string =>
  table(
    ['page', 'kind', 'a second', 'p99', 'errors'],
    rates.map(({ path, kind, perSecond, p99Ms, errors }) => [
      path,
      kind,
      String(Math.round(perSecond)),
      `${p99Ms} ms`,
      String(errors),
    ]),
  )

export const interactionTable = ({ all, p75Ms, maxMs }: Interactions): string =>
  table(
    ['interaction', 'to the next paint'],
    [...all, { what: 'p75', ms: p75Ms }, { what: 'longest', ms: maxMs }].map(({ what, ms }) => [
      what,
      `${ms} ms`,
    ]),
  )

export const documentTable = (pages: readonly PageDelay[]): string =>
  table(
    ['page', 'downloads', 'p50', 'p95', 'p99'],
    pages.map(({ path, downloads, ...delays }) => [
      path,
      String(downloads),
      ...[delays.p50, delays.p95, delays.p99].map((ms) => `${ms.toFixed(1)} ms`),
    ]),
  )

/** Columns as wide as their longest text; the first one to the left. */
export function table(head: readonly string[], rows: readonly string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
  return [head, ...rows].map(line).join('\n')
}

import path from 'node:path'
import { storeTokens, withBrowser } from './browser.ts'
import { outputOf } from './rates.ts'

const DEBUG_PORT = 9_333
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const

/** What is read of each report; scores from 0 to 100, times in ms, weight in bytes. */
const AUDITS = {
  lcp: 'largest-contentful-paint',
  fcp: 'first-contentful-paint',
  tbt: 'total-blocking-time',
  si: 'speed-index',
  cls: 'cumulative-layout-shift',
  weight: 'total-byte-weight',
} as const

type Figure = (typeof CATEGORIES)[number] | keyof typeof AUDITS | 'requests'
export type Figures = Record<Figure, number>

export interface PageFigures {
  path: string
  runs: number
  median: Figures
  lowestPerformance: number
}

interface Report {
  categories: Record<string, { score: number | null }>
  audits: Record<string, { numericValue?: number; details?: { items?: unknown[] } }>
}

export interface MeasuredPage {
  path: string
  /** Who looks at it: nobody in particular when left out. */
  tokens?: Record<string, string>
}

/** Medians of Lighthouse on its phone. Pages take turns, so that a busy minute falls on all of them. */
export async function measurePages(
  url: string,
  pages: readonly MeasuredPage[],
  runs: number,
  log: (line: string) => void,
): Promise<PageFigures[]> {
  const found = new Map(pages.map(({ path: page }) => [page, [] as Figures[]]))
  for (let run = 1; run <= runs; run += 1) {
    for (const page of pages) {
      log(`Lighthouse ${run} of ${runs}: ${page.path}`)
      found.get(page.path)!.push(await measureOnce(url, page))
    }
  }
  return [...found].map(([page, figures]) => ({
    path: page,
    runs,
    median: medians(figures),
    lowestPerformance: Math.min(...figures.map(({ performance }) => performance)),
  }))
}

const measureOnce = (url: string, { path: page, tokens }: MeasuredPage): Promise<Figures> =>
  withBrowser(
    async (context) => {
      if (tokens) await storeTokens(context, url, tokens)
      const program = path.resolve(import.meta.dirname, '../../node_modules/lighthouse/cli/index.js')
      const options = ['--quiet', '--output=json', `--port=${DEBUG_PORT}`, '--disable-storage-reset']
      const only = `--only-categories=${CATEGORIES.join(',')}`
      return figuresOf(JSON.parse(await outputOf([program, url + page, ...options, only])) as Report)
    },
    { port: DEBUG_PORT },
  )

function figuresOf({ categories, audits }: Report): Figures {
  const scores = CATEGORIES.map((name) => [name, Math.round((categories[name]?.score ?? 0) * 100)])
  const valueOf = (audit: string): number => audits[audit]?.numericValue ?? Number.NaN
  const values = Object.entries(AUDITS).map(([name, audit]) => [name, valueOf(audit)])
  const requests = audits['network-requests']?.details?.items?.length ?? Number.NaN
  return Object.fromEntries([...scores, ...values, ['requests', requests]]) as Figures
}

function medians(figures: readonly Figures[]): Figures {
  const names = Object.keys(figures[0]!) as Figure[]
  return Object.fromEntries(
    names.map((name) => {
      const sorted = figures.map((one) => one[name]).toSorted((one, other) => one - other)
      return [name, sorted[Math.floor(sorted.length / 2)]!]
    }),
  ) as Figures
}

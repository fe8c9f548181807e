import type { Page } from 'playwright-core'
import { storeTokens, withBrowser } from './browser.ts'

/** Slowdown of the processor: a cheap phone against a desktop computer. */
const SLOWDOWN = 4
const PHONE = { width: 412, height: 823 }

export interface Interaction {
  what: string
  /** Longest time from the input to the next paint, in ms; 0 when it was below what browsers report (16 ms). */
  ms: number
}

export interface Interactions {
  all: Interaction[]
  p75Ms: number
  maxMs: number
}

type Step = [what: string, path: string | null, act: (page: Page) => Promise<void>]

/** Ten things that customers do, by what they see in every language. */
const steps = (offerPath: string): Step[] => [
  ['second tab of the first page', '/', (page) => page.getByRole('tab').nth(1).tap()],
  ['third tab', null, (page) => page.getByRole('tab').nth(2).tap()],
  ['away with the policy banner', null, (page) => page.locator('.policy-banner button').last().tap()],
  ['open the menu', null, (page) => page.locator('header button').first().tap()],
  ['from the menu to the offers', null, (page) => page.locator('dialog a[href="/offers"]').tap()],
  ['an offer of the list', null, (page) => page.locator(`main a[href^="/offers/"]`).first().tap()],
  [
    'one ticket more',
    offerPath,
    (page) => page.locator('main [role="group"]:has(input) button').last().tap(),
  ],
  ['type into the number', null, (page) => page.locator('main [role="group"] input').first().press('2')],
  [
    'the next picture',
    null,
    (page) => page.locator('main [aria-roledescription] button + button').first().tap(),
  ],
  ['open the menu on the offer', null, (page) => page.locator('header button').first().tap()],
]

/** Scripted interactions of a signed-in customer on a slow phone, from the browser's own event timing. */
export async function measureInteractions(
  url: string,
  offerPath: string,
  tokens: Record<string, string>,
): Promise<Interactions> {
  return await withBrowser(
    async (context) => {
      await storeTokens(context, url, tokens)
      await context.addInitScript(() => {
        const seen: number[] = ((window as unknown as { durations: number[] }).durations = [])
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            if ((entry as PerformanceEventTiming).interactionId) seen.push(entry.duration)
          }
        }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
      })
      const page = await context.newPage()
      const devtools = await context.newCDPSession(page)
      const all: Interaction[] = []
      for (const [what, path, act] of steps(offerPath)) {
        if (path !== null) await page.goto(url + path, { waitUntil: 'networkidle' })
        await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
        await page.evaluate(() => void ((window as unknown as { durations: number[] }).durations.length = 0))
        await act(page)
        await page.waitForTimeout(700)
        const ms = await page.evaluate(() =>
          Math.max(0, ...(window as unknown as { durations: number[] }).durations),
        )
        await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
        all.push({ what, ms })
      }
      const sorted = all.map(({ ms }) => ms).toSorted((one, other) => one - other)
      return { all, p75Ms: sorted[Math.ceil(sorted.length * 0.75) - 1]!, maxMs: sorted.at(-1)! }
    },
    { phone: PHONE },
  )
}

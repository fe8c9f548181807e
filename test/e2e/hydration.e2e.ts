import { beforeAll, expect, test } from 'vitest'
import { newVisitor } from '../support/browser.ts'
import { guardedPages, seenRoutes } from '../support/routes.ts'
import { fillShowroom } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'

const { shop, browser } = await openStage()

beforeAll(async () => {
  await fillShowroom(shop)
})

/** What is missing is a fault in the browser's own eyes. */
const OPEN = seenRoutes.filter(
  ({ kind, path }) => !['guarded', 'missing'].includes(kind) && path !== '/logout',
)

/** How far things moved while the page came up, by the browser's own account. */
const shifts = (): Promise<number> =>
  new Promise((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(sum), 100)
  })

test.each(
  sized<[string, number, boolean][]>({
    short: [
      ['signed out', 1440, false],
      ['signed in', 360, true],
    ],
    extended: [
      ['signed out', 360, false],
      ['signed out', 1440, false],
      ['signed in', 360, true],
      ['signed in', 1440, true],
    ],
  }),
)('%s, %i pixels: pages come alive without a word of complaint', async (_, width, signedIn) => {
  const options = { baseUrl: shop.config.publicUrl, width, language: 'fr' as const }
  const visitor = await newVisitor(browser, options)
  if (signedIn) {
    await visitor.page.goto('/icon.svg')
    await visitor.page.evaluate(
      (tokens) => {
        for (const [name, token] of Object.entries(tokens)) localStorage.setItem(name, token)
      },
      await shop.sessionOf(await shop.newCustomer()),
    )
  }
  const moved: Record<string, number> = {}
  const members = OPEN.filter(({ kind }) => kind !== 'account').map(({ path }) => path)
  for (const path of signedIn ? [...members, ...guardedPages()] : OPEN.map(({ path }) => path)) {
    await visitor.page.goto(path)
    await visitor.page.locator('main h1').first().waitFor()
    // React has taken the page over: it marks the elements it looks after. Its scripts are asked for after the first
    // paint, so the network may be idle before.
    await visitor.page.waitForFunction(() =>
      Object.keys(document.querySelector('main') ?? {}).some((name) => name.startsWith('__react')),
    )
    await visitor.page.waitForLoadState('networkidle')
    expect(visitor.faults, path).toEqual([])
    moved[path] = await visitor.page.evaluate(shifts)
  }
  expect(Math.max(...Object.values(moved)), JSON.stringify(moved)).toBeLessThanOrEqual(0.01)
  await visitor.close()
})

import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { violations } from './axe.ts'
import { newVisitor } from './browser.ts'
import type { Customer, TestShop } from './shop.ts'
import { sized } from './tier.ts'
import { words } from './words.ts'

const PHONE = { name: 'a phone, light', width: 360, colorScheme: 'light', language: 'fr' } as const
const DARK = { name: 'a wide window, dark', width: 1440, colorScheme: 'dark', language: 'nl' } as const
const FORCED_COLORS = {
  name: 'a wide window, forced colours',
  width: 1440,
  colorScheme: 'light',
  language: 'en',
  forcedColors: 'active',
} as const

/** A window, a colour scheme and a language. */
export type Viewport = typeof PHONE | typeof DARK | typeof FORCED_COLORS

/** In which every state is looked at: on a phone alone in the short form of the tests. */
const VIEWPORTS: readonly Viewport[] = sized({ short: [PHONE], extended: [PHONE, DARK, FORCED_COLORS] })

/** What a state is looked at with. */
export interface Look {
  page: Page
  t: (key: MessageKey, values?: Record<string, string | number>) => string
  press: (key: MessageKey) => Promise<void>
  /** Holds the page against the rules. */
  check: (state: string) => Promise<void>
}

/** Walks through states in each viewport, and expects that nothing was found in any. @param customer who looks, for each viewport */
export async function inEachViewport(
  browser: Browser,
  shop: TestShop,
  walk: (look: Look, viewport: Viewport, at: number) => Promise<void>,
  customer?: (at: number) => Promise<Customer>,
): Promise<void> {
  const found: string[] = []
  for (const [at, viewport] of VIEWPORTS.entries()) {
    const { language } = viewport
    const session = customer && { session: await shop.sessionOf(await customer(at)) }
    const visitor = await newVisitor(browser, {
      baseUrl: shop.config.publicUrl,
      ...viewport,
      ...session,
    })
    const { page } = visitor
    const t = words(language)
    const check = async (state: string): Promise<void> => {
      // Forced colours are the reader's own; axe reads the grounds as forced but the words as they were.
      const look = async () => {
        await still(page)
        return violations(page, 'forcedColors' in viewport ? ['color-contrast'] : [])
      }
      const first = await look()
      // A toast may have begun to fade while axe looked; what is wrong is wrong at the second look, too.
      const again = first.length > 0 ? await look() : []
      const lines = first.filter((line) => again.includes(line))
      found.push(...lines.map((line) => `${state} (${viewport.name}, ${language}): ${line}`))
    }
    const press = (key: MessageKey) =>
      page
        .getByRole('button', { name: t(key), exact: true })
        .locator('visible=true')
        .first()
        .click()
    await walk({ page, t, press, check }, viewport, at)
    await visitor.close()
  }
  expect(found).toEqual([])
}

/** Resolves when nothing fades any more: half faded words have another contrast. */
const still = (page: Page): Promise<unknown> =>
  page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
        .map((one) => one.finished),
    ),
  )

/** Keeps an address from answering: with a fault of the server, or not at all. */
export const breaks = (page: Page, address: string, how: 'fault' | 'never'): Promise<unknown> =>
  page.route(address, (route) =>
    how === 'fault'
      ? route.fulfill({ status: 503, contentType: 'application/json', body: '{"detail":"Out of order"}' })
      : new Promise(() => undefined),
  )

import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { violations } from './axe.ts'
import { newVisitor } from './browser.ts'
import type { Customer, TestShop } from './shop.ts'
import { words } from './words.ts'

/** How the eyes of a test see: every state in each of them, each time in another language. */
const SIGHTS = [
  { name: 'a phone in daylight', width: 360, colorScheme: 'light' },
  { name: 'a desk in the dark', width: 1440, colorScheme: 'dark' },
  { name: 'a desk with forced colours', width: 1440, colorScheme: 'light', forcedColors: 'active' },
] as const
export type Sight = (typeof SIGHTS)[number]

/** What a state is looked at with. */
export interface Look {
  page: Page
  t: (key: MessageKey, values?: Record<string, string | number>) => string
  press: (key: MessageKey) => Promise<void>
  /** Holds the page against the rules. */
  check: (state: string) => Promise<void>
}

/** Walks through states in each sight, and expects that nothing was found in any. @param customer who looks, for each sight */
export async function inEachSight(
  browser: Browser,
  shop: TestShop,
  walk: (look: Look, sight: Sight, at: number) => Promise<void>,
  customer?: (at: number) => Promise<Customer>,
): Promise<void> {
  const found: string[] = []
  for (const [at, sight] of SIGHTS.entries()) {
    const language = LANGUAGES[at] as Language
    const session = customer && { session: await shop.sessionOf(await customer(at)) }
    const visitor = await newVisitor(browser, {
      baseUrl: shop.config.publicUrl,
      language,
      ...sight,
      ...session,
    })
    const { page } = visitor
    const t = words(language)
    const check = async (state: string): Promise<void> => {
      // Forced colours are the reader's own; axe reads the grounds as forced but the words as they were.
      const look = async () => {
        await still(page)
        return violations(page, 'forcedColors' in sight ? ['color-contrast'] : [])
      }
      const first = await look()
      // A toast may have begun to fade while axe looked; what is wrong is wrong at the second look, too.
      const again = first.length > 0 ? await look() : []
      const lines = first.filter((line) => again.includes(line))
      found.push(...lines.map((line) => `${state} (${sight.name}, ${language}): ${line}`))
    }
    const press = (key: MessageKey) =>
      page
        .getByRole('button', { name: t(key), exact: true })
        .locator('visible=true')
        .first()
        .click()
    await walk({ page, t, press, check }, sight, at)
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

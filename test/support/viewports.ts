import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { violations } from './page-checks.ts'
import { press } from './page-control.ts'
import type { Customer } from './shop.ts'
import type { Stage } from './stage.ts'
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
type Viewport = typeof PHONE | typeof DARK | typeof FORCED_COLORS

/** In which every state is looked at: on a phone alone in the short form of the tests. */
const VIEWPORTS: readonly Viewport[] = sized({ short: [PHONE], extended: [PHONE, DARK, FORCED_COLORS] })

/** What a state is looked at with. */
interface Look {
  page: Page
  t: (key: MessageKey, values?: Record<string, string | number>) => string
  press: (key: MessageKey) => Promise<void>
  /** Holds the page against the rules. */
  check: (state: string) => Promise<void>
  width: number
  customer: Customer
}

/** Walks through states in each viewport, as a new customer or as a visitor, and expects that nothing was found in any. */
export async function inEachViewport(
  { shop, visit, member }: Stage,
  who: 'visitor' | 'member',
  walk: (look: Look) => Promise<void>,
): Promise<void> {
  const found: string[] = []
  for (const viewport of VIEWPORTS) {
    const customer = await shop.newCustomer()
    const visitor = await (who === 'member'
      ? member(undefined, { ...viewport, customer })
      : visit(undefined, viewport))
    const { page } = visitor
    const { name, width, language } = viewport
    const t = words(language)
    const check = async (state: string): Promise<void> => {
      // Forced colours are the reader's own; axe reads the grounds as forced but the words as they were.
      const look = async () => {
        await still(page)
        return violations(page, { without: 'forcedColors' in viewport ? ['color-contrast'] : [] })
      }
      const first = await look()
      // A toast may have begun to fade while axe looked; what is wrong is wrong at the second look, too.
      const again = first.length > 0 ? await look() : []
      const lines = first.filter((line) => again.includes(line))
      found.push(...lines.map((line) => `${state} (${name}, ${language}): ${line}`))
    }
    await walk({ page, t, press: (key) => press(page, t(key)), check, width, customer })
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

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { violations } from '../support/axe.ts'
import { awake, newVisitor, sidewaysScroll } from '../support/browser.ts'
import { motion, smallTargets } from '../support/page-checks.ts'
import { guardedPages, seenRoutes } from '../support/routes.ts'
import { PICTURES, fillShowroom } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { keepTokens } from '../support/visits.ts'
import { words } from '../support/words.ts'

const { shop, browser } = await openStage()

beforeAll(async () => {
  await fillShowroom(shop)
})

const ENDED = '/offers/finie'
/** Going out leads away at once. */
const OPEN = seenRoutes.filter(({ kind, path }) => kind !== 'guarded' && path !== '/logout')

interface View {
  who: 'signed out' | 'signed in'
  width: number
  language: Language
}

const EVERY_VIEW: View[] = LANGUAGES.flatMap((language) =>
  [360, 1440].flatMap((width) =>
    (['signed out', 'signed in'] as const).map((who) => ({ who, width, language })),
  ),
)
const VIEWS = sized<View[]>({
  short: [
    { who: 'signed out', width: 1440, language: 'fr' },
    { who: 'signed in', width: 360, language: 'fr' },
  ],
  extended: EVERY_VIEW,
})

/** How far things moved while the page came up, by the browser's own account. */
const shifts = (): Promise<number> =>
  new Promise((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(sum), 100)
  })

/** Opens a page and waits until its content is there. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await awake(page)
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** The tokens of a customer with numbers and a ticket in the cart. */
async function session(): Promise<Record<string, string>> {
  const { customer, orderId, offerId } = await shop.approvedOrder(2)
  await customer.capture(orderId)
  await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
  return shop.sessionOf(customer)
}

describe.each(VIEWS)('every page, $who, $width pixels wide, in $language', ({ who, width, language }) => {
  test('comes up calmly and without complaint, moves nothing, has large targets, and breaks no rule of accessibility', async () => {
    const isMember = who === 'signed in'
    const visitor = await newVisitor(browser, {
      baseUrl: shop.config.publicUrl,
      width,
      language,
      reducedMotion: 'reduce',
    })
    const { page, faults } = visitor
    if (isMember) {
      await page.goto('/api/health/live')
      await keepTokens(page, await shop.sessionOf(await shop.newCustomer()))
    }
    const found: string[] = []
    const pages = isMember
      ? [...OPEN.filter(({ kind }) => kind !== 'account').map(({ path }) => path), ...guardedPages(), ENDED]
      : OPEN.map(({ path }) => path)
    const missing = OPEN.filter(({ kind }) => kind === 'missing').map(({ path }) => path)
    const look = async (path: string, isFilled = false): Promise<void> => {
      const note = (what: string, lines: readonly string[]): void =>
        void found.push(...lines.map((line) => `${path}, ${what}: ${line}`))
      await open(page, path)
      // A browser tells of every page that it could not find.
      note(
        'complaint',
        faults.splice(0).filter((fault) => !missing.includes(path) || !fault.includes('404')),
      )
      const moved = await page.evaluate(shifts)
      if (moved > 0.01 && !isFilled) note('layout shift', [String(moved)])
      note('motion', await motion(page))
      note('target', await smallTargets(page))
      note('light', await violations(page))
      await page.emulateMedia({ colorScheme: 'dark' })
      note('dark', await violations(page))
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
      // Forced colours are the reader's own; axe reads the grounds as forced but the words as they were.
      note('forced colours', await violations(page, ['color-contrast']))
      await page.emulateMedia({ forcedColors: 'none' })
      const own = page.viewportSize() ?? { width, height: 900 }
      await page.setViewportSize({ ...own, width: 320 })
      const sideways = await sidewaysScroll(page)
      if (sideways > 0) note('320 pixels', [`scrolls sideways by ${sideways}`])
      await page.setViewportSize(own)
    }
    for (const path of pages) await look(path)
    if (isMember) {
      // How long their lists are is known only once they are there, so what they move is not counted.
      await page.goto('/api/health/live')
      await keepTokens(page, await session())
      for (const path of [...guardedPages(), '/offers']) await look(path, true)
    }
    expect(found).toEqual([])
    await visitor.close()
  })
})

test.each(sized({ short: [360], extended: [360, 1440] }))(
  'a toast and the enlarged picture move nothing for who asks for that, and have large targets: %i pixels',
  async (width) => {
    const t = words('fr')
    const visitor = await newVisitor(browser, {
      baseUrl: shop.config.publicUrl,
      width,
      language: 'fr',
      reducedMotion: 'reduce',
      session: await session(),
    })
    const { page } = visitor
    const check = async (what: string): Promise<void> => {
      expect(await motion(page), what).toEqual([])
      expect(await smallTargets(page), what).toEqual([])
    }
    await page.goto('/offers/ouverte')
    await page.locator('#offer-question').selectOption('4')
    await page
      .getByRole('button', { name: t('offers.buy.add') })
      .locator('visible=true')
      .click()
    await page.locator('[data-sonner-toast]').waitFor()
    await check('toast')
    await page
      .getByRole('button', { name: t('offers.gallery.enlarge', { index: 1, count: PICTURES.length }) })
      .first()
      .click()
    await page.locator('.yarl__portal_open').waitFor()
    await check('viewer')
    await visitor.close()
  },
)

test.each(['/offers/%00', '/offers/nowhere', '/nowhere', '/draws/nowhere'])(
  '%s is told to be missing',
  async (path) => {
    const answer = await fetch(shop.config.publicUrl + path)
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toMatch(/at .*\.ts:\d+/)
  },
)

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settled, startBrowser } from '../support/browser.ts'
import { arrive } from '../support/page-control.ts'
import { seenRoutes } from '../support/routes.ts'
import { openStage, stageOf } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'

const stage = await openStage()
const { shop, visit } = stage

beforeAll(() => shop.newOffer({ slug: 'ouverte', title: 'Ouverte' }))

/** A customer with a ticket in the cart and a country, with which the cart loads the provider's script. */
async function member(path: string) {
  const customer = await shop.newCustomer()
  await customer.add(await shop.newOffer(), 1)
  const visitor = await stage.member(path, { customer, stored: { billing_country: 'BE' } })
  await settled(visitor.page)
  return visitor
}

/** Marks the document that is shown; the mark is gone when another one is loaded. */
const mark = (page: Page): Promise<void> =>
  page.evaluate(() => void ((window as unknown as { marked: boolean }).marked = true))
const isMarked = (page: Page): Promise<boolean> => page.evaluate(() => 'marked' in window)
const foreignScripts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.scripts].flatMap(({ src }) => (src && !src.startsWith(location.origin) ? [src] : [])),
  )

describe('inline code', () => {
  const STEAL = 'window.stolen = true'
  const isStolen = (page: Page): Promise<boolean> => page.evaluate(() => 'stolen' in window)

  test.each(sized({ short: ['/cart'], extended: ['/', '/login?next=%2Fcart', '/cart'] }))(
    'injected into %s does not run',
    async (path) => {
      const { page, faults } = await visit()
      await page.route(
        (url) => url.pathname + url.search === path,
        async (route) => {
          const response = await route.fetch({
            headers: { ...route.request().headers(), 'accept-encoding': 'identity' },
          })
          const injected = `<script>${STEAL}</script><script nonce="guess">${STEAL}</script><img src="/nowhere.avif" onerror="${STEAL}">`
          const body = (await response.text()).replace('<body>', `<body>${injected}`)
          expect(body).toContain(injected)
          await route.fulfill({ response, body })
        },
      )
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      expect(await isStolen(page)).toBe(false)
      expect(
        faults.filter((fault) => fault.includes('Content Security Policy')).length,
      ).toBeGreaterThanOrEqual(3)
    },
  )

  test.each(sized({ short: ['/'], extended: ['/', '/cart'] }))(
    'added by a script of %s does not run',
    async (path) => {
      const { page } = await member(path)
      await page.evaluate((code) => {
        try {
          const script = document.createElement('script')
          script.textContent = code
          document.body.append(script)
        } catch {
          // Trusted Types refuse the text already.
        }
        try {
          document.body.insertAdjacentHTML('beforeend', `<img src="/nowhere.avif" onerror="${code}">`)
        } catch {
          // The same.
        }
      }, STEAL)
      await page.waitForLoadState('networkidle')
      expect(await isStolen(page)).toBe(false)
    },
  )
})

describe('the cart', () => {
  test.runIf(isExtended)('loads a new document in both directions, by links, back and forward', async () => {
    const { page, faults } = await member('/offers')
    const cart = page.locator('aside a[href="/cart"]')
    const offers = page.locator('aside a[href="/offers"]')
    const isCart = async (yes: boolean): Promise<void> => {
      await page.waitForURL(({ pathname }) => (pathname === '/cart') === yes)
      await settled(page)
      expect(await isMarked(page)).toBe(false)
      if (yes) await page.locator('[data-funding-source]').first().waitFor()
      const foreign = (await foreignScripts(page)).map((src) => new URL(src).origin)
      expect([...new Set(foreign)]).toEqual(yes ? [shop.paypal.url] : [])
      await mark(page)
    }
    await isCart(false)
    await cart.click()
    await isCart(true)
    await offers.click()
    await isCart(false)
    await page.goBack()
    await isCart(true)
    await page.goForward()
    await isCart(false)
    await page.goto('/profile/data')
    await isCart(false)
    await cart.click()
    await isCart(true)
    await page.locator('aside a[href="/profile/participations"]').first().click()
    await isCart(false)
    expect(faults).toEqual([])
  })

  test.runIf(isExtended)('loads a new document when the language changes', async () => {
    const { page, faults, context } = await member('/cart')
    await mark(page)
    await page.locator('aside select').first().selectOption('nl')
    await page.waitForURL(/lang=nl/)
    await settled(page)
    expect(await page.locator('html').getAttribute('lang')).toBe('nl')
    expect(await isMarked(page)).toBe(false)
    expect((await context.cookies()).find(({ name }) => name === 'language')).toMatchObject({
      value: 'nl',
      sameSite: 'Lax',
      httpOnly: false,
    })
    expect(faults).toEqual([])
  })
})

test.runIf(isExtended)(
  'moving through the shop by links, back, forward and in another language causes no error',
  async () => {
    const { page, faults } = await visit('/')
    await settled(page)
    await mark(page)
    const links = ['/offers', '/policies/terms-and-conditions', '/login', '/register']
    for (const path of links) {
      await page.locator(`aside a[href="${path}"]`).click()
      await arrive(page, path)
      await settled(page)
    }
    for (const path of links.toReversed().slice(1)) {
      await page.goBack()
      await arrive(page, path)
    }
    await page.goForward()
    await page.waitForURL(/policies/)
    expect(await isMarked(page)).toBe(true)
    await page.keyboard.press('Control+b')
    await page.locator('aside select').first().selectOption('fr')
    await page.waitForURL(/lang=fr/)
    await settled(page)
    expect(faults).toEqual([])
  },
)

const INDEXED = seenRoutes.filter(({ kind }) => kind === 'indexed').map(({ path }) => path)

describe('the back button', () => {
  let keeping: Browser

  beforeAll(async () => {
    keeping = await startBrowser(['--disable-back-forward-cache'])
  })
  afterAll(() => keeping?.close())

  interface NotRestored {
    notRestoredReasons?: { reasons?: { reason: string }[] } | null
  }

  /** Why the browser did not bring the kept page back; empty when it did. */
  const whyNotKept = (page: Page): Promise<string[]> =>
    page.evaluate(() => {
      if ('marked' in window) return []
      const [entry] = performance.getEntriesByType('navigation') as unknown as NotRestored[]
      return ['loaded anew', ...(entry?.notRestoredReasons?.reasons ?? []).map(({ reason }) => reason)]
    })

  test.runIf(isExtended).each(sized({ short: ['/offers'], extended: INDEXED }))(
    'restores %s from the back/forward cache',
    async (path) => {
      const { page } = await stageOf(shop, keeping).visit(path)
      await settled(page)
      await mark(page)
      await page.goto('/policies/terms-and-conditions?lang=en&other')
      await settled(page)
      await page.evaluate(() => history.back())
      // A page that is kept is not loaded again.
      await page.waitForURL(({ search }) => search === '', { waitUntil: 'commit' })
      expect(await whyNotKept(page)).toEqual([])
    },
  )
})

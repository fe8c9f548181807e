import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { type Visitor, awake, newVisitor, signIn, startBrowser } from '../support/browser.ts'
import { seenRoutes } from '../support/routes.ts'
import type { Customer } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { TESTED_LANGUAGES } from '../support/words.ts'

const { shop, browser } = await openStage()

beforeAll(async () => {
  await shop.newOffer({ slug: 'ouverte', title: 'Ouverte' })
})

const visit = (language: (typeof LANGUAGES)[number] = 'en'): Promise<Visitor> =>
  newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 1440, language })

const tokensOf = async ({ email: username, password }: Customer): Promise<Record<string, string>> =>
  (await shop.anonymous('POST', '/api/token/', { username, password })).body as Record<string, string>

/** A signed-in visitor with a ticket in the cart, on the home page. */
async function member(language: (typeof LANGUAGES)[number] = 'en'): Promise<Visitor> {
  const customer = await shop.newCustomer()
  const offerId = await shop.newOffer()
  await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
  const visitor = await visit(language)
  await visitor.page.goto('/')
  // With a country the provider's script is loaded as soon as the cart is there.
  await signIn(visitor.page, { ...(await tokensOf(customer)), billing_country: 'BE' })
  return visitor
}

const settled = async (page: Page): Promise<void> => {
  await page.locator('main h1').first().waitFor()
  await awake(page)
  await page.waitForLoadState('networkidle')
}

/** Marks the document that is shown; the mark is gone when another one is loaded. */
const mark = (page: Page): Promise<void> =>
  page.evaluate(() => void ((window as unknown as { marked: boolean }).marked = true))
const isMarked = (page: Page): Promise<boolean> => page.evaluate(() => 'marked' in window)
const foreignScripts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.scripts].flatMap(({ src }) => (src && !src.startsWith(location.origin) ? [src] : [])),
  )

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  test('no page breaks its policy or complains, whoever reads it', async () => {
    const visitor = await visit(language)
    for (const { path, kind } of seenRoutes) {
      await visitor.page.goto(path)
      await settled(visitor.page)
      // A browser tells of every page that it could not find.
      const told = visitor.faults.splice(0).filter((fault) => kind !== 'missing' || !fault.includes('404'))
      expect(told, `visitor on ${path}`).toEqual([])
    }
    await visitor.close()

    const { page, faults, close } = await member(language)
    const open = seenRoutes.filter(({ path, kind }) => kind !== 'missing' && path !== '/logout')
    for (const { path } of open) {
      await page.goto(path)
      await settled(page)
      expect(faults, `member on ${path}`).toEqual([])
    }
    await page.goto('/logout')
    await page.waitForURL(/\/login/)
    await settled(page)
    expect(faults).toEqual([])
    await close()
  })
})

describe('inline code', () => {
  const STEAL = 'window.stolen = true'
  const isStolen = (page: Page): Promise<boolean> => page.evaluate(() => 'stolen' in window)

  test.each(['/', '/offers?look=1', '/cart'])('that got into %s does not run', async (path) => {
    const { page, faults, close } = await visit()
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
    expect(faults.filter((fault) => fault.includes('Content Security Policy')).length).toBeGreaterThanOrEqual(
      3,
    )
    await close()
  })

  test.each(['/', '/cart'])('that a script of %s adds does not run either', async (path) => {
    const { page, close } = await member()
    await page.goto(path)
    await settled(page)
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
    await close()
  })
})

test('a message over the page is styled by a file, as the policy wants it', async () => {
  const { page, faults, close } = await member()
  await page.goto('/offers/ouverte')
  await settled(page)
  await page
    .getByRole('button', { name: translate('en', 'offers.buy.add') })
    .filter({ visible: true })
    .click()
  const message = page.locator('[data-sonner-toast]')
  await message.getByText(translate('en', 'offers.buy.added')).waitFor()
  expect(await message.evaluate((one) => getComputedStyle(one).position)).toBe('absolute')
  expect(await page.locator('style').count()).toBe(0)
  expect(faults).toEqual([])
  await close()
})

describe('the cart', () => {
  test('is a document of its own in both directions, by links, back and forward', async () => {
    const { page, faults, close } = await member()
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
    await page.goto('/offers')
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
    await close()
  })

  test('keeps to itself when the language changes on it', async () => {
    const { page, faults, context, close } = await member('en')
    await page.goto('/cart')
    await settled(page)
    await mark(page)
    await page.locator('aside select').first().selectOption('nl')
    await page.waitForURL(/lang=nl/)
    await settled(page)
    expect(await page.locator('html').getAttribute('lang')).toBe('nl')
    expect(await isMarked(page)).toBe(false)
    expect((await context.cookies()).find(({ name }) => name === 'language')).toMatchObject({
      value: 'nl',
      sameSite: 'Lax',
      httpOnly: true,
    })
    expect(faults).toEqual([])
    await close()
  })
})

describe('moving through the shop', () => {
  test('by links, back, forward and in another language breaks nothing', async () => {
    const { page, faults, close } = await visit('en')
    await page.goto('/')
    await settled(page)
    await mark(page)
    const links = ['/offers', '/policies/terms-and-conditions', '/login', '/register']
    for (const path of links) {
      await page.locator(`aside a[href="${path}"]`).click()
      await page.waitForURL(({ pathname }) => pathname === path)
      await settled(page)
    }
    for (const path of links.toReversed().slice(1)) {
      await page.goBack()
      await page.waitForURL(({ pathname }) => pathname === path)
    }
    await page.goForward()
    await page.waitForURL(/policies/)
    expect(await isMarked(page)).toBe(true)
    await page.locator('aside select').first().selectOption('fr')
    await page.waitForURL(/lang=fr/)
    await settled(page)
    expect(faults).toEqual([])
    await close()
  })

  test.each(['//evil.example/', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)'])(
    'a login that is told to go to %s goes home',
    async (next) => {
      const customer = await shop.newCustomer()
      const { page, faults, close } = await visit('en')
      await page.goto(`/login?next=${encodeURIComponent(next)}`)
      await awake(page)
      await page.getByLabel(translate('en', 'accounts.email')).fill(customer.email)
      await page.getByLabel(translate('en', 'accounts.password'), { exact: true }).fill(customer.password)
      await page.getByRole('button', { name: translate('en', 'accounts.login.submit'), exact: true }).click()
      await page.waitForURL(`${shop.config.publicUrl}/`)
      expect(faults).toEqual([])
      await close()
    },
  )

  test('the sidebar is remembered for seven days', async () => {
    const { page, context, close } = await visit('en')
    await page.goto('/')
    await settled(page)
    await page.keyboard.press('Control+b')
    const cookie = (await context.cookies()).find(({ name }) => name === 'sidebar_state')
    expect(cookie).toMatchObject({ value: 'false', sameSite: 'Lax', path: '/', secure: false })
    const days = ((cookie?.expires ?? 0) * 1000 - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(7)
    await close()
  })
})

describe('logging out', () => {
  test('empties the storage, tells the other tabs, and leaves the language', async () => {
    const { page, context, close } = await member('nl')
    const other = await context.newPage()
    await other.goto('/profile/data')
    await settled(other)
    await page.evaluate(() => localStorage.setItem('some other thing', 'x'))
    await page.goto('/logout')
    await page.waitForURL(/\/login/)
    await settled(page)
    await other.waitForURL(/\/login/)
    for (const one of [page, other]) {
      expect(await one.evaluate(() => Object.keys(localStorage))).toEqual([])
      expect(await one.locator('html').getAttribute('lang')).toBe('nl')
    }
    expect((await context.cookies()).map(({ name, value }) => [name, value])).toContainEqual([
      'language',
      'nl',
    ])
    await close()
  })
})

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

  test.each(seenRoutes.filter(({ kind }) => kind === 'indexed'))(
    'brings $path back as it was left',
    async ({ path }) => {
      const options = { baseUrl: shop.config.publicUrl, width: 1440, language: 'en' } as const
      const { page, close } = await newVisitor(keeping, options)
      await page.goto(path)
      await settled(page)
      await mark(page)
      await page.goto('/policies/terms-and-conditions?lang=en&other')
      await settled(page)
      await page.evaluate(() => history.back())
      // A page that is kept is not loaded again.
      await page.waitForURL(({ search }) => search === '', { waitUntil: 'commit' })
      expect(await whyNotKept(page)).toEqual([])
      await close()
    },
  )
})

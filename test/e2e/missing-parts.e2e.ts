import type { BrowserContext } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { addButton, arrive, field, logIn, press } from '../support/page-control.ts'
import { seenRoutes } from '../support/routes.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const { shop, visit } = await openStage({ host: 'localhost' })

beforeAll(() => shop.newOffer({ slug: 'ouverte' }))

/** Everything that a browser lacked, forbade or broke in somebody's hands, by the object that has it. */
const PARTS: Record<string, readonly string[]> = {
  window: [
    'BroadcastChannel',
    'EventSource',
    'IntersectionObserver',
    'PerformanceObserver',
    'PublicKeyCredential',
    'ResizeObserver',
    'SharedWorker',
    'Worker',
    'caches',
    'cancelIdleCallback',
    'indexedDB',
    'localStorage',
    'matchMedia',
    'requestIdleCallback',
    'scheduler',
    'sessionStorage',
    'structuredClone',
    'visualViewport',
  ],
  navigator: [
    'clipboard',
    'connection',
    'credentials',
    'locks',
    'onLine',
    'permissions',
    'sendBeacon',
    'serviceWorker',
    'share',
    'storage',
    'userAgentData',
    'wakeLock',
  ],
  document: ['cookie', 'startViewTransition'],
  crypto: ['randomUUID', 'subtle'],
  Intl: ['ListFormat', 'RelativeTimeFormat', 'Segmenter'],
  'Array.prototype': ['findLast', 'toReversed', 'toSorted', 'toSpliced', 'with'],
  Map: ['groupBy'],
  Object: ['groupBy'],
  Promise: ['withResolvers'],
  URL: ['canParse', 'parse'],
}

type Way = 'are undefined' | 'throw when they are touched'

/** Takes parts away from every page opened from now on. */
const takeAway = (context: BrowserContext, parts: Record<string, readonly string[]>, way: Way) =>
  context.addInitScript(
    ({ all, isThrowing }) => {
      for (const [path, names] of Object.entries(all)) {
        const owner = path
          .split('.')
          .reduce<unknown>(
            (found, name) => (name === 'window' ? globalThis : (found as Record<string, unknown>)[name]),
            globalThis,
          ) as object
        for (const name of names)
          Object.defineProperty(owner, name, {
            configurable: true,
            get: () => {
              if (isThrowing) throw new DOMException(`${path}.${name} is forbidden`, 'SecurityError')
            },
            set: () => {
              if (isThrowing) throw new DOMException(`${path}.${name} is forbidden`, 'SecurityError')
            },
          })
      }
    },
    { all: parts, isThrowing: way !== 'are undefined' },
  )

/** Blocked cookies, as Chromium and Firefox do it. */
const blockCookies = (context: BrowserContext) =>
  context.addInitScript(() => {
    const refuse = (): never => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    }
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get: refuse, configurable: true })
    Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false })
    Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set() {} })
    const reject = (): Promise<never> => Promise.reject(new DOMException('denied', 'SecurityError'))
    for (const name of ['request', 'query'])
      Object.defineProperty(LockManager.prototype, name, { value: reject })
    Object.defineProperty(window, 'BroadcastChannel', { value: refuse })
  })

/** Storages that are full, as in Safari's private windows before 2018. */
const fillStorages = (context: BrowserContext) =>
  context.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    }
  })

/** React and Playwright touch these themselves, and no browser is known in which they throw. */
const NEVER_THROWING = ['cancelIdleCallback', 'requestIdleCallback', 'onLine', 'startViewTransition']
const THROWING = Object.fromEntries(
  ['crypto', 'document', 'navigator', 'window'].map((owner) => [
    owner,
    (PARTS[owner] ?? []).filter((name) => !NEVER_THROWING.includes(name)),
  ]),
)

type Change = (context: BrowserContext) => Promise<unknown>

const UNDEFINED: [string, Change] = [
  'whose parts are undefined',
  (context) => takeAway(context, PARTS, 'are undefined'),
]
const BLOCKED: [string, Change] = ['that blocks cookies', blockCookies]
const WAYS = sized<[string, Change][]>({
  short: [UNDEFINED, BLOCKED],
  extended: [
    UNDEFINED,
    BLOCKED,
    ['whose parts throw', (context) => takeAway(context, THROWING, 'throw when they are touched')],
    ['whose storages are full', fillStorages],
  ],
})

/** Faults of a page, without the responses that the browser itself reports. */
const uncaught = (faults: readonly string[]): string[] =>
  faults.filter((fault) => /^uncaught|security policy/.test(fault))

/** One page of each kind, and those that keep something or ask the browser for more than the rest. */
const PAGES = sized({
  short: seenRoutes.filter(
    ({ path, kind }, index) =>
      seenRoutes.findIndex((one) => one.kind === kind) === index ||
      /^\/(?:login|cart|contact|draws\/.+)$/.test(path),
  ),
  extended: seenRoutes,
})

describe.each(WAYS)('a browser %s', (way, change) => {
  const t = words('en')

  // In the short form the browser that lacks most is led to every page.
  test.runIf(isExtended || way === UNDEFINED[0])('shows every page, and the forms respond', async () => {
    const { page, context, faults } = await visit()
    await change(context)
    for (const { path, kind } of PAGES) {
      await page.goto(path, { waitUntil: 'domcontentloaded' })
      if (kind === 'guarded') await arrive(page, '/login')
      await awake(page)
      const shown = (await page.locator('main').innerText()).trim()
      expect(shown.length, path).toBeGreaterThan(10)
      expect(shown, path).not.toContain(t('pages.error.title'))
      expect(uncaught(faults.splice(0)), path).toEqual([])
    }
    await page.goto('/login')
    await awake(page)
    await press(page, t('accounts.login.submit'))
    await page.getByText(t('errors.email.required')).first().waitFor()
  })

  test('logs in within the tab, buys, and says what it cannot', async () => {
    const customer = await shop.newCustomer()
    const { page, context, faults } = await visit()
    await change(context)
    await page.goto('/offers/ouverte')
    await arrive(page, '/login')
    await awake(page)
    await page.getByText(t('accounts.login.keepsNothing')).waitFor()
    await logIn(page, t, customer)
    await arrive(page, '/offers/ouverte')
    await addButton(page, t).click()
    await page.getByRole('link', { name: t('offers.buy.seeCart', { count: 1 }) }).click()
    // The cart has a document of its own, and nothing was kept for it.
    await page.getByText(t('accounts.login.keepsNothing')).waitFor()
    expect(new URL(page.url()).searchParams.get('next')).toMatch(/^\/cart/)
    await logIn(page, t, customer)
    await arrive(page, '/cart')
    await page.getByLabel(t('cart.country.label')).selectOption('FR')
    await page.locator('[data-funding-source="paypal"]').first().waitFor()
    // The session lives on without another document.
    await page
      .locator('aside')
      .getByRole('link', { name: t('frame.menu.offers') })
      .first()
      .click()
    await arrive(page, '/offers')
    await page.locator('aside [data-badge]').waitFor()
    expect(uncaught(faults)).toEqual([])
  })
})

test('the console says that it needs cookies, and does not lead in a circle', async () => {
  const t = words('en')
  const staff = await shop.newStaff('owner')
  const { page, context } = await visit()
  // The browser takes no cookie of the response.
  await context.route('**/api/staff/session/', async (route) => {
    const response = await route.fetch()
    await context.clearCookies({ path: '/api/staff/' })
    const { 'set-cookie': _, ...headers } = response.headers()
    await route.fulfill({ response, headers })
  })
  await page.goto('/admin/sign-in')
  await field(page, t('console.signIn.email')).fill(staff.email)
  await field(page, t('console.signIn.password')).fill(staff.password)
  await press(page, t('console.signIn.submit'))
  await page.getByText(t('console.signIn.cookiesBlocked')).waitFor()
  expect(new URL(page.url()).pathname).toBe('/admin/sign-in')
})

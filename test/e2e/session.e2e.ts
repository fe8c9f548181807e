import { decodeJwt } from 'jose'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { awake } from '../support/browser.ts'
import {
  addButton,
  respondWith,
  arrive,
  callsOf,
  field,
  hasFocus,
  holdBack,
  keepTokens,
  logIn,
  openContest,
  press,
  register,
  seeTitle,
  seeToast,
} from '../support/page-control.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { sharedStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended, sized } from '../support/tier.ts'
import type { Language } from '#shared/languages.ts'

const t = words('en')
const PAGE = '/profile/participations'
const OFFER = '/offers/session'

const { shop, visit, member } = await sharedStage()

beforeAll(() => shop.newOffer({ slug: 'session' }))

const encoded = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url')
/** An access token that has expired, and one that has not; the server has signed neither. */
const EXPIRED = `x.${encoded({ exp: 1 })}.y`
const FORGED = `x.${encoded({ exp: 9_999_999_999 })}.y`

const stored = (page: Page): Promise<(string | null)[]> =>
  page.evaluate(() => ['access', 'refresh'].map((name) => localStorage.getItem(name)))

/** A visitor whose browser keeps these tokens. */
async function holding(tokens: Record<string, string>, language: Language = 'en') {
  const visitor = await visit(undefined, { language })
  await visitor.page.goto('/api/health/live')
  await keepTokens(visitor.page, tokens)
  return visitor
}

const GUARDED = [OFFER, '/cart', PAGE, '/profile/data', '/profile/sessions']
const OPEN = ['/', '/offers', '/contact', '/login', '/register', '/policies/terms-and-conditions']

describe('the guard', () => {
  test.runIf(isExtended)(
    'sends a visitor to the login from every guarded page, and from no other [spec 2.1, 2.2, 2.4-2.10, 2.14, 4.11, 6.1-6.5, 6.20]',
    async () => {
      const { page } = await visit()
      for (const path of GUARDED) {
        await page.goto(path)
        await arrive(page, '/login')
        expect(new URL(page.url()).searchParams.get('next')).toBe(path)
      }
      for (const path of OPEN) {
        const response = await page.goto(path)
        expect(response?.status(), path).toBe(200)
        await awake(page)
        expect(new URL(page.url()).pathname).toBe(path)
      }
    },
  )

  test.runIf(isExtended)('leads back to the guarded page after the login [spec 2.4]', async () => {
    const { page, faults } = await visit(OFFER)
    await page.waitForURL(/\/login\?next=/)
    await logIn(page, t, await shop.newCustomer())
    await arrive(page, OFFER)
    await addButton(page, t).waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(isExtended)(
    'sends a visitor whose expired token cannot be renewed to the login, and keeps no token [spec 4.11]',
    async () => {
      const { page } = await holding({ access: EXPIRED, refresh: 'nothing' })
      // The page leads on before it has loaded.
      await page.goto(PAGE, { waitUntil: 'commit' })
      await arrive(page, '/login')
      expect(await stored(page)).toEqual([null, null])
    },
  )
})

test.runIf(isExtended)(
  'a visitor who returns with a stored token is signed in from the first paint [spec 3.21]',
  async () => {
    const { page } = await member()
    await page.goto('/offers', { waitUntil: 'commit' })
    await page.waitForSelector('html[data-auth]')
    expect(await page.locator('html').getAttribute('data-auth')).toBe('in')
    // A call of the page's start, sent without a token, would be renewed and store a new one.
    await page.waitForLoadState('networkidle')
    await keepTokens(page, { access: null, refresh: null })
    await page.reload()
    expect(await page.locator('html').getAttribute('data-auth')).toBe('out')
  },
)

describe('a call that gets 401', () => {
  test('is sent again after one renewal, whose token is kept [spec 4.3, 4.5, 7.9, 8.7]', async () => {
    const { page } = await member(undefined, { stored: { access: FORGED } })
    const [, refresh] = await stored(page)
    const calls = callsOf(page)
    await page.goto(PAGE)
    await page.getByText('No ticket found').waitFor()
    expect(await stored(page)).toEqual([expect.not.stringMatching(FORGED), refresh])
    expect(calls.filter((call) => call === 'POST /api/token/refresh/')).toHaveLength(1)
  })

  test.each(TESTED_LANGUAGES.flatMap((language) => [PAGE, '/cart'].map((path) => [path, language] as const)))(
    'on %s and cannot be renewed takes both tokens and leads to the login, with the reason: %s [spec 4.6, 4.7, 8.8, 8.9, 8.52]',
    async (path, language) => {
      const say = words(language)
      const { page } = await holding({ access: FORGED, refresh: 'nothing' }, language)
      await page.goto(path, { waitUntil: 'commit' })
      await arrive(page, '/login')
      expect(new URL(page.url()).searchParams.get('next')).toBe(path)
      await seeToast(page, say('errors.sessionExpired'), say('errors.logInAgain'))
      expect(await stored(page)).toEqual([null, null])
    },
  )

  const NOT_RENEWED = [
    'of add-to-cart that cannot be renewed',
    { access: FORGED, refresh: 'no' },
    undefined,
  ] as const
  const NOT_MENDED = [
    'of add-to-cart that a new token does not mend',
    {},
    { code: 'auth.tokenInvalid' },
  ] as const

  test.each(sized({ short: [NOT_RENEWED], extended: [NOT_RENEWED, NOT_MENDED] }))(
    '%s leads to the login and back, and takes both tokens [spec 8.13]',
    async (_, tokens, body) => {
      const { page } = await member()
      if (body) await respondWith(page, '/api/cart/*/add_item/', { status: 401, body })
      await openContest(page, OFFER)
      await keepTokens(page, tokens)
      await addButton(page, t).click()
      await arrive(page, '/login')
      await seeToast(page, t('errors.sessionExpired'), t('errors.logInAgain'))
      expect(new URL(page.url()).searchParams.get('next')).toBe(OFFER)
      expect(await stored(page)).toEqual([null, null])
    },
  )
})

describe('the login', () => {
  test.runIf(isExtended)(
    'has its fields, a Google button that is not available, and links to registration and new password [spec 2.89-2.92]',
    async () => {
      const { page } = await visit('/login')
      expect(await field(page, t('accounts.email')).getAttribute('type')).toBe('email')
      expect(await field(page, t('accounts.password')).getAttribute('type')).toBe('password')
      const google = page.getByRole('button', { name: 'Login with Google (Unavailable)' })
      expect(await google.isDisabled()).toBe(true)
      await page.getByRole('link', { name: 'Forgot your password?' }).waitFor()
      const toRegister = page.locator('main').getByRole('link', { name: t('accounts.login.toRegister') })
      expect(await toRegister.getAttribute('href')).toBe('/register')
    },
  )

  test('shows "Loading..." on its disabled button, loads user and cart, and is replaced in the history by home [spec 2.9, 2.93, 2.94, 3.18, 3.22, 4.1, 4.47, 4.57, 4.58]', async () => {
    const customer = await shop.newCustomer()
    await customer.add(await shop.newOffer(), 5)
    const { page } = await visit('/offers')
    await page.locator('aside').getByRole('link', { name: 'Login' }).click()
    const calls = callsOf(page)
    const release = await holdBack(page, '/api/token/')
    await logIn(page, t, customer)
    const busy = page.getByRole('button', { name: 'Loading...' })
    await busy.waitFor()
    expect(await busy.isDisabled()).toBe(true)
    release()
    await arrive(page, '/')
    await page.getByText(/^Welcome, buyer/).waitFor()
    await page.locator('aside [data-badge]').waitFor()
    const expected = ['POST /api/token/', 'GET /api/user/profile/', 'GET /api/cart/']
    expect(calls).toEqual(expect.arrayContaining(expected))
    await page.goBack()
    await arrive(page, '/offers')
  })

  test.runIf(isExtended)('leads home when it is asked to lead to another site', async () => {
    const { page, faults } = await visit(`/login?next=${encodeURIComponent('//evil.example/')}`)
    await logIn(page, t, await shop.newCustomer())
    await page.waitForURL(`${shop.config.publicUrl}/`)
    expect(faults).toEqual([])
  })
})

test.each(TESTED_LANGUAGES)(
  'a logout empties the storage, keeps the language, leads to the login, and asks other tabs to reconnect: %s [spec 2.11-2.13, 4.2, 4.59, 8.10]',
  async (language) => {
    const say = words(language)
    const stale = { billing_country: 'BE', 'something else': 'x' }
    const { page, context, customer } = await member(undefined, { language, stored: stale })
    await customer.add(await shop.newOffer(), 2)
    const other = await context.newPage()
    for (const one of [other, page]) {
      await one.goto('/offers')
      await one.locator('aside [data-badge]').waitFor()
    }
    await page.evaluate(() => sessionStorage.setItem('volant-pending-order', 'somebody’s'))
    const logout = page.locator('aside').getByRole('link', { name: say('frame.menu.logout') })
    await logout.click()
    await arrive(page, '/login')
    await logout.waitFor({ state: 'detached' })
    expect(await page.locator('[data-badge]').count()).toBe(0)
    expect(await page.getByText(say('frame.welcome', { name: '' })).count()).toBe(0)
    await arrive(other, '/login')
    await seeToast(other, say('errors.reconnect'))
    expect(await page.evaluate(() => sessionStorage.getItem('volant-pending-order'))).toBeNull()
    for (const one of [page, other]) {
      expect(await one.evaluate(() => localStorage.length)).toBe(0)
      expect(await one.locator('html').getAttribute('lang')).toBe(language)
    }
    const cookies = (await context.cookies()).map(({ name, value }) => [name, value])
    expect(cookies).toContainEqual(['language', language])
  },
)

describe('a cart that its customer has left open', () => {
  test.runIf(isExtended)('asks to reconnect when another tab logs out', async () => {
    const { page, context } = await member('/cart')
    await seeTitle(page, t('cart.empty.title'))
    const other = await context.newPage()
    await other.goto('/logout')
    await arrive(page, '/login')
    await seeToast(page, t('errors.reconnect'))
  })

  test.runIf(isExtended)(
    'is left by the first "Back" after its session expired and a new login led back to it',
    async () => {
      const { page, customer } = await member('/offers')
      await page.goto('/cart')
      await seeTitle(page, t('cart.empty.title'))
      await keepTokens(page, { access: FORGED, refresh: 'no' })
      await page.evaluate(() => new BroadcastChannel('volant-cart').postMessage(Infinity))
      await arrive(page, '/login')
      await seeToast(page, t('errors.sessionExpired'))
      await logIn(page, t, customer)
      await arrive(page, '/cart')
      await seeTitle(page, t('cart.empty.title'))
      await page.goBack()
      await arrive(page, '/offers')
    },
  )

  test.runIf(isExtended)(
    'tells nobody who logs in after a logout about a payment that was cancelled before',
    async () => {
      const { page: open, context } = await member('/profile/participations?canceled=true')
      await seeToast(open, t('checkout.canceled'))
      await (await context.newPage()).goto('/logout')
      await arrive(open, '/login')
      expect(new URL(open.url()).search).toBe('')
      await seeToast(open, t('errors.reconnect'))
      await open.getByText(t('checkout.canceled')).waitFor({ state: 'detached' })
    },
  )
})

test('the registration asks for five things, shows passwords on demand, and is replaced in the history by the login [spec 1.26, 2.10, 2.95-2.100, 2.102, 2.103]', async () => {
  const { page } = await visit('/offers')
  await page.locator('aside').getByRole('link', { name: 'Register' }).click()
  await seeTitle(page, t('accounts.register.title'))
  const codes = page.getByLabel(t('accounts.dialCode'))
  const values = await codes
    .locator('option')
    .evaluateAll((all) => all.map((one) => one.getAttribute('value')))
  expect(values).toEqual(['+33', '+49', '+32', '+352', '+31'])
  expect(await codes.inputValue()).toBe('+33')
  for (const toggle of await page.getByRole('button', { name: t('accounts.showPassword') }).all())
    await toggle.click()
  for (const label of ['accounts.password', 'accounts.confirm'] as const)
    expect(await field(page, t(label)).getAttribute('type')).toBe('text')
  const toLogin = page.locator('main').getByRole('link', { name: t('accounts.register.toLogin') })
  expect(await toLogin.getAttribute('href')).toBe('/login')
  expect(await page.getByLabel(t('accounts.code')).count()).toBe(0)
  await register(page, t, { username: 'walker', email: 'walker@example.test', password: 'long enough' })
  await arrive(page, '/login')
  await page.goBack()
  await arrive(page, '/offers')
  await page.goto('/register?code=GARAGE')
  await awake(page)
  expect(await page.getByLabel(t('accounts.code')).inputValue()).toBe('GARAGE')
})

describe('several customers at one browser, one after the other', () => {
  test.runIf(isExtended)(
    'a page that was idle while somebody else logged in is loaded again, as theirs',
    async () => {
      const { page, context, customer } = await member('/profile/data')
      await page.getByText(customer.email).first().waitFor()
      const second = await shop.newCustomer()
      const other = await context.newPage()
      await other.goto('/api/health/live')
      // As a page sees it that noticed neither the logout nor the login at the time.
      await keepTokens(other, await shop.sessionOf(second))
      await page.getByText(second.email).first().waitFor()
      expect(await page.getByText(customer.email).count()).toBe(0)
    },
  )

  test.runIf(isExtended)(
    'who logs in in another tab while a logout gets no response yet stays signed in',
    async () => {
      const { page, context } = await member(PAGE)
      await page.getByText('No ticket found').waitFor()
      const other = await context.newPage()
      await other.goto('/contact')
      await awake(other)
      await other.evaluate(() => sessionStorage.setItem('volant-pending-order', 'ORDER'))
      const next = await shop.sessionOf(await shop.newCustomer())
      const release = await holdBack(page, '/api/token/logout/')
      const responded = page.waitForResponse((response) => response.url().endsWith('/api/token/logout/'))
      await page.getByRole('link', { name: 'Logout' }).first().click()
      await arrive(other, '/login')
      expect(await other.evaluate(() => sessionStorage.getItem('volant-pending-order'))).toBeNull()
      await keepTokens(other, next)
      release()
      expect((await responded).status()).toBe(204)
      await arrive(page, '/login')
      expect(await stored(other)).toEqual([next['access'], next['refresh']])
    },
  )
})

/** Has every tab notice what another writes as late as a busy browser may report it: after it has got the lock. */
const noticeLate = (): void => {
  const real = window.localStorage
  let seen = real.getItem('access')
  const late: Partial<Storage> = {
    getItem: (name) => (name === 'access' ? seen : real.getItem(name)),
    setItem: (name, value) => {
      if (name === 'access') seen = value
      real.setItem(name, value)
    },
    removeItem: (name) => real.removeItem(name),
    clear: () => real.clear(),
  }
  Object.defineProperty(window, 'localStorage', { value: late })
  window.addEventListener('storage', (event) => {
    if (!event.isTrusted) return
    event.stopImmediatePropagation()
    const { key, newValue } = event
    setTimeout(() => {
      if (key === 'access') seen = newValue
      window.dispatchEvent(new StorageEvent('storage', { key, newValue }))
    }, 300)
  })
}

const TABS = sized({ short: 4, extended: 8 })

test('many tabs with an expired token renew it once, and none is logged out', async () => {
  const { page, context } = await member(undefined, { stored: { access: EXPIRED } })
  const askingTabs = (): Promise<number> =>
    page.evaluate(async () => {
      const { held = [], pending = [] } = await navigator.locks.query()
      return new Set([...held, ...pending].map(({ clientId }) => clientId)).size
    })
  let renewals = 0
  await context.route('**/api/token/refresh/', async (route) => {
    renewals += 1
    await vi.waitUntil(async () => renewals > 1 || (await askingTabs()) === TABS, { timeout: 120_000 })
    await route.continue()
  })
  await context.addInitScript(noticeLate)
  const tabs = await Promise.all(Array.from({ length: TABS }, () => context.newPage()))
  await Promise.all(tabs.map((tab) => tab.goto(PAGE)))
  await Promise.all(tabs.map((tab) => tab.getByText('No ticket found').waitFor()))
  expect(renewals).toBe(1)
  expect(new Set(tabs.map((tab) => new URL(tab.url()).pathname))).toEqual(new Set([PAGE]))
})

test.runIf(isExtended)(
  'a session that ends in several tabs leaves each its way back, which a login in any of them opens',
  async () => {
    const { page, context, customer } = await member('/profile/data')
    await page.getByText(customer.email).first().waitFor()
    const ways = ['/profile/orders', '/cart', '/offers/session', '/contact']
    const others = await Promise.all(
      ways.map(async (path) => {
        const tab = await context.newPage()
        await tab.goto(path)
        await tab.waitForLoadState('networkidle')
        return tab
      }),
    )
    await keepTokens(page, { access: FORGED, refresh: 'no' })
    await page.reload({ waitUntil: 'commit' })
    const wayBack = (tab: Page) => {
      const { pathname, searchParams } = new URL(tab.url())
      return pathname === '/login' && searchParams.get('next')
    }
    await expect
      .poll(() => [page, ...others].map(wayBack), { timeout: 20_000 })
      .toEqual(['/profile/data', ...ways])
    await logIn(others[0]!, t, customer)
    await arrive(page, '/profile/data')
    for (const [index, tab] of others.entries()) await arrive(tab, ways[index]!)
    // A tab whose login page loads when the login is done elsewhere goes on as well.
    for (const way of ways) {
      await page.goto(`/login?next=${encodeURIComponent(way)}`)
      await arrive(page, way)
    }
  },
)

test.runIf(isExtended)(
  'the page of devices ends one session, and all of them, with the password',
  async () => {
    const { page, customer, faults } = await member('/profile/data')
    const phone = await shop.sessionOf(customer)
    const renews = async () =>
      (await shop.anonymous('POST', '/api/token/refresh/', { refresh: phone['refresh'] })).status
    const devices = page.locator('main').getByRole('article')
    await page.getByRole('link', { name: t('accounts.profile.sessionsLink') }).click()
    await seeTitle(page, t('pages.sessions.title'))
    // That of the customer's calls, of this page and of the phone.
    await expect.poll(() => devices.count()).toBe(3)
    expect(await devices.getByText(t('sessions.current')).count()).toBe(1)

    const end = devices.getByRole('button', { name: t('sessions.endUnknown') }).first()
    const dialog = page.getByRole('dialog', { name: t('sessions.endUnknown') })
    const password = field(page, t('accounts.profile.currentPassword'))
    await end.press('Enter')
    await dialog.waitFor()
    await expect.poll(() => hasFocus(password)).toBe(true)
    await seeAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => hasFocus(end)).toBe(true)
    await end.press('Enter')
    await expect.poll(() => hasFocus(password)).toBe(true)
    await page.keyboard.press('Enter')
    await dialog.getByText(t('formErrors.password.currentRequired')).waitFor()
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    await dialog.getByText(t('formErrors.password.currentWrong')).waitFor()
    await expect.poll(() => hasFocus(password)).toBe(true)
    expect(await password.getAttribute('aria-invalid')).toBe('true')
    await seeAccessible(page)
    // The browser itself reports the refused call.
    await expect.poll(() => faults.splice(0)).toEqual([expect.stringMatching(/status of 400/)])
    expect(await devices.count()).toBe(3)
    await password.fill(customer.password)
    await page.keyboard.press('Enter')
    await seeToast(page, t('sessions.ended', { device: t('sessions.unknown') }))
    await expect.poll(() => devices.count()).toBe(2)
    await expect.poll(() => hasFocus(page.locator('main h1'))).toBe(true)

    await press(page, t('sessions.everywhere'))
    const everywhere = page.getByRole('dialog', { name: t('sessions.everywhere') })
    expect(await password.inputValue()).toBe('')
    await password.fill(customer.password)
    await everywhere.getByRole('button', { name: t('sessions.everywhere') }).click()
    await arrive(page, '/login')
    expect(await stored(page)).toEqual([null, null])
    expect([await renews(), (await customer.get('/api/cart/')).status]).toEqual([401, 401])
    expect(faults).toEqual([])
  },
)

test.runIf(isExtended)(
  'the page of devices shows a limit in its dialog, and takes a device off that was logged out elsewhere',
  async () => {
    const { page, customer } = await member('/profile/sessions')
    const devices = page.locator('main').getByRole('article')
    await expect.poll(() => devices.count()).toBe(2)
    await devices.getByRole('button', { name: t('sessions.endUnknown') }).click()
    const password = field(page, t('accounts.profile.currentPassword'))
    await password.fill(customer.password)
    const limited = { status: 429, body: { code: 'limit.password', detail: 'Later, please.' } }
    await respondWith(page, '/api/user/sessions/*/end/', limited, 1)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('Later, please.').waitFor()
    const [access = ''] = await stored(page)
    await shop.db
      .updateTable('sessions')
      .set({ revoked_at: new Date() })
      .where('user_id', '=', customer.id)
      .where('id', '<>', String(decodeJwt(access ?? '')['sid']))
      .execute()
    // The form takes no second submission until the first one has ended.
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('sessions.end'), exact: true })
      .click()
    await seeToast(page, t('sessions.ended', { device: t('sessions.unknown') }))
    await expect.poll(() => devices.count()).toBe(1)
  },
)

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { keepTokens, member, network, putIntoCart, signIn, visit } from '../support/visits.ts'
import { answerWith, holdBack } from '../support/walk.ts'
import { words } from '../support/words.ts'

const t = words('en')

const { shop, browser } = await openStage()

beforeAll(async () => {
  await shop.newOffer({ slug: 'ouverte', title: 'Ouverte' })
})

/** An access token with an expiry claim, which the server knows nothing of. */
const forged = (expiresInS: number): string =>
  `x.${Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + expiresInS })).toString('base64url')}.y`

const stored = (page: Page): Promise<(string | null)[]> =>
  page.evaluate(() => ['access', 'refresh'].map((name) => localStorage.getItem(name)))

/** Paths of the API calls a page makes from now on. */
function callsOf(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`)
  })
  return calls
}

const GUARDED = ['/offers/ouverte', '/cart', '/profile/participations', '/profile/data']
const OPEN = ['/', '/offers', '/contact', '/login', '/register', '/policies/terms-and-conditions']

describe('the guard', () => {
  test('sends a visitor to the login from every guarded page, and from no other [spec 2.1, 2.2, 2.4-2.10, 2.14, 4.11, 6.1-6.5, 6.20]', async () => {
    const { page, close } = await visit(browser, shop)
    for (const path of GUARDED) {
      await page.goto(path)
      await page.waitForURL(({ pathname }) => pathname === '/login')
      expect(new URL(page.url()).searchParams.get('next')).toBe(path)
    }
    for (const path of OPEN) {
      const answer = await page.goto(path)
      expect(answer?.status(), path).toBe(200)
      await awake(page)
      expect(new URL(page.url()).pathname).toBe(path)
    }
    await close()
  })

  test('renews an access token whose expiry claim has passed, with the stored refresh token [spec 4.4, 4.9, 4.10]', async () => {
    const { page, close } = await member(browser, shop)
    const [, refresh] = await stored(page)
    const old = forged(-60)
    await keepTokens(page, { access: old })
    await page.goto('/profile/data')
    await page.getByRole('heading', { level: 1, name: t('pages.profileData.title') }).waitFor()
    expect((await stored(page))[0]).not.toBe(old)
    expect((await stored(page))[1]).toBe(refresh)
    await close()
  })

  test.each([
    ['an expired one that cannot be renewed', { access: forged(-60), refresh: 'nothing' }],
    ['an expired one and nothing to renew it with', { access: forged(-60), refresh: null }],
  ])('sends to the login who has %s, and keeps no token [spec 4.11]', async (_, tokens) => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/api/health/live')
    await keepTokens(page, tokens)
    // The page leads on before it has loaded.
    await page.goto('/profile/participations', { waitUntil: 'commit' })
    await page.waitForURL(({ pathname }) => pathname === '/login')
    expect(await stored(page)).toEqual([null, null])
    await close()
  })
})

test('who comes back with a stored token is signed in from the first look [spec 3.21]', async () => {
  const { page, close } = await member(browser, shop)
  await page.goto('/offers', { waitUntil: 'commit' })
  await page.waitForSelector('html[data-auth]')
  expect(await page.locator('html').getAttribute('data-auth')).toBe('in')
  await keepTokens(page, { access: null })
  await page.reload()
  expect(await page.locator('html').getAttribute('data-auth')).toBe('out')
  await close()
})

describe('a call that is answered 401', () => {
  test('is renewed once and sent once more [spec 4.3, 4.5]', async () => {
    const { page, close } = await member(browser, shop)
    await keepTokens(page, { access: forged(600) })
    const calls = callsOf(page)
    await page.goto('/profile/participations')
    await page.getByText('No ticket found').waitFor()
    expect(calls.filter((call) => call.endsWith('/api/token/refresh/'))).toHaveLength(1)
    // The page's own call may come after the renewal, and be answered before the profile, which is asked for as soon as
    // the page starts, has been refused.
    await expect.poll(() => calls.filter((call) => call.startsWith('GET /api/user/profile/'))).toHaveLength(2)
    expect(calls.filter((call) => call.endsWith('/api/token/refresh/'))).toHaveLength(1)
    await close()
  })

  test('and cannot be renewed takes both tokens away and goes to the login, saying why [spec 4.6, 4.7]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/api/health/live')
    await keepTokens(page, { access: forged(600), refresh: 'nothing' })
    await page.goto('/profile/participations', { waitUntil: 'commit' })
    await page.waitForURL(({ pathname }) => pathname === '/login')
    await page.getByText('Session expired', { exact: true }).waitFor()
    await page.getByText('Please log in again to continue', { exact: true }).waitFor()
    expect(await stored(page)).toEqual([null, null])
    await close()
  })
})

describe('the login', () => {
  test('has its fields, a Google button that is not available, and the ways to register and to a new password [spec 2.89-2.92]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/login')
    await awake(page)
    expect(await page.getByLabel(t('accounts.email')).getAttribute('type')).toBe('email')
    expect(await page.getByLabel(t('accounts.password'), { exact: true }).getAttribute('type')).toBe(
      'password',
    )
    expect(await page.getByRole('button', { name: 'Login with Google (Unavailable)' }).isDisabled()).toBe(
      true,
    )
    await page.getByRole('link', { name: 'Forgot your password?' }).waitFor()
    expect(
      await page
        .locator('main')
        .getByRole('link', { name: t('accounts.login.toRegister') })
        .getAttribute('href'),
    ).toBe('/register')
    await close()
  })

  test('shows "Loading..." on its disabled button, loads user and cart, and replaces itself in the history by home [spec 2.9, 2.93, 2.94, 3.18, 3.22, 4.1, 4.47, 4.57, 4.58]', async () => {
    const customer = await shop.newCustomer()
    await putIntoCart(customer, await shop.newOffer(), 5)
    const { page, close } = await visit(browser, shop)
    await page.goto('/offers')
    await awake(page)
    await page.locator('aside').getByRole('link', { name: 'Login' }).click()
    await page.getByLabel(t('accounts.email')).fill(customer.email)
    await page.getByLabel(t('accounts.password'), { exact: true }).fill(customer.password)
    const calls = callsOf(page)
    const letGo = await holdBack(page, '/api/token/')
    await page.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
    const busy = page.getByRole('button', { name: 'Loading...' })
    await busy.waitFor()
    expect(await busy.isDisabled()).toBe(true)
    letGo()
    await page.waitForURL(({ pathname }) => pathname === '/')
    await page.getByText(/^Welcome, buyer/).waitFor()
    await page.locator('aside [data-badge]').waitFor()
    expect(calls).toEqual(
      expect.arrayContaining(['POST /api/token/', 'GET /api/user/profile/', 'GET /api/cart/']),
    )
    await page.goBack()
    await page.waitForURL('**/offers')
    await close()
  })
})

test('a logout empties the local storage, goes to the login, tells the other tab and resets what was loaded [spec 2.11-2.13, 4.2, 4.59]', async () => {
  const { page, context, customer, close } = await member(browser, shop)
  await putIntoCart(customer, await shop.newOffer(), 2)
  await keepTokens(page, { billing_country: 'BE' })
  const other = await context.newPage()
  await other.goto('/offers')
  await other.locator('aside [data-badge]').waitFor()
  await page.goto('/offers')
  await page.locator('aside [data-badge]').waitFor()
  await page.evaluate(() => sessionStorage.setItem('volant-pending-order', 'somebody’s'))
  await page.locator('aside').getByRole('link', { name: 'Logout' }).click()
  await page.waitForURL(({ pathname }) => pathname === '/login')
  expect(
    await page.evaluate(() => [localStorage.length, sessionStorage.getItem('volant-pending-order')]),
  ).toEqual([0, null])
  await page.waitForLoadState('networkidle')
  expect(await page.locator('[data-badge]').count()).toBe(0)
  expect(await page.getByText(/^Welcome/).count()).toBe(0)
  await other.waitForURL(({ pathname }) => pathname === '/login')
  await other.getByText('Please reconnect', { exact: true }).waitFor()
  await close()
})

test('the registration asks for five things, shows passwords on demand, and replaces itself by the login [spec 1.26, 2.10, 2.95-2.100, 2.102, 2.103]', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/offers')
  await awake(page)
  await page.locator('aside').getByRole('link', { name: 'Register' }).click()
  await page.getByLabel(t('accounts.username')).fill('walker')
  await page.getByLabel(t('accounts.email')).fill('walker@example.test')
  const codes = page.getByLabel(t('accounts.dialCode')).locator('option')
  expect(await codes.evaluateAll((all) => all.map((one) => one.getAttribute('value')))).toEqual([
    '+33',
    '+49',
    '+32',
    '+352',
    '+31',
  ])
  expect(await page.getByLabel(t('accounts.dialCode')).inputValue()).toBe('+33')
  await page.getByLabel(t('accounts.phone')).fill('612345678')
  const password = page.getByLabel(t('accounts.password'), { exact: true })
  await password.fill('long enough')
  await page.getByLabel(t('accounts.confirm')).fill('long enough')
  for (const toggle of await page.getByRole('button', { name: t('accounts.showPassword') }).all())
    await toggle.click()
  expect(await password.getAttribute('type')).toBe('text')
  expect(await page.getByLabel(t('accounts.confirm')).getAttribute('type')).toBe('text')
  expect(
    await page
      .locator('main')
      .getByRole('link', { name: t('accounts.register.toLogin') })
      .getAttribute('href'),
  ).toBe('/login')
  expect(await page.getByLabel(t('accounts.code')).count()).toBe(0)
  await page.getByRole('button', { name: t('accounts.register.submit') }).click()
  await page.waitForURL(({ pathname }) => pathname === '/login')
  await page.goBack()
  await page.waitForURL('**/offers')
  await page.goto('/register?code=GARAGE')
  await awake(page)
  expect(await page.getByLabel(t('accounts.code')).inputValue()).toBe('GARAGE')
  await close()
})

describe('my participations', () => {
  test('are cards by contest with status, count, end date and numbers, filtered by status [spec 2.6, 2.104-2.107, 3.25, 4.18, 4.19, 6.12]', async () => {
    const { customer, offerId, orderId } = await shop.approvedOrder(3)
    await customer.capture(orderId)
    const past = await shop.newOffer({ title: 'Passée' })
    const { body } = await customer.order(past, 1)
    await shop.paypal.approve(body['order_id'] as string)
    await customer.capture(body['order_id'] as string)
    await shop.db
      .updateTable('offers')
      .set({ end_date: new Date('2026-01-02T11:30:00Z') })
      .where('id', '=', past)
      .execute()
    await shop.db.updateTable('offers').set({ title_en: 'Running car' }).where('id', '=', offerId).execute()
    await shop.db.updateTable('offers').set({ title_en: 'Past car' }).where('id', '=', past).execute()
    const visitor = await visit(browser, shop)
    await signIn(visitor, shop, customer)
    const { page } = visitor
    await page.goto('/profile/participations')
    const running = page.getByRole('article', { name: 'Running car' })
    await running.getByText('In progress', { exact: true }).waitFor()
    await running.getByText(t('tickets.count', { count: 3 }), { exact: true }).waitFor()
    expect(await running.getByRole('button', { name: /^Download ticket \d+ / }).count()).toBe(3)
    const over = page.getByRole('article', { name: 'Past car' })
    await over.getByText('Expired', { exact: true }).waitFor()
    expect(await over.locator('time').textContent()).toContain('02/01/2026 12:30')
    const shown = () => page.getByRole('article').getByRole('heading').allTextContents()
    const filter = (name: RegExp) => page.locator('label').filter({ hasText: name }).click()
    expect(await page.locator('fieldset label').allTextContents()).toEqual([
      'All2',
      'In progress1',
      'Expired1',
    ])
    await filter(/^In progress/)
    expect(await shown()).toEqual(['Running car'])
    await filter(/^Expired/)
    expect(await shown()).toEqual(['Past car'])
    await filter(/^All/)
    expect(await shown()).toEqual(['Running car', 'Past car'])
    await visitor.close()
  })

  test('show the contest’s picture where there is one, and all else without the list of contests', async () => {
    const pictured = await shop.newOffer({ pictures: ['fastback-front'] })
    const { customer, orderId } = await shop.approvedOrder(1)
    await customer.capture(orderId)
    const { body } = await customer.order(pictured, 1)
    await shop.paypal.approve(body['order_id'] as string)
    await customer.capture(body['order_id'] as string)
    const visitor = await visit(browser, shop)
    await signIn(visitor, shop, customer)
    const { page } = visitor
    await page.goto('/profile/participations')
    const cards = page.getByRole('article')
    // Room for a picture is kept while the list is on the way.
    const rooms = cards.locator('a[aria-hidden]')
    await rooms.locator('img').waitFor()
    expect([await cards.count(), await rooms.count()]).toEqual([2, 1])
    await answerWith(page, '/api/offers/', 'cut')
    await page.reload()
    await cards.getByRole('button').nth(1).waitFor()
    await expect.poll(() => rooms.count()).toBe(0)
    expect(await cards.count()).toBe(2)
    await visitor.close()
  })

  test('say "No ticket found" when there are none [spec 2.109]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/profile/participations')
    await page.getByRole('heading', { name: 'No ticket found' }).waitFor()
    await close()
  })
})

describe('several people at one browser, one after the other', () => {
  test('a page that slept while somebody else logged in is loaded anew, as theirs', async () => {
    const first = await member(browser, shop)
    const { page, context, close } = first
    await page.goto('/profile/data')
    await page.getByText(first.customer.email).first().waitFor()
    const second = await shop.newCustomer()
    const other = await context.newPage()
    await other.goto('/api/health/live')
    // As a page sees it that heard neither of the logout nor of the login in their time.
    await keepTokens(other, { ...(await shop.sessionOf(second)) })
    await page.getByText(second.email).first().waitFor()
    expect(await page.getByText(first.customer.email).count()).toBe(0)
    await close()
  })

  test('who logs in while somebody else is signed in sees nothing of theirs', async () => {
    const first = await member(browser, shop)
    const { page, close } = first
    await putIntoCart(first.customer, await shop.newOffer(), 3)
    const second = await shop.newCustomer()
    await page.goto('/login')
    await awake(page)
    const nameOf = async ({ id }: { id: number }): Promise<string> =>
      (await shop.db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow())
        .username
    await page
      .getByText(await nameOf(first.customer))
      .first()
      .waitFor()
    await page.getByLabel(t('accounts.email')).fill(second.email)
    await page.getByLabel(t('accounts.password'), { exact: true }).fill(second.password)
    await page.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
    await page.waitForURL(({ pathname }) => pathname === '/')
    await page
      .getByText(await nameOf(second))
      .first()
      .waitFor()
    expect(await page.getByText(await nameOf(first.customer)).count()).toBe(0)
    expect(await page.locator('aside [data-badge]').count()).toBe(0)
    await close()
  })

  test('who logs in in another tab while a logout is still on its way stays signed in', async () => {
    const { page, context, close } = await member(browser, shop)
    await page.goto('/profile/participations')
    await page.getByText('No ticket found').waitFor()
    const other = await context.newPage()
    await other.goto('/contact')
    await awake(other)
    await other.evaluate(() => sessionStorage.setItem('volant-pending-order', 'ORDER'))
    const next = await shop.sessionOf(await shop.newCustomer())
    await network(page, { latency: 3_000 })
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/api/token/logout/'))
    await page.getByRole('link', { name: 'Logout' }).first().click()
    await other.waitForURL(({ pathname }) => pathname === '/login')
    expect(await other.evaluate(() => sessionStorage.getItem('volant-pending-order'))).toBeNull()
    await keepTokens(other, next)
    expect((await answered).status()).toBe(204)
    await page.waitForURL(({ pathname }) => pathname === '/login')
    expect(await stored(other)).toEqual([next['access'], next['refresh']])
    await close()
  })
})

import { describe, expect, test } from 'vitest'
import type { Language } from '#shared/languages.ts'
import { type Visitor, awake } from '../support/browser.ts'
import { sharedStage } from '../support/stage.ts'
import { keepTokens, member, visit } from '../support/visits.ts'
import { answerWith, seeToast } from '../support/walk.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

/** A token of the right form that has not run out and that no server has signed. */
const DAMAGED = `e30.${btoa(JSON.stringify({ exp: 9_999_999_999 })).replaceAll('=', '')}.AAAA`
const PAGE = '/profile/participations'

const { shop, browser } = await sharedStage()

/** A visitor whose browser keeps these tokens. */
async function holding(tokens: Record<string, string>, language: Language = 'en'): Promise<Visitor> {
  const visitor = await visit(browser, shop, { language })
  await visitor.page.goto('/api/health/live')
  await keepTokens(visitor.page, tokens)
  return visitor
}

const stored = ({ page }: Visitor) =>
  page.evaluate(() => ({ access: localStorage.getItem('access'), refresh: localStorage.getItem('refresh') }))

describe('a 401 on a call', () => {
  test('is mended by one refresh and one retry: the new token is kept, the page shows what it asked for [spec 7.9, 8.7]', async () => {
    const visitor = await member(browser, shop)
    const { page } = visitor
    const { refresh } = await stored(visitor)
    await keepTokens(page, { access: DAMAGED })
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/token|profile/.test(pathname)) asked.push(`${pathname} ${request.headers()['authorization']}`)
    })
    await page.goto(PAGE)
    await page.getByText('No ticket found').waitFor()
    const now = await stored(visitor)
    expect(now.refresh).toBe(refresh)
    expect(now.access).not.toBe(DAMAGED)
    expect(asked.filter((line) => line.startsWith('/api/token/refresh/'))).toHaveLength(1)
    // The page's own call may come after the renewal, and be answered before the profile, which is asked for as soon as
    // the page starts, has been refused.
    await expect
      .poll(() => asked.filter((line) => line.startsWith('/api/user/profile/')))
      .toEqual([`/api/user/profile/ Bearer ${DAMAGED}`, `/api/user/profile/ Bearer ${now.access}`])
    expect(asked.filter((line) => line.startsWith('/api/token/refresh/'))).toHaveLength(1)
    await visitor.close()
  })

  test('after the retry is final: no call is sent a third time [spec 8.7, 9.15]', async () => {
    const visitor = await member(browser, shop)
    const { page } = visitor
    await answerWith(page, '/api/tickets/user/', { status: 401, body: { detail: 'Still not.' } })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(PAGE)
    await page.getByText('Still not.').waitFor()
    expect(asked.filter((path) => path === '/api/tickets/user/')).toHaveLength(2)
    expect(asked.filter((path) => path === '/api/token/refresh/')).toHaveLength(1)
    await visitor.close()
  })

  test.each(TESTED_LANGUAGES)(
    'that cannot be mended takes both tokens and leads to the login, which says why, in %s [spec 8.8, 8.9, 8.52]',
    async (language) => {
      const t = words(language)
      const visitor = await holding({ access: DAMAGED, refresh: 'no' }, language)
      const { page } = visitor
      await page.goto(PAGE)
      await page.waitForURL((url) => url.pathname === '/login')
      expect(new URL(page.url()).searchParams.get('next')).toBe(PAGE)
      await seeToast(page, t('errors.sessionExpired'), t('errors.logInAgain'))
      expect(await stored(visitor)).toEqual({ access: null, refresh: null })
      await visitor.close()
    },
  )

  test('without a refresh token fails at once: nothing is asked for [spec 8.8]', async () => {
    const visitor = await holding({ access: DAMAGED })
    const { page } = visitor
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(PAGE)
    await page.waitForURL((url) => url.pathname === '/login')
    await seeToast(page, 'Session expired', 'Please log in again to continue')
    expect(asked).not.toContain('/api/token/refresh/')
    await visitor.close()
  })

  test('on the cart, which is a document of its own, is told by the login all the same [spec 8.9]', async () => {
    const visitor = await holding({ access: DAMAGED, refresh: 'no' })
    const { page } = visitor
    await page.goto('/cart')
    await page.waitForURL((url) => url.pathname === '/login')
    await seeToast(page, 'Session expired', 'Please log in again to continue')
    await visitor.close()
  })

  test('of add-to-cart: session-expired toast and the login, from where the buyer comes back [spec 8.13]', async () => {
    await shop.newOffer({ slug: 'expired-session' })
    const visitor = await member(browser, shop)
    const { page } = visitor
    await page.goto('/offers/expired-session')
    const add = page.getByRole('button', { name: 'Add to cart' }).first()
    await add.waitFor()
    await keepTokens(page, { access: DAMAGED, refresh: 'no' })
    await add.click()
    await page.waitForURL((url) => url.pathname === '/login')
    await seeToast(page, 'Session expired', 'Please log in again to continue')
    expect(new URL(page.url()).searchParams.get('next')).toBe('/offers/expired-session')
    await visitor.close()
  })

  test('of add-to-cart that a new token does not mend says the same, and takes both tokens [spec 8.13]', async () => {
    await shop.newOffer({ slug: 'refused-session' })
    const visitor = await member(browser, shop)
    const { page } = visitor
    await page.goto('/offers/refused-session')
    const add = page.getByRole('button', { name: 'Add to cart' }).first()
    await add.waitFor()
    await answerWith(page, '/api/cart/*/add_item/', { status: 401, body: { code: 'auth.tokenInvalid' } })
    await add.click()
    await page.waitForURL((url) => url.pathname === '/login')
    await seeToast(page, 'Session expired', 'Please log in again to continue')
    expect(await stored(visitor)).toEqual({ access: null, refresh: null })
    await visitor.close()
  })

  test('of add-to-cart that is not our API’s, such as a proxy’s, says so and keeps both tokens', async () => {
    await shop.newOffer({ slug: 'proxy-refuses' })
    const visitor = await member(browser, shop)
    const { page } = visitor
    await page.goto('/offers/proxy-refuses')
    const add = page.getByRole('button', { name: 'Add to cart' }).first()
    await add.waitFor()
    await answerWith(page, '/api/cart/*/add_item/', { status: 401, body: {} })
    await add.click()
    await seeToast(page, 'Error adding to cart')
    expect(new URL(page.url()).pathname).toBe('/offers/proxy-refuses')
    expect(await stored(visitor)).toEqual({ access: expect.any(String), refresh: expect.any(String) })
    await visitor.close()
  })
})

test.each(TESTED_LANGUAGES)(
  'a logout in another tab asks to reconnect, in %s [spec 8.10]',
  async (language) => {
    const t = words(language)
    const visitor = await member(browser, shop, { language })
    const { page } = visitor
    await page.goto(PAGE)
    await page.getByText(t('tickets.empty')).waitFor()
    const other = await visitor.context.newPage()
    await other.goto('/logout')
    await page.waitForURL((url) => url.pathname === '/login')
    await seeToast(page, t('errors.reconnect'))
    await visitor.close()
  },
)

test.each(TESTED_LANGUAGES)(
  'adding without a stored token asks to log in, in %s [spec 8.14]',
  async (language) => {
    const t = words(language)
    const slug = `no-token-${language}`
    await shop.newOffer({ slug })
    const visitor = await member(browser, shop, { language })
    const { page } = visitor
    await page.goto(`/offers/${slug}`)
    const add = page.getByRole('button', { name: t('offers.buy.add') }).first()
    await add.waitFor()
    await keepTokens(page, { access: null })
    await add.click()
    await page.waitForURL((url) => url.pathname === '/login')
    await seeToast(page, t('offers.buy.authRequired'), t('offers.buy.authRequiredText'))
    await visitor.close()
  },
)

test('a login sends the stored token too, and a stale one does not stop it [spec 7.2, 7.4]', async () => {
  const customer = await shop.newCustomer()
  const visitor = await visit(browser, shop)
  const { page } = visitor
  await page.goto('/login')
  await awake(page)
  // Only now: a page that starts with a stale token asks for the profile, and ends that session itself.
  await keepTokens(page, { access: DAMAGED })
  await page.getByLabel('Email', { exact: true }).fill(customer.email)
  await page.getByLabel('Password', { exact: true }).fill(customer.password)
  const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/token/')
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  expect((await sent).headers()['authorization']).toBe(`Bearer ${DAMAGED}`)
  await page.waitForURL((url) => url.pathname === '/')
  await visitor.close()
})

import type { Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { awake } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { keepTokens, member, putIntoCart, visit } from '../support/visits.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

let networks = 0

/** Limits that are soon reached; every visitor below comes from a network of their own. */
const { shop, browser } = await openStage({
  env: {
    TRUST_PROXY: 'true',
    HIDE_ANSWER: 'true',
    LIMIT_STRICT: 'account 5/1h, address 1/1h, all 900/1h',
    LIMIT_NORMAL: 'account 3/10m, address 900/10m, all 900/10m',
    LIMIT_GENEROUS: 'account 3/10m, address 900/10m, all 900/10m',
  },
})

/** Gives a visitor a network of their own. @returns the header that names it */
const own = async (page: Page): Promise<Record<string, string>> => {
  networks += 1
  const header = { 'x-forwarded-for': `198.51.100.${networks}` }
  await page.context().setExtraHTTPHeaders(header)
  return header
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** The banner that says so, whatever the minutes or seconds. */
const seeRefusal = async (page: Page, sentence: string): Promise<void> => {
  const [before = '', after = ''] = sentence
    .split('#')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  await page.getByText(new RegExp(`^${before}\\d+${after}$`)).waitFor()
}

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)
  const said = (key: Parameters<typeof t>[0], minutes: number) =>
    t(key, { minutes, seconds: 7 }).replace(minutes > 0 ? String(minutes) : '7', '#')

  test('too many failed logins are told above the form, which stays as it is', async () => {
    const { page, close } = await visit(browser, shop, { language })
    const headers = await own(page)
    const failed = { username: `kim.${language}@example.test`, password: 'wrong password' }
    // Five failures are free; the page makes the last of them.
    for (let failure = 1; failure < 5; failure += 1)
      expect((await shop.anonymous('POST', '/api/token/', failed, { headers })).status).toBe(401)
    await page.goto('/login')
    await awake(page)
    await page.getByLabel(t('accounts.email'), { exact: true }).fill(`kim.${language}@example.test`)
    await page.getByLabel(t('accounts.password'), { exact: true }).fill('wrong password')
    await press(page, t('accounts.login.submit'))
    await page.getByText(t('errors.auth.badCredentials'), { exact: true }).waitFor()
    await press(page, t('accounts.login.submit'))
    await seeRefusal(page, said('errors.limit.login', 0))
    expect(await page.getByLabel(t('accounts.email'), { exact: true }).inputValue()).toBe(
      `kim.${language}@example.test`,
    )
    await close()
  })

  test('too many requests for a new password are told above the form', async () => {
    const { page, close } = await visit(browser, shop, { language })
    await own(page)
    await page.goto('/forgot-password')
    await awake(page)
    await page.getByLabel(t('accounts.email'), { exact: true }).fill('kim@example.test')
    await press(page, t('accounts.forgot.submit'))
    await page.getByText(t('accounts.forgot.sent'), { exact: true }).waitFor()
    await press(page, t('accounts.forgot.submit'))
    await seeRefusal(page, said('errors.limit.tooMany', 60))
    await close()
  })
})

const t = words('en')

test('too many registrations from one network are told above the form', async () => {
  const { page, close } = await visit(browser, shop)
  await own(page)
  for (const round of [1, 2]) {
    await page.goto('/register')
    await awake(page)
    await page.getByLabel(t('accounts.username')).fill(`limited ${round}`)
    await page.getByLabel(t('accounts.email'), { exact: true }).fill(`limited${round}@example.test`)
    await page.getByLabel(t('accounts.phone'), { exact: true }).fill('612345678')
    await page.getByLabel(t('accounts.password'), { exact: true }).fill('correct horse')
    await page.getByLabel(t('accounts.confirm')).fill('correct horse')
    await press(page, t('accounts.register.submit'))
    if (round === 1) await page.waitForURL(({ pathname }) => pathname === '/login')
  }
  await seeRefusal(page, t('errors.limit.tooMany', { minutes: 60, seconds: 0 }).replace('60', '#'))
  await close()
})

test('too many wrong answers are told on the page of the contest', async () => {
  const question = { question: 'Ville ?', choices: ['Lyon', 'Paris', 'Nice'], correct_choice: 'Paris' }
  const offerId = await shop.newOffer({ slug: 'question', ...question })
  const { page, customer, close } = await member(browser, shop)
  const wrong = { offer_id: offerId, quantity: 1, answer: 'Lyon' }
  for (const _ of [1, 2])
    expect((await customer.post(`/api/cart/${customer.cartId}/add_item/`, wrong)).status).toBe(400)
  await page.goto('/offers/question')
  await awake(page)
  const add = page.getByRole('button', { name: t('offers.buy.add') }).filter({ visible: true })
  await page.getByLabel('Ville ?').selectOption('Lyon')
  await add.click()
  await page.getByText(t('offers.buy.wrongAnswer'), { exact: true }).first().waitFor()
  await page.getByLabel('Ville ?').selectOption('Paris')
  await add.click()
  await page
    .getByRole('main')
    .getByText(/^Too many wrong answers\. You can answer again in \d+ minutes\.$/)
    .first()
    .waitFor()
  await close()
})

test('too many orders are told in the cart, which is kept', async () => {
  const offer = await shop.newOffer()
  const { page, customer, close } = await member(browser, shop)
  await putIntoCart(customer, offer, 2)
  for (const _ of [1, 2, 3])
    expect((await customer.post('/api/paypal/create-order/', { country_code: 'BE' })).status).toBe(200)
  const { status, body } = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
  expect([status, body['code']]).toEqual([429, 'limit.createOrder'])
  // The wallet's own button lies in a frame of the provider; without its script the shop's button asks for the order.
  await page.route('**/sdk/js**', (route) => route.abort())
  await keepTokens(page, { billing_country: 'BE' })
  await page.goto('/cart')
  await awake(page)
  await page.getByRole('button', { name: t('checkout.toProvider') }).click()
  await page
    .getByText(/Too many requests\. Please try again in \d+ minutes\./)
    .first()
    .waitFor()
  await close()
})

/** Has every tab hear of what another writes as late as a busy browser may tell it: after the turn has come to it. */
const hearLate = (): void => {
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

test('eight tabs whose token has run out renew it once, one for all, and nobody is logged out', async () => {
  const { page, context, close } = await member(browser, shop)
  const claims = Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url')
  await keepTokens(page, { access: `x.${claims}.y` })
  const askingTabs = (): Promise<number> =>
    page.evaluate(async () => {
      const { held = [], pending = [] } = await navigator.locks.query()
      return new Set([...held, ...pending].map(({ clientId }) => clientId)).size
    })
  let renewals = 0
  await context.route('**/api/token/refresh/', async (route) => {
    renewals += 1
    await vi.waitUntil(async () => renewals > 1 || (await askingTabs()) === 8, { timeout: 120_000 })
    await route.continue()
  })
  await context.addInitScript(hearLate)
  const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()))
  await Promise.all(tabs.map((tab) => tab.goto('/profile/participations')))
  await Promise.all(tabs.map((tab) => tab.getByText('No ticket found').waitFor()))
  expect(renewals).toBe(1)
  expect(new Set(tabs.map((tab) => new URL(tab.url()).pathname))).toEqual(
    new Set(['/profile/participations']),
  )
  await close()
})

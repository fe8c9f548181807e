import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { awake, newVisitor, sidewaysScroll, startBrowser } from '../support/browser.ts'
import { type TestShop, testShop } from '../support/shop.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

let shop: TestShop
let browser: Browser

beforeAll(async () => {
  shop = await testShop({ pages: true })
  browser = await startBrowser()
  const question = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
  await shop.newOffer({ slug: 'ouverte', title: 'Ouverte', ...question })
  await shop.newOffer({ slug: 'terminee', title: 'Terminée', end_date: new Date(Date.now() - 60_000) })
})
afterAll(async () => {
  await browser?.close()
  await shop?.close()
})

/** What axe finds wrong on the page, one line each. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations: found } = await page.evaluate(
    (rules) =>
      (window as unknown as { axe: typeof axe }).axe.run({ runOnly: { type: 'tag', values: rules } }),
    RULES,
  )
  return found.flatMap((one) =>
    one.nodes.map((node) => `${one.id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  )
}

const PUBLIC = ['/', '/offers', '/policies/terms-and-conditions', '/login', '/register', '/nowhere']
const GUARDED = ['/offers/ouverte', '/offers/terminee', '/cart', '/profile/participations', '/profile/data']

describe.each(LANGUAGES)('in %s', (language) => {
  test.each([
    [360, 'light'],
    [1440, 'dark'],
  ] as const)('no page breaks a rule of accessibility: %i pixels, %s', async (width, colorScheme) => {
    const options = { baseUrl: shop.config.publicUrl, width, language, colorScheme }
    const visitor = await newVisitor(browser, options)
    const { page } = visitor
    for (const path of PUBLIC) {
      await page.goto(path)
      await awake(page)
      expect(await violations(page), path).toEqual([])
    }

    const customer = await shop.newCustomer()
    const offerId = await shop.newOffer({ title: 'Dans le panier' })
    const { body } = await customer.order(offerId, 3)
    await shop.paypal.approve(body['order_id'] as string)
    await customer.capture(body['order_id'] as string)
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    const login = await shop.anonymous('POST', '/api/token/', {
      username: customer.email,
      password: customer.password,
    })
    await page.evaluate((tokens) => {
      for (const [name, token] of Object.entries(tokens)) localStorage.setItem(name, token as string)
    }, login.body)
    for (const path of GUARDED) {
      await page.goto(path)
      await page.locator('main h1').waitFor()
      await page.waitForLoadState('networkidle')
      expect(await violations(page), path).toEqual([])
    }
    await visitor.close()
  })
})

test.each(['/offers/%00', '/offers/nowhere', '/nowhere', '/draws/nowhere'])(
  '%s is told to be missing',
  async (path) => {
    const answer = await fetch(shop.config.publicUrl + path)
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toMatch(/at .*\.ts:\d+/)
  },
)

test('no public page scrolls sideways at 320 pixels', async () => {
  const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 320, language: 'fr' })
  for (const path of PUBLIC) {
    await visitor.page.goto(path)
    await awake(visitor.page)
    expect(await sidewaysScroll(visitor.page), path).toBe(0)
  }
  await visitor.close()
})

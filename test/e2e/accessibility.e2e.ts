import { beforeAll, describe, expect, test } from 'vitest'
import { violations } from '../support/axe.ts'
import { awake, newVisitor, sidewaysScroll } from '../support/browser.ts'
import { guardedPages, openPages } from '../support/routes.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { TESTED_LANGUAGES } from '../support/words.ts'

const { shop, browser } = await openStage()

beforeAll(async () => {
  const question = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
  await shop.newOffer({ slug: 'ouverte', title: 'Ouverte', ...question })
  await shop.newOffer({ slug: 'terminee', title: 'Terminée', end_date: new Date(Date.now() - 60_000) })
})

const ENDED = '/offers/terminee'

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  // Phones in light colours are in the states of every page (states.e2e.ts), too.
  test.each(
    sized<[number, 'light' | 'dark'][]>({
      short: [[1440, 'dark']],
      extended: [
        [360, 'light'],
        [1440, 'dark'],
      ],
    }),
  )('no page breaks a rule of accessibility: %i pixels, %s', async (width, colorScheme) => {
    const options = { baseUrl: shop.config.publicUrl, width, language, colorScheme }
    const visitor = await newVisitor(browser, options)
    const { page } = visitor
    for (const path of openPages()) {
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
    for (const path of [...guardedPages(), ENDED]) {
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
  for (const path of openPages()) {
    await visitor.page.goto(path)
    await awake(visitor.page)
    expect(await sidewaysScroll(visitor.page), path).toBe(0)
  }
  await visitor.close()
})

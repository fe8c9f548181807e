import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { testShop } from '../support/shop.ts'
import { END_SHOWN, fillShowroom } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { columnsOf, member, network, visit } from '../support/visits.ts'
import { holdBack } from '../support/walk.ts'
import { words } from '../support/words.ts'

const OFFLINE = 'Unable to connect to the server. Please check your internet connection.'

const t = words('en')

const { shop, browser } = await openStage()

beforeAll(async () => {
  await fillShowroom(shop)
})

const card = (page: Page, name: string) => page.getByRole('article', { name })

describe('the list', () => {
  test('shows picture, title, price, tickets sold of all, end date and button of each offer [spec 2.2, 2.42, 2.44-2.49, 2.52, 3.6, 6.2]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/offers')
    expect(await page.locator('main h1').textContent()).toBe('Available offers')
    const open = card(page, 'Open car')
    expect(await open.locator('img').getAttribute('src')).toMatch(/^\/media\/roadster-front-/)
    await open.getByText('€4.90', { exact: true }).waitFor()
    await open.getByText(t('offers.card.sold', { sold: 15, total: 20 }), { exact: true }).waitFor()
    await open.getByText('1 in 20 chance per ticket', { exact: true }).waitFor()
    expect(await card(page, 'Ended car').getByText('chance per ticket').count()).toBe(0)
    expect(await open.locator('time').textContent()).toContain(END_SHOWN)
    await open.getByText(t('offers.card.viewDetails')).waitFor()
    expect(await card(page, 'Simple car').locator('img').count()).toBe(0)
    await close()
  })

  test('titles its page "Concours Automobiles" in French, and falls back to the French title of a car [spec 2.3, 2.39, 2.45, 3.11]', async () => {
    const french = await shop.app.inject({ url: '/offers' })
    expect(french.body).toContain('<title>Concours Automobiles | Volant</title>')
    const dutch = await shop.app.inject({ url: '/offers?lang=nl' })
    expect(dutch.body).toMatch(/lang="fr"[^>]*>Ouverte</)
  })

  test('disables the button of an offer that has ended or is out of stock, and says which [spec 2.50, 2.51]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/offers')
    for (const [name, label] of [
      ['Full car', 'Out of stock'],
      ['Ended car', 'Offer ended'],
    ] as const) {
      const button = card(page, name).getByRole('button', { name: label })
      expect(await button.isDisabled(), name).toBe(true)
      expect(await card(page, name).getByRole('link').count()).toBe(0)
    }
    await close()
  })

  test('leads a visitor to the login and a customer to the offer [spec 2.53, 2.54, 6.6]', async () => {
    const visitor = await visit(browser, shop)
    await visitor.page.goto('/offers')
    await awake(visitor.page)
    await card(visitor.page, 'Open car').getByRole('link').click()
    await visitor.page.waitForURL(({ pathname }) => pathname === '/login')
    await visitor.close()
    const { page, close } = await member(browser, shop)
    await page.goto('/offers')
    await awake(page)
    await card(page, 'Open car').getByRole('link').click()
    await page.waitForURL('**/offers/ouverte')
    await close()
  })

  test('has 1, 2 or 4 columns by width [spec 2.43, 9.25]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/offers')
    for (const [width, columns] of [
      [360, 1],
      [1000, 2],
      [1440, 4],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await expect
        .poll(() => columnsOf(page, 'ul[aria-label="Available offers"]'), { message: `${width} pixels` })
        .toBe(columns)
    }
    await close()
  })

  test('says that it loads, says why it could not, and then shows nothing but a way to try again [spec 2.55, 2.56]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/offers')
    await awake(page)
    const follow = (name: string) => page.locator('aside').getByRole('link', { name }).click()
    await follow('Home')
    await page.waitForURL((url) => url.pathname === '/')
    const letGo = await holdBack(page, '/api/offers/')
    await follow('Offers')
    await page.getByText('Loading offers...').waitFor()
    letGo()
    await card(page, 'Open car').waitFor()
    await follow('Home')
    await page.getByRole('heading', { name: 'Win Your Dream Car.' }).waitFor()
    await network(page, { offline: true })
    await follow('Offers')
    await page.getByText(`Error: ${OFFLINE}`, { exact: true }).waitFor()
    expect(await page.getByRole('article').count()).toBe(0)
    expect(await page.getByText(t('offers.intro')).count()).toBe(0)
    await network(page)
    await page.getByRole('button', { name: t('offers.retry') }).click()
    await card(page, 'Open car').waitFor()
    await close()
  })

  test('says when there is nothing to offer [spec 2.57]', async () => {
    const empty = await testShop({ pages: true })
    try {
      const { body } = await empty.app.inject({ url: '/offers?lang=en' })
      expect(body).toContain('>No offers available at the moment<')
    } finally {
      await empty.close()
    }
  })
})

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { END_SHOWN, PICTURES, SOCIAL_URL, VIDEO_URL, fillShowroom } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { keepTokens, member, network, putIntoCart } from '../support/visits.ts'
import { holdBack } from '../support/walk.ts'
import { words } from '../support/words.ts'

const OFFLINE = 'Unable to connect to the server. Please check your internet connection.'

const t = words('en')

const { shop, browser } = await openStage({ env: { VIDEO_URL, SOCIAL_URL } })

beforeAll(async () => {
  await fillShowroom(shop)
})

const card = (page: Page, name: string) => page.getByRole('article', { name })
const addButton = (page: Page) =>
  page.getByRole('button', { name: t('offers.buy.add') }).filter({ visible: true })
const quantity = (page: Page) => page.getByRole('textbox', { name: t('offers.buy.quantity') })

describe('the page of an offer', () => {
  test('tells everything: title, words, price, tickets, one winner, end, and where the draw is shown [spec 1.3, 1.9, 1.10, 2.30, 2.61-2.66, 6.10, 9.5]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers/ouverte')
    await page.getByRole('heading', { level: 1, name: 'Open car' }).waitFor()
    await page.getByText('Good car.', { exact: true }).waitFor()
    await page.getByText('€4.90', { exact: true }).first().waitFor()
    const facts = page.getByRole('region', { name: t('offers.detail.facts') })
    await facts.getByText(t('offers.detail.soldOf', { sold: 15, total: 20 }), { exact: true }).waitFor()
    await facts.getByText(t('offers.detail.winner'), { exact: true }).waitFor()
    await facts.getByText(t('offers.detail.odds', { total: 20 }), { exact: true }).waitFor()
    expect(await facts.locator('time').first().textContent()).toContain(END_SHOWN)
    const links = facts.locator('a[target=_blank]')
    expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      VIDEO_URL,
      SOCIAL_URL,
    ])
    await close()
  })

  test('shows one picture per view, with thumbnails on its right [spec 2.58, 2.59, 9.26]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers/ouverte')
    const gallery = page.getByRole('region', { name: t('offers.gallery.label', { title: 'Open car' }) })
    await gallery.waitFor()
    const track = gallery.locator('ul').first()
    const widths = await track.evaluate((list) => [
      list.clientWidth,
      ...[...list.children].map((slide) => (slide as HTMLElement).offsetWidth),
    ])
    expect(new Set(widths).size).toBe(1)
    const view = await track.boundingBox()
    const thumbnails = gallery.getByRole('button', { name: /^Show picture/ })
    expect(await thumbnails.count()).toBe(PICTURES.length)
    const beside = await thumbnails.first().boundingBox()
    expect(beside?.x).toBeGreaterThanOrEqual((view?.x ?? 0) + (view?.width ?? 0))
    await thumbnails.nth(2).click()
    await gallery.getByText(t('offers.gallery.slide', { index: 3, count: 3 }), { exact: true }).waitFor()
    await gallery.getByRole('button', { name: t('offers.gallery.previous') }).click()
    await gallery.getByText(t('offers.gallery.slide', { index: 2, count: 3 }), { exact: true }).waitFor()
    await close()
  })

  test('enlarges its pictures over the whole screen, from 1 to 8 times [spec 2.60, 9.27]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers/ouverte')
    await page
      .getByRole('button', { name: /^Enlarge picture/ })
      .first()
      .click()
    const level = page.getByRole('status').filter({ hasText: /^Zoom/ })
    expect(await level.textContent()).toBe('Zoom 1×')
    const box = await page.locator('.yarl__container').boundingBox()
    expect([box?.width, box?.height]).toEqual([1440, 900])
    const [closer, further] = [
      page.getByRole('button', { name: t('offers.gallery.zoomIn') }),
      page.getByRole('button', { name: t('offers.gallery.zoomOut') }),
    ]
    expect(await further.isDisabled()).toBe(true)
    for (let press = 0; press < 20 && (await closer.isEnabled()); press += 1) await closer.click()
    await expect.poll(() => level.textContent()).toBe('Zoom 8×')
    await page.getByRole('button', { name: t('offers.gallery.zoomReset') }).click()
    await expect.poll(() => level.textContent()).toBe('Zoom 1×')
    await page.keyboard.press('Escape')
    await page.locator('.yarl__container').waitFor({ state: 'detached' })
    await close()
  })

  test('asks its question with a drop-down, and lets only the right answer into the cart [spec 1.6, 1.7, 2.67, 4.17, 5.45]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers/ouverte')
    const question = page.getByRole('combobox', { name: 'Deux et deux ?' })
    await question.waitFor()
    expect(await question.locator('option').allTextContents()).toEqual([
      t('offers.buy.choose'),
      '3',
      '4',
      '22',
    ])
    expect(await addButton(page).isDisabled()).toBe(true)
    await question.selectOption('22')
    expect(await addButton(page).isDisabled()).toBe(true)
    await question.selectOption('4')
    expect(await addButton(page).isEnabled()).toBe(true)
    await page.goto('/offers/simple')
    await addButton(page).waitFor()
    expect(await page.getByRole('combobox').filter({ visible: true }).count()).toBe(1) // the language
    expect(await addButton(page).isEnabled()).toBe(true)
    await close()
  })

  test('counts from 1 to the tickets that remain, and shows the total of the line on its button [spec 2.68, 2.69, 5.42, 5.43]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers/ouverte')
    await addButton(page).waitFor()
    expect(await quantity(page).inputValue()).toBe('1')
    expect(await page.getByRole('button', { name: t('offers.buy.fewer') }).isDisabled()).toBe(true)
    expect(await addButton(page).textContent()).toContain('€4.90')
    await page.getByRole('button', { name: t('offers.buy.more') }).click()
    expect(await addButton(page).textContent()).toContain('€9.80')
    await quantity(page).fill('99')
    await quantity(page).press('Enter')
    expect(await quantity(page).inputValue()).toBe('5')
    expect(await page.getByRole('button', { name: t('offers.buy.more') }).isDisabled()).toBe(true)
    await quantity(page).fill('0')
    await quantity(page).press('Enter')
    expect(await quantity(page).inputValue()).toBe('1')
    await close()
  })

  test('says "Adding to cart..." while it adds, then that it is added [spec 4.16, 8.46]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers/simple')
    await addButton(page).waitFor()
    const letGo = await holdBack(page, '/api/cart/*/add_item/')
    await addButton(page).click()
    const busy = page.getByRole('button', { name: t('offers.buy.adding') }).filter({ visible: true })
    await busy.waitFor()
    expect(await busy.isDisabled()).toBe(true)
    letGo()
    await page.getByText('Added to cart', { exact: true }).waitFor()
    const next = page.getByRole('link', { name: t('offers.buy.seeCart', { count: 1 }) })
    expect(await next.filter({ visible: true }).getAttribute('href')).toBe('/cart')
    await close()
  })

  test('adds once when the connection is cut after the server has done it', async () => {
    const { page, customer, close } = await member(browser, shop)
    await shop.newOffer({ slug: 'coupure', total_tickets: 100 })
    const keys: (string | undefined)[] = []
    await page.route('**/add_item/', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      expect((await route.fetch()).status()).toBe(200)
      await route.abort('connectionreset')
    })
    await page.goto('/offers/coupure')
    await page
      .getByRole('button', { name: t('offers.buy.more') })
      .filter({ visible: true })
      .click()
    await addButton(page).click()
    await page.locator('[data-sonner-toast]').getByText(t('offers.buy.added'), { exact: true }).waitFor()
    expect(keys).toEqual([expect.stringMatching(/./), keys[0]])
    await page
      .locator('aside a[href="/cart"]')
      .getByText(t('frame.cartCount', { count: 2 }))
      .waitFor()
    const [cart] = (await customer.get('/api/cart/')).body as { items: { quantity: number }[] }[]
    expect(cart?.items.map(({ quantity: count }) => count)).toEqual([2])
    // Another press of the button is another call.
    await addButton(page).click()
    await page
      .locator('aside a[href="/cart"]')
      .getByText(t('frame.cartCount', { count: 4 }))
      .waitFor()
    expect(new Set(keys).size).toBe(2)
    await close()
  })

  test('has a see-cart button with the number of tickets below 768 px, once the cart is not empty [spec 2.70, 9.24]', async () => {
    const { page, customer, close } = await member(browser, shop, { width: 767 })
    await page.goto('/offers/simple')
    const bar = page.getByRole('region', { name: t('offers.buy.barLabel') })
    await bar.waitFor()
    const seeCart = bar.getByRole('link', { name: t('offers.buy.seeCart', { count: 3 }) })
    expect(await bar.getByRole('link', { name: /See cart/ }).count()).toBe(0)
    await putIntoCart(customer, await shop.newOffer(), 3)
    await page.reload()
    await seeCart.waitFor()
    expect(await seeCart.getAttribute('href')).toBe('/cart')
    await page.setViewportSize({ width: 768, height: 900 })
    await seeCart.waitFor({ state: 'hidden' })
    await close()
  })

  test.each([
    ['complete', 'Out of stock'],
    ['finie', 'Offer ended'],
  ])('sells nothing of %s and says "%s" [spec 4.12-4.15]', async (slug, label) => {
    const { page, close } = await member(browser, shop)
    await page.goto(`/offers/${slug}`)
    const button = page.getByRole('button', { name: label }).filter({ visible: true })
    await button.waitFor()
    expect(await button.isDisabled()).toBe(true)
    expect(await quantity(page).count()).toBe(0)
    await close()
  })

  test('says that it loads, that it was not found, and why it could not be loaded [spec 2.71-2.73]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers/nowhere')
    await page.getByRole('heading', { name: 'Offer not found' }).waitFor()
    await page.goto('/offers/simple')
    await addButton(page).waitFor()
    await page.locator('aside').getByRole('link', { name: 'Offers' }).click()
    await card(page, 'Open car').waitFor()
    await network(page, { offline: true })
    await card(page, 'Open car').getByRole('link').click()
    await page.getByText(OFFLINE, { exact: true }).waitFor()
    await network(page)
    await page.getByRole('button', { name: t('offers.retry') }).click()
    await page.getByRole('heading', { name: 'Open car' }).waitFor()
    const { body } = await shop.app.inject({ url: '/offers/simple?lang=en' })
    expect(body).toContain(t('offers.detail.loading'))
    await close()
  })

  test('asks somebody whose session is gone to log in before anything is added [spec 6.7, 6.8]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers/simple')
    await addButton(page).waitFor()
    await keepTokens(page, { access: null, refresh: null })
    await addButton(page).click()
    await page.getByText('Authentication required', { exact: true }).waitFor()
    await page.getByText('Please log in to add items to the cart', { exact: true }).waitFor()
    await page.waitForURL(({ pathname }) => pathname === '/login')
    await close()
  })
})

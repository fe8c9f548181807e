import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { formatEur, formatPercent } from '#i18n/format.ts'
import type { Language } from '#shared/languages.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { respondWith, hasFocus, press, seeTitle, seeToast, toast, wallet } from '../support/page-control.ts'
import { sharedStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'

const t = words('en')
const COUNTRY_WARNING = t('cart.country.warning')

const { shop, member } = await sharedStage()

/** A customer on the cart page with tickets of as many contests as quantities are given. */
async function onCart(quantities: number[], language: Language = 'en') {
  const visitor = await member(undefined, { language })
  const { customer, page } = visitor
  const offers = await Promise.all(quantities.map(() => shop.newOffer({ total_tickets: 100 })))
  for (const [index, offerId] of offers.entries()) await customer.add(offerId, quantities[index] ?? 1)
  await page.goto('/cart')
  await seeTitle(page, words(language)('cart.title'))
  /** Quantities of the lines that the server has. */
  const stored = async (): Promise<number[]> => {
    const [cart] = (await customer.get('/api/cart/')).body as { items: { quantity: number }[] }[]
    return cart?.items.map(({ quantity }) => quantity) ?? []
  }
  return { ...visitor, offers, stored }
}

const lines = (page: Page) => page.locator('main li:has(h3)')
const summary = (page: Page, say = t) => page.getByRole('region', { name: say('cart.summary') })
const figures = (page: Page) => summary(page).locator('dl > div')

describe('a line of the cart', () => {
  test('shows picture and title that lead to the offer, the unit price, and a stepper that never goes below 1 [spec 2.74, 2.75, 2.77, 2.78, 4.24, 5.44]', async () => {
    const { page, offers, stored } = await onCart([2])
    const { slug, titles } = await shop.db
      .selectFrom('offers')
      .select(['slug', 'titles'])
      .where('id', '=', offers[0] ?? 0)
      .executeTakeFirstOrThrow()
    const links = lines(page).getByRole('link', { includeHidden: true })
    const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(hrefs).toEqual([`/offers/${slug}`, `/offers/${slug}`])
    await lines(page).getByRole('heading', { name: titles.en }).waitFor()
    await lines(page)
      .getByText(/€4\.90 \(€\d\.\d\d incl\. VAT\)$/)
      .waitFor()
    await press(page, t('offers.buy.fewer'))
    expect(await page.getByRole('textbox', { name: /Number of tickets/ }).inputValue()).toBe('1')
    expect(await page.getByRole('button', { name: t('offers.buy.fewer') }).isDisabled()).toBe(true)
    await press(page, t('offers.buy.more'))
    await press(page, t('offers.buy.more'))
    await expect.poll(stored).toEqual([3])
  })

  test('can be removed, until an empty cart leads to the offers [spec 2.76, 2.86, 4.25]', async () => {
    const { page } = await onCart([1, 1])
    const remove = page.getByRole('button', { name: /^Remove from cart/ })
    await remove.first().click()
    await seeToast(page, 'Item removed')
    expect(await lines(page).count()).toBe(1)
    await remove.click()
    await seeTitle(page, t('cart.empty.title'))
    await page.getByText(t('cart.empty.text')).waitFor()
    await seeAccessible(page)
    expect(await page.locator('main svg, main [role=img]').count()).toBeGreaterThan(0)
    const action = page.locator('main').getByRole('link', { name: t('cart.empty.action') })
    expect(await action.getAttribute('href')).toBe('/offers')
  })

  test.runIf(isExtended)('can be removed with all others [spec 2.85, 4.26, 8.48]', async () => {
    const { page } = await onCart([1, 2])
    await press(page, t('cart.clear'))
    await page.getByRole('dialog').waitFor()
    await seeAccessible(page)
    await press(page, t('cart.clearConfirm'))
    await seeToast(page, 'Cart cleared')
    await seeTitle(page, t('cart.empty.title'))
  })
})

describe('the order summary', () => {
  test('needs a billing country to be paid, estimates for the Netherlands until then, and remembers the choice [spec 2.79-2.84, 3.29, 3.30, 5.47, 5.49, 9.9, 9.11]', async () => {
    const { page } = await onCart([2])
    await summary(page).getByText(COUNTRY_WARNING).first().waitFor()
    await seeAccessible(page)
    await summary(page).getByRole('link', { name: COUNTRY_WARNING }).click()
    const country = summary(page).getByLabel(t('cart.country.label'))
    await expect.poll(() => hasFocus(country)).toBe(true)
    const pay = { name: t('checkout.toProvider'), description: COUNTRY_WARNING }
    expect(await summary(page).getByRole('button', pay).isDisabled()).toBe(true)
    expect(await page.locator('[data-funding-source]').count()).toBe(0)
    await summary(page).getByText('Estimate for: Netherlands').waitFor()
    const estimate = ['Subtotal€9.80', 'VAT (21%)€2.06', 'Estimated total€11.86']
    expect(await figures(page).allTextContents()).toEqual(estimate)
    expect(await country.locator('option').count()).toBeGreaterThanOrEqual(30)
    await country.selectOption('FR')
    const confirmed = ['Subtotal€9.80', 'VAT (20%)€1.96', 'Total€11.76']
    await expect.poll(() => figures(page).allTextContents()).toEqual(confirmed)
    await wallet(page).waitFor()
    expect(await summary(page).getByText(COUNTRY_WARNING).count()).toBe(0)
    await page.reload()
    expect(await country.inputValue()).toBe('FR')
    expect(await page.getByRole('link', { name: t('cart.continue') }).getAttribute('href')).toBe('/offers')
  })
})

test.runIf(isExtended)(
  'messages in the address are shown as toasts and leave the address [spec 2.87, 2.88, 2.108, 2.141, 2.142, 8.50]',
  async () => {
    const { page } = await member()
    for (const path of ['/cart', '/profile/participations']) {
      for (const [parameter, text] of [
        ['canceled', t('checkout.canceled')],
        ['success', 'Payment successful!'],
      ] as const) {
        await page.goto(`${path}?${parameter}=true`)
        await seeToast(page, text)
        await expect.poll(() => page.url()).toBe(shop.config.publicUrl + path)
      }
    }
  },
)

describe.each(TESTED_LANGUAGES)('a failure in the cart, in %s', (language) => {
  const say = words(language)

  /** A text of the page itself: toasts are outside of it and soon gone. */
  const inPage = (page: Page, text: string) => page.locator('main').getByText(text, { exact: true })

  test.runIf(isExtended)(
    'of a change of quantity, a removal or an emptying is shown, and nothing changes [spec 8.21-8.23, 8.47, 8.52]',
    async () => {
      const { page, stored } = await onCart([2], language)
      await respondWith(page, '/api/cart/*/update_item/', { status: 500 }, 1)
      await press(page, say('offers.buy.more'))
      await seeToast(page, say('cart.quantityError'), say('errors.unexpected'))
      await inPage(page, say('cart.quantityError')).waitFor()
      await seeAccessible(page)
      await expect.poll(() => page.getByRole('textbox').first().inputValue()).toBe('2')

      await respondWith(page, '/api/cart/*/remove_item/', { status: 409, body: { detail: 'Not now.' } }, 1)
      const remove = page.getByRole('button', { name: say('cart.line.removeOf', { title: '' }) }).first()
      await remove.click()
      await seeToast(page, say('cart.removeError'), 'Not now.')
      await inPage(page, say('cart.removeError')).waitFor()
      expect(await inPage(page, say('cart.quantityError')).count()).toBe(0)

      await respondWith(page, '/api/cart/*/clear/', { status: 500 }, 1)
      await press(page, say('cart.clear'))
      await press(page, say('cart.clearConfirm'))
      await seeToast(page, say('cart.clearError'), say('errors.unexpected'))
      await inPage(page, say('cart.clearError')).waitFor()
      expect(await stored()).toEqual([2])

      await remove.click()
      await seeToast(page, say('cart.removed'))
      await page.getByText(say('cart.empty.title')).waitFor()
    },
  )

  test.runIf(isExtended)(
    'to remove an ended contest has a toast of its own; its removal is a warning [spec 4.28, 4.29, 8.24]',
    async () => {
      const { page, offers, stored } = await onCart([1, 2], language)
      await shop.changeOffer(offers[0] ?? 0, { end_date: new Date(Date.now() - 60_000) })
      await respondWith(page, '/api/cart/*/remove_item/', { status: 500 }, 1)
      await page.reload()
      await seeToast(page, say('cart.expiredError'))
      await page.getByText(say('cart.problem.ended')).waitFor()
      await page.reload()
      const removed = say('cart.expiredRemoved', { count: 1 })
      await toast(page, removed).and(page.locator('[data-type=warning]')).waitFor()
      await inPage(page, removed).waitFor()
      expect(await lines(page).count()).toBe(1)
      expect(await stored()).toEqual([2])
    },
  )

  test.runIf(isExtended)(
    'to load it is a general error with a retry; until then the page shows that it loads [spec 4.20, 4.22, 8.6, 8.20]',
    async () => {
      const { body } = await shop.app.inject({ url: `/cart?lang=${language}` })
      expect(body).toContain(say('cart.loading'))
      const { page } = await onCart([1], language)
      await respondWith(page, '/api/cart/', { status: 500 }, 1)
      await page.reload()
      await page.getByRole('heading', { name: say('cart.errorTitle') }).waitFor()
      await seeAccessible(page)
      await page.getByText(say('errors.unexpected')).waitFor()
      expect(await lines(page).count()).toBe(0)
      await press(page, say('cart.retry'))
      await seeTitle(page, say('cart.title'))
      await lines(page).first().waitFor()
    },
  )

  test.runIf(isExtended)(
    'to compute the tax warns, and 21 percent are computed instead [spec 8.25-8.27, 9.8]',
    async () => {
      const { page } = await onCart([1], language)
      await respondWith(page, '/api/cart/calculate_tax/', { status: 400, body: { detail: 'No.' } })
      // Germany has 19 percent: what is shown can only be the fallback.
      await page.getByLabel(say('cart.country.label')).selectOption('DE')
      const rate = formatPercent(21, language)
      await page.getByText(say('cart.taxCheckCountry', { rate })).waitFor()
      await seeAccessible(page)
      const totals = [say('cart.vat', { rate }), formatEur('1.03', language), formatEur('5.93', language)]
      for (const text of totals) await summary(page, say).getByText(text, { exact: true }).waitFor()
    },
  )
})

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { testShop } from '../support/shop.ts'
import { sharedStage } from '../support/stage.ts'
import { holdTimers, keepTokens, keptTimers, member, putIntoCart, runKeptTimers } from '../support/visits.ts'
import { holdBack } from '../support/walk.ts'
import { words } from '../support/words.ts'

const t = words('en')
const COUNTRY_WARNING = t('cart.country.warning')

const { shop, browser } = await sharedStage()

/** A customer on the cart page with tickets of as many contests as quantities are given. */
async function onCart(...quantities: number[]) {
  const visitor = await member(browser, shop)
  const offers = await Promise.all(quantities.map(() => shop.newOffer({ total_tickets: 100 })))
  for (const [index, offerId] of offers.entries())
    await putIntoCart(visitor.customer, offerId, quantities[index] ?? 1)
  await visitor.page.goto('/cart')
  await visitor.page.getByRole('heading', { level: 1 }).waitFor()
  return { ...visitor, offers }
}

const lines = (page: Page) => page.locator('main li:has(h3)')
const summary = (page: Page) => page.getByRole('region', { name: t('cart.summary') })
const figures = (page: Page) => summary(page).locator('dl > div')
const toast = (page: Page, text: string) =>
  page.locator('[data-sonner-toast]').getByText(text, { exact: true })

describe('the items', () => {
  test('show picture and title that lead to the offer, the unit price, and a stepper that never goes below 1 [spec 2.74, 2.75, 2.77, 2.78, 4.24, 5.44]', async () => {
    const { page, offers, close } = await onCart(2)
    const { slug, title_en: title } = await shop.db
      .selectFrom('offers')
      .select(['slug', 'title_en'])
      .where('id', '=', offers[0] ?? 0)
      .executeTakeFirstOrThrow()
    const links = lines(page).getByRole('link', { includeHidden: true })
    expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      `/offers/${slug}`,
      `/offers/${slug}`,
    ])
    await lines(page).getByRole('heading', { name: title }).waitFor()
    await lines(page).getByText('€4.90 per ticket', { exact: true }).waitFor()
    const fewer = page.getByRole('button', { name: t('offers.buy.fewer') })
    await fewer.click()
    expect(await page.getByRole('textbox', { name: /Number of tickets/ }).inputValue()).toBe('1')
    expect(await fewer.isDisabled()).toBe(true)
    await page.getByRole('button', { name: t('offers.buy.more') }).click()
    await page.getByRole('button', { name: t('offers.buy.more') }).click()
    await expect
      .poll(
        async () =>
          (
            await shop.db
              .selectFrom('cart_items')
              .select('quantity')
              .where('offer_id', '=', offers[0] ?? 0)
              .executeTakeFirst()
          )?.quantity,
      )
      .toBe(3)
    await close()
  })

  test('can be removed one by one, until an empty cart leads to the offers [spec 2.76, 2.86, 4.25]', async () => {
    const { page, close } = await onCart(1, 1)
    await page
      .getByRole('button', { name: /^Remove from cart/ })
      .first()
      .click()
    await toast(page, 'Item removed').waitFor()
    expect(await lines(page).count()).toBe(1)
    await page.getByRole('button', { name: /^Remove from cart/ }).click()
    await page.getByRole('heading', { level: 1, name: t('cart.empty.title') }).waitFor()
    await page.getByText(t('cart.empty.text')).waitFor()
    expect(await page.locator('main svg, main [role=img]').count()).toBeGreaterThan(0)
    const action = page.locator('main').getByRole('link', { name: t('cart.empty.action') })
    expect(await action.getAttribute('href')).toBe('/offers')
    await close()
  })

  test('can all be cleared at once [spec 2.85, 4.26]', async () => {
    const { page, close } = await onCart(1, 2)
    await page.getByRole('button', { name: t('cart.clear') }).click()
    await page.getByRole('button', { name: t('cart.clearConfirm') }).click()
    await toast(page, 'Cart cleared').waitFor()
    await page.getByRole('heading', { level: 1, name: t('cart.empty.title') }).waitFor()
    await close()
  })

  test('of contests that have ended are removed, and a warning says so [spec 4.28, 4.29]', async () => {
    const { page, customer, offers, close } = await onCart(1, 1)
    await shop.db
      .updateTable('offers')
      .set({ end_date: new Date(Date.now() - 1_000) })
      .where('id', '=', offers[0] ?? 0)
      .execute()
    await page.reload()
    const warning = page.locator('[data-sonner-toast][data-type=warning]')
    await warning.getByText(t('cart.expiredRemoved', { count: 1 })).waitFor()
    expect(await lines(page).count()).toBe(1)
    const { body } = await customer.get('/api/cart/')
    expect((body as unknown as { items: unknown[] }[])[0]?.items).toHaveLength(1)
    await close()
  })

  test('say while they load that they do, and give a general error when they cannot [spec 4.20, 4.22]', async () => {
    const { page, close } = await onCart(1)
    const { body } = await shop.app.inject({ url: '/cart?lang=en' })
    expect(body).toContain(t('cart.loading'))
    await shop.db.schema.alterTable('cart_items').renameTo('cart_items_away').execute()
    try {
      await page.reload()
      await page.getByRole('heading', { name: t('cart.errorTitle') }).waitFor()
      await page.getByText('An unexpected error occurred. Please try again later.').waitFor()
      expect(await lines(page).count()).toBe(0)
    } finally {
      await shop.db.schema.alterTable('cart_items_away').renameTo('cart_items').execute()
    }
    await page.getByRole('button', { name: t('cart.retry') }).click()
    await lines(page).first().waitFor()
    await close()
  })
})

describe('the order summary', () => {
  test('needs a billing country to be paid, estimates for the Netherlands until then, and remembers the choice [spec 2.79-2.83, 3.29, 3.30, 5.47, 5.49, 9.9, 9.11]', async () => {
    const { page, close } = await onCart(2)
    await summary(page).getByText(COUNTRY_WARNING).first().waitFor()
    await summary(page).getByRole('link', { name: COUNTRY_WARNING }).click()
    const country = summary(page).getByLabel(t('cart.country.label'))
    await expect.poll(() => country.evaluate((select) => select === document.activeElement)).toBe(true)
    expect(
      await summary(page)
        .getByRole('button', { name: t('checkout.toProvider') })
        .isDisabled(),
    ).toBe(true)
    await summary(page).getByText('Estimate for: Netherlands').waitFor()
    expect(await figures(page).allTextContents()).toEqual([
      'Subtotal€9.80',
      'VAT (21%)€2.06',
      'Estimated total€11.86',
    ])
    expect(await country.locator('option').count()).toBeGreaterThanOrEqual(30)
    await country.selectOption('FR')
    await expect
      .poll(() => figures(page).allTextContents())
      .toEqual(['Subtotal€9.80', 'VAT (20%)€1.96', 'Total€11.76'])
    expect(await summary(page).getByText(COUNTRY_WARNING).count()).toBe(0)
    await page.reload()
    expect(await country.inputValue()).toBe('FR')
    await close()
  })

  test('offers to continue shopping [spec 2.84]', async () => {
    const { page, close } = await onCart(1)
    expect(await page.getByRole('link', { name: t('cart.continue') }).getAttribute('href')).toBe('/offers')
    await close()
  })

  test('says that the payment script loads, then shows its buttons [spec 4.38, 4.39]', async () => {
    const { page, close } = await onCart(1)
    await keepTokens(page, { billing_country: 'BE' })
    const letGo = await holdBack(page, '/sdk/js')
    await page.reload({ waitUntil: 'commit' })
    await page.getByText(t('checkout.scriptLoading')).waitFor()
    letGo()
    await page.locator('[data-funding-source="paypal"]').first().waitFor()
    await close()
  })
})

describe('messages in the address', () => {
  test.each([
    ['/cart', 'canceled', t('checkout.canceled')],
    ['/cart', 'success', 'Payment successful!'],
    ['/profile/participations', 'success', 'Payment successful!'],
    ['/profile/participations', 'canceled', t('checkout.canceled')],
  ])(
    '%s?%s=true toasts "%s" and goes from the address [spec 2.87, 2.88, 2.108, 2.141, 2.142]',
    async (path, parameter, text) => {
      const { page, close } = await member(browser, shop)
      await page.goto(`${path}?${parameter}=true`)
      await toast(page, text).waitFor()
      await expect.poll(() => new URL(page.url()).search).toBe('')
      expect(new URL(page.url()).pathname).toBe(path)
      await close()
    },
  )
})

test('a payment script that cannot be loaded leaves the way by the address of the payment [spec 4.37, 4.40]', async () => {
  const blocked = await testShop({ pages: true, env: { PAYPAL_SDK_URL: 'http://127.0.0.1:9' } })
  try {
    const { page, customer, close } = await member(browser, blocked)
    await putIntoCart(customer, await blocked.newOffer(), 1)
    await keepTokens(page, { billing_country: 'BE' })
    await page.goto('/cart')
    await page.getByText(t('checkout.scriptFailed')).waitFor()
    await page.getByRole('button', { name: t('checkout.scriptRetry') }).waitFor()
    await page.getByRole('button', { name: t('checkout.toProvider') }).click()
    await page.waitForURL(/checkoutnow/)
    expect(page.url().startsWith(blocked.paypal.url)).toBe(true)
    await close()
  } finally {
    await blocked.close()
  }
})

test('a paid cart is emptied, and 2 seconds later the page goes to the participations [spec 2.141, 4.27, 4.30-4.34, 7.1, 9.14]', async () => {
  const { page, context, customer, close } = await onCart(2)
  await holdTimers(page, 2_000, 'Payment successful!')
  await keepTokens(page, { billing_country: 'BE' })
  await page.reload()
  const opened = context.waitForEvent('page')
  await page.locator('[data-funding-source="paypal"]').first().click()
  const approval = await opened
  await approval.waitForURL(/checkoutnow/)
  await approval.locator('button[value="approve"]').click()
  await page.getByRole('heading', { level: 1, name: 'Payment successful!' }).waitFor()
  await expect.poll(() => keptTimers(page)).toBe(1)
  // On a phone a toast would lie on the way to the numbers: the heading says it, and this to who listens.
  await page.getByRole('status').filter({ hasText: 'Payment successful!' }).waitFor()
  expect(await toast(page, 'Payment successful!').count()).toBe(0)
  expect(await page.locator('[data-badge]').count()).toBe(0)
  await runKeptTimers(page)
  await page.waitForURL('**/profile/participations**')
  await awake(page)
  const { body } = await customer.get('/api/cart/')
  expect((body as unknown as { is_empty: boolean }[])[0]?.is_empty).toBe(true)
  await close()
})

import { afterAll, beforeAll, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { type Customer, testShop } from '../support/shop.ts'
import { breaks, inEachViewport } from '../support/viewports.ts'
import { openStage } from '../support/stage.ts'
import { holdTimers, runKeptTimers } from '../support/visits.ts'

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
const PICTURES = ['fastback-detail', 'roadster-front', 'supercar-night']

const { shop, browser } = await openStage()
const empty = await testShop({ pages: true })
afterAll(() => empty.close())

beforeAll(async () => {
  await shop.newOffer({ ...QUESTION, slug: 'ouverte', title: 'Ouverte', pictures: PICTURES })
  await shop.newOffer({ slug: 'terminee', title: 'Terminée', end_date: new Date(Date.now() - 60_000) })
  const soldOut = await shop.newOffer({ slug: 'epuisee', title: 'Épuisée', total_tickets: 1 })
  const { customer, orderId } = await shop.approvedOrder(1, 'buyer@buyer.test', soldOut)
  await customer.capture(orderId)
})

test('the list of contests: loading, empty, broken', async () => {
  await inEachViewport(browser, empty, async ({ page, t, check }) => {
    await page.goto('/offers')
    await awake(page)
    await page.getByText(t('offers.empty')).waitFor()
    await check('offers empty')
  })
  await inEachViewport(browser, shop, async ({ page, t, check }, { width }) => {
    await page.goto('/policies/terms-and-conditions')
    await awake(page)
    await breaks(page, '**/api/offers/', 'never')
    const follow = async (): Promise<void> => {
      if (width < 768) await page.getByRole('button', { name: t('frame.toggleSidebar') }).click()
      await page
        .getByRole('navigation', { name: t('frame.mainMenu') })
        .getByRole('link', { name: t('frame.menu.offers'), exact: true })
        .locator('visible=true')
        .click()
    }
    await follow()
    await page
      .getByRole('status')
      .filter({ hasText: t('offers.loading') })
      .waitFor()
    await check('offers loading')
    await page.unroute('**/api/offers/')
    await breaks(page, '**/api/offers/', 'fault')
    await page.goto('/policies/terms-and-conditions')
    await awake(page)
    await follow()
    await page.getByRole('alert').waitFor()
    await check('offers broken')
  })
})

test('a contest: wrong and right answer, added, enlarged, sold out, ended, missing, broken', async () => {
  await inEachViewport(
    browser,
    shop,
    async ({ page, t, press, check }) => {
      await page.goto('/offers/ouverte')
      await page.locator('#offer-question').selectOption('3')
      await check('offer, wrong answer')
      await page.locator('#offer-question').selectOption('4')
      await press('offers.buy.more')
      await page
        .getByRole('button', { name: t('offers.buy.add') })
        .locator('visible=true')
        .click()
      await page.getByText(t('offers.buy.added')).waitFor()
      await check('offer, added')
      await page
        .getByRole('button', { name: t('offers.gallery.enlarge', { index: 1, count: PICTURES.length }) })
        .first()
        .click()
      await page.locator('.yarl__portal_open').waitFor()
      await check('viewer')
      for (const slug of ['epuisee', 'terminee', 'nulle-part']) {
        await page.goto(`/offers/${slug}`)
        await page.locator('main h1').waitFor()
        await check(`offer ${slug}`)
      }
      await breaks(page, '**/api/offers/ouverte/', 'fault')
      await page.goto('/offers/ouverte')
      await page.getByRole('alert').waitFor()
      await check('offer broken')
    },
    () => shop.newCustomer(),
  )
})

test('the cart: empty, without a country, ready, broken tax, failed and confirming payment, broken', async () => {
  const customers: Customer[] = []
  const customer = async (at: number): Promise<Customer> => (customers[at] = await shop.newCustomer())
  await inEachViewport(
    browser,
    shop,
    async ({ page, t, press, check }, _, at) => {
      const buyer = customers[at] as Customer
      // The numbers are shown for two seconds before the page goes on.
      await holdTimers(page, 2_000, t('checkout.success'))
      await page.goto('/cart')
      await page.getByText(t('cart.empty.title')).waitFor()
      await check('cart empty')
      const offerId = await shop.newOffer({ title: 'Dans le panier', pictures: PICTURES, total_tickets: 3 })
      await buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
      await page.reload()
      await page.getByText(t('cart.country.warning')).first().waitFor()
      await check('cart without country')
      await press('cart.clear')
      await page.getByRole('dialog').waitFor()
      await check('cart, question')
      await press('cart.clearKeep')
      await breaks(page, '**/api/cart/calculate_tax/', 'fault')
      await page.getByLabel(t('cart.country.label')).selectOption('BE')
      await page.locator('[data-funding-source="paypal"]').waitFor()
      await page.getByText(t('cart.taxDefault', { rate: '21' }).slice(0, 20)).waitFor()
      await check('cart ready, tax broken')
      await breaks(page, '**/api/paypal/create-order/', 'fault')
      await page.locator('[data-funding-source="paypal"]').click()
      await page.getByText(t('checkout.error'), { exact: true }).first().waitFor()
      await check('cart, payment failed')
      await page.unroute('**/api/paypal/create-order/')
      const opened = page.context().waitForEvent('page')
      await page.locator('[data-funding-source="paypal"]').click()
      const approval = await opened
      await approval.waitForURL(/checkoutnow/)
      await check('cart, approving')
      await approval.getByText('pending@buyer.test', { exact: true }).click()
      await approval.locator('button[value="approve"]').click()
      await page.getByRole('heading', { name: t('checkout.confirming.title') }).waitFor()
      await check('cart, confirming')
      const capture = [...shop.paypal.book.captures.values()].at(-1)
      await fetch(`${shop.paypal.url}/_emulator/captures/${capture?.id}/release`, { method: 'POST' })
      await page.getByRole('heading', { level: 1, name: t('checkout.success') }).waitFor()
      await check('cart, numbers')
      await runKeptTimers(page)
      await page.waitForURL(/participations/)
      await page.getByText(t('tickets.count', { count: 2 })).waitFor()
      await check('participations, filled')
      await page.getByText(t('tickets.filter.expired')).first().click()
      await check('participations, filtered away')
      await breaks(page, '**/api/cart/', 'fault')
      await page.goto('/cart')
      await page.getByRole('alert').waitFor()
      await check('cart broken')
    },
    customer,
  )
})

test('participations and data: empty, broken, editing, errors, saved', async () => {
  await inEachViewport(
    browser,
    shop,
    async ({ page, t, press, check }) => {
      await page.goto('/profile/participations')
      await page.getByText(t('tickets.emptyText')).waitFor()
      await check('participations empty')
      await breaks(page, '**/api/tickets/**', 'fault')
      await page.reload()
      await page.getByText(t('tickets.errorTitle')).waitFor()
      await check('participations broken')
      await page.goto('/profile/data')
      await press('accounts.profile.edit')
      await page.getByLabel(t('accounts.email')).fill('nobody')
      await press('accounts.profile.save')
      await press('accounts.profile.changePassword')
      await page.getByText(t('errors.correctFirst')).first().waitFor()
      await check('data, errors')
      await page
        .getByLabel(t('accounts.email'))
        .fill(`saved-${t('accounts.email').length}-${Date.now()}@example.test`)
      await press('accounts.profile.save')
      await page.getByText(t('accounts.profile.updated')).waitFor()
      await check('data, saved')
    },
    () => shop.newCustomer(),
  )
})

import { describe, expect, test } from 'vitest'
import { formatEur } from '#i18n/format.ts'
import type { Language } from '#shared/languages.ts'
import { member } from '../support/visits.ts'
import { answerWith, seeToast } from '../support/walk.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { sharedStage } from '../support/stage.ts'

const { shop, browser } = await sharedStage()

interface Ready {
  /** Keeps the provider's script away, so that its page is the way to pay. */
  withoutScript?: boolean
}

/** A new customer's cart with a ticket in it and the country chosen, the ways to pay before them. */
async function readyToPay(language: Language, { withoutScript = false }: Ready = {}) {
  const t = words(language)
  const offerId = await shop.newOffer()
  const visitor = await member(browser, shop, { language })
  const { customer, page } = visitor
  await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
  if (withoutScript) await page.route('**/sdk/js**', (route) => route.abort())
  await page.evaluate(() => localStorage.setItem('billing_country', 'BE'))
  await page.goto('/cart')
  const way = withoutScript
    ? page.getByRole('button', { name: t('checkout.toProvider') })
    : page.locator('[data-funding-source="paypal"]')
  await way.first().waitFor()
  return { t, offerId, customer, visitor, page, way: way.first() }
}

/** Approves in the provider's window that the click opens. */
async function approve(
  { visitor, way }: Awaited<ReturnType<typeof readyToPay>>,
  buyer: string,
): Promise<void> {
  const opened = visitor.context.waitForEvent('page')
  await way.click()
  const approval = await opened
  await approval.waitForURL(/checkoutnow/)
  await approval.getByText(buyer, { exact: true }).click()
  await approval.locator('button[value="approve"]').click()
}

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  test('an order without an address to pay at: the payment URL was not received [spec 8.28, 8.29]', async () => {
    const { t, visitor, page, way } = await readyToPay(language, { withoutScript: true })
    await page.getByText(t('checkout.scriptFailed')).waitFor()
    const created = { order_id: 'X', id: 'X', status: 'CREATED', payment_url: null, links: [], total: '5.93' }
    await answerWith(page, '/api/paypal/create-order/', {
      status: 200,
      body: { ...created, expires_at: new Date().toISOString() },
    })
    await way.click()
    await page.getByText(t('checkout.urlMissing'), { exact: true }).waitFor()
    await page.getByText(t('checkout.error'), { exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/cart')
    await visitor.close()
  })

  test('an order the provider cannot make names the provider and the cause [spec 8.29, 8.30, 8.52]', async () => {
    const { t, visitor, page, way } = await readyToPay(language)
    shop.paypal.faults.change({ http5xx: 1 })
    await way.click()
    const cause = t('errors.checkout.providerDown')
    await page.getByText(t('checkout.startFailed', { provider: 'PayPal', cause }), { exact: true }).waitFor()
    await page.getByText(t('checkout.error'), { exact: true }).waitFor()
    shop.paypal.faults.clear()
    await visitor.close()
  })

  test('a total that has changed is asked about first: one button, where the ways to pay were', async () => {
    const { t, visitor, page, way, offerId } = await readyToPay(language)
    await shop.db.updateTable('offers').set({ price_cents: 1_000 }).where('id', '=', offerId).execute()
    await way.click()
    await page.getByText(t('checkout.priceChanged.title'), { exact: true }).waitFor()
    expect(await way.isVisible()).toBe(false)
    const total = formatEur('12.10', language)
    await page.getByRole('button', { name: t('checkout.priceChanged.confirm', { total }) }).click()
    await way.waitFor()
    const heading = page.locator('main').getByRole('heading', { name: t('checkout.heading'), exact: true })
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true)
    await page
      .getByRole('region', { name: t('cart.summary') })
      .getByText(total, { exact: true })
      .waitFor()
    await visitor.close()
  })

  test('a capture that is refused: the transaction could not be processed, and why [spec 8.31, 8.34]', async () => {
    const ready = await readyToPay(language)
    const { t, visitor, page, offerId } = ready
    await page.route(
      (url) => url.pathname === '/api/paypal/capture-payment/',
      async (route) => {
        await shop.db
          .updateTable('offers')
          .set({ end_date: new Date(Date.now() - 60_000) })
          .where('id', '=', offerId)
          .execute()
        await route.continue()
      },
    )
    await approve(ready, 'buyer@buyer.test')
    await seeToast(page, t('checkout.failed'))
    // The contest that ended is taken out of the cart; why nothing was paid must not go with it.
    await page.getByText(t('cart.empty.title')).waitFor()
    const sorry = page.getByText(t('checkout.captureFailed'))
    expect(await sorry.isVisible()).toBe(true)
    expect(await sorry.textContent()).not.toBe(t('checkout.captureFailed'))
    expect(await shop.counters(offerId)).toMatchObject({ tickets_sold: 0 })
    await visitor.close()
  })

  test('an error of the provider’s script has its prefix, and the payment-failed toast [spec 8.33, 8.34]', async () => {
    const { t, visitor, page, way } = await readyToPay(language)
    await answerWith(page, '/api/paypal/create-order/', { status: 200, body: { order_id: '' } })
    await way.click()
    const message = 'Expected an order id to be passed'
    await page
      .getByText(t('checkout.providerError', { provider: 'PayPal', message }), { exact: true })
      .waitFor()
    await seeToast(page, t('checkout.failed'))
    await visitor.close()
  })

  test('success and canceled in the address are toasts, and leave the address [spec 8.50]', async () => {
    const visitor = await member(browser, shop, { language })
    const { page } = visitor
    for (const path of ['/cart', '/profile/participations']) {
      for (const outcome of ['success', 'canceled'] as const) {
        await page.goto(`${path}?${outcome}=true`)
        await seeToast(page, words(language)(`checkout.${outcome}`))
        await expect.poll(() => new URL(page.url()).search).toBe('')
      }
    }
    await visitor.close()
  })
})

test('the texts in the words of the specification [spec 8.29, 8.31]', async () => {
  const ready = await readyToPay('en')
  const { visitor, page } = ready
  await answerWith(page, '/api/paypal/capture-payment/', { status: 409, body: { detail: 'It is closed.' } })
  await approve(ready, 'buyer@buyer.test')
  await page
    .getByText('Sorry, your transaction could not be processed... It is closed.', { exact: true })
    .waitFor()
  await page.getByText('Payment error', { exact: true }).waitFor()
  await visitor.close()
})

test('the provider’s script is asked for in euro, with buttons only and the two further ways to pay [spec 7.40-7.42, 9.6]', async () => {
  const { visitor, page } = await readyToPay('en')
  const source = await page.locator('script[src*="/sdk/js"]').getAttribute('src')
  const { searchParams } = new URL(source ?? '')
  expect(Object.fromEntries(searchParams)).toMatchObject({
    currency: 'EUR',
    components: 'buttons',
    'enable-funding': 'venmo,bancontact',
  })
  for (const way of ['paypal', 'venmo', 'bancontact'])
    await page.locator(`[data-funding-source="${way}"]`).first().waitFor()
  await visitor.close()
})

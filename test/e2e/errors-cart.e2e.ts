import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { formatEur, formatPercent } from '#i18n/format.ts'
import type { Language } from '#shared/languages.ts'
import type { TestShop } from '../support/shop.ts'
import { sharedStage } from '../support/stage.ts'
import { member } from '../support/visits.ts'
import { answerWith, seeToast } from '../support/walk.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }

let made = 0

const { shop, browser } = await sharedStage()

/** The page of a new contest, for a new customer. */
async function onOffer(language: Language, change: Parameters<TestShop['newOffer']>[0] = {}) {
  made += 1
  const slug = `refusing-${made}`
  const offerId = await shop.newOffer({ slug, title: `Refusing ${made}`, ...change })
  const visitor = await member(browser, shop, { language })
  const { page } = visitor
  await page.goto(`/offers/${slug}`)
  const add = page.getByRole('button', { name: words(language)('offers.buy.add') }).first()
  await add.waitFor()
  return { offerId, visitor, page, add }
}

/** The cart of a new customer with one line of a new contest at 4.90. */
async function onCart(language: Language, quantity = 1) {
  const offerId = await shop.newOffer({ total_tickets: 50 })
  const visitor = await member(browser, shop, { language })
  const { customer, page } = visitor
  await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity })
  await page.goto('/cart')
  await page.getByRole('heading', { level: 1, name: words(language)('cart.title') }).waitFor()
  return { offerId, customer, visitor, page }
}

const end = (offerId: number) =>
  shop.db
    .updateTable('offers')
    .set({ end_date: new Date(Date.now() - 60_000) })
    .where('id', '=', offerId)
    .execute()

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click()

/** A text of the page itself: toasts stand outside of it and are soon gone. */
const inPage = (page: Page, text: string) => page.locator('main').getByText(text, { exact: true })
const stands = (page: Page, text: string): Promise<void> => inPage(page, text).waitFor()

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)

  test('an answer that the server calls wrong is told under the question [spec 8.12]', async () => {
    const { offerId, visitor, page, add } = await onOffer(language, QUESTION)
    await page.getByLabel(QUESTION.question).selectOption('4')
    await shop.db.updateTable('offers').set({ correct_choice: '3' }).where('id', '=', offerId).execute()
    const answered = page.waitForResponse((response) => response.url().includes('/add_item/'))
    await add.click()
    expect(await (await answered).json()).toMatchObject({ detail: 'Mauvaise réponse.' })
    const select = page.getByRole('combobox', { name: QUESTION.question })
    await page.getByRole('combobox', { description: t('offers.buy.wrongAnswer') }).waitFor()
    expect(await select.getAttribute('aria-invalid')).toBe('true')
    expect(await add.isDisabled()).toBe(true)
    expect(await page.locator('[data-sonner-toast]').count()).toBe(0)
    await visitor.close()
  })

  test('another refusal of add-to-cart is a toast in the server’s words, or the general one [spec 8.15, 8.16]', async () => {
    const { offerId, visitor, page, add } = await onOffer(language)
    await answerWith(page, '/api/cart/*/add_item/', { status: 500 }, 1)
    await add.click()
    await seeToast(page, t('offers.buy.addError'))
    await answerWith(page, '/api/cart/*/add_item/', 'cut', 2)
    await add.click()
    await seeToast(page, t('errors.network'))
    await end(offerId)
    await add.click()
    const title = { fr: `Refusing ${made}`, nl: /Wedstrijd \d+/, en: /Contest \d+/ }[language]
    await page.locator('[data-sonner-toast]').filter({ hasText: title }).waitFor()
    await visitor.close()
  })

  test('a quantity, a removal and an emptying that fail are told, and nothing changes [spec 8.21-8.23, 8.47, 8.52]', async () => {
    const { customer, visitor, page } = await onCart(language, 2)
    await answerWith(page, '/api/cart/*/update_item/', { status: 500 }, 1)
    await press(page, t('offers.buy.more'))
    await seeToast(page, t('cart.quantityError'), t('errors.unexpected'))
    await stands(page, t('cart.quantityError'))
    const quantity = page.getByRole('textbox')
    await expect.poll(() => quantity.first().inputValue()).toBe('2')

    await answerWith(page, '/api/cart/*/remove_item/', { status: 409, body: { detail: 'Not now.' } }, 1)
    const remove = page.getByRole('button', { name: t('cart.line.removeOf', { title: '' }) }).first()
    await remove.click()
    await seeToast(page, t('cart.removeError'), 'Not now.')
    await stands(page, t('cart.removeError'))
    expect(await inPage(page, t('cart.quantityError')).count()).toBe(0)

    await answerWith(page, '/api/cart/*/clear/', { status: 500 }, 1)
    await press(page, t('cart.clear'))
    await press(page, t('cart.clearConfirm'))
    await seeToast(page, t('cart.clearError'), t('errors.unexpected'))
    await stands(page, t('cart.clearError'))
    expect((await customer.get('/api/cart/')).body[0]).toMatchObject({ items: [{ quantity: 2 }] })

    await remove.click()
    await seeToast(page, t('cart.removed'))
    await page.getByText(t('cart.empty.title')).waitFor()
    await visitor.close()
  })

  test('an emptied cart says so [spec 8.48]', async () => {
    const { visitor, page } = await onCart(language)
    await press(page, t('cart.clear'))
    await press(page, t('cart.clearConfirm'))
    await seeToast(page, t('cart.cleared'))
    await visitor.close()
  })

  test('a contest that has ended is taken out of the cart with a warning, or the failure has a toast of its own [spec 8.24]', async () => {
    const { offerId, customer, visitor, page } = await onCart(language)
    await end(offerId)
    await answerWith(page, '/api/cart/*/remove_item/', { status: 500 }, 1)
    await page.reload()
    await seeToast(page, t('cart.expiredError'))
    await page.getByText(t('cart.problem.ended')).waitFor()
    await page.reload()
    await seeToast(page, t('cart.expiredRemoved', { count: 1 }))
    await page.getByText(t('cart.empty.title')).waitFor()
    await stands(page, t('cart.expiredRemoved', { count: 1 }))
    expect((await customer.get('/api/cart/')).body[0]).toMatchObject({ items: [] })
    await visitor.close()
  })

  test('a cart that cannot be loaded is a general error, and is tried again [spec 8.6, 8.20]', async () => {
    const { visitor, page } = await onCart(language)
    await answerWith(page, '/api/cart/', { status: 500 }, 1)
    await page.reload()
    await page.getByRole('heading', { name: t('cart.errorTitle') }).waitFor()
    await page.getByText(t('errors.unexpected')).waitFor()
    await press(page, t('cart.retry'))
    await page.getByRole('heading', { level: 1, name: t('cart.title') }).waitFor()
    await visitor.close()
  })

  test.each([
    [400, 'cart.taxCheckCountry'],
    [500, 'cart.taxDefault'],
  ] as const)(
    'a tax call answered %i warns, and 21 percent are computed instead [spec 8.25-8.27, 9.8]',
    async (status, key) => {
      const { visitor, page } = await onCart(language)
      await answerWith(page, '/api/cart/calculate_tax/', { status, body: { detail: 'No.' } })
      // Germany has 19 percent: what is shown can only be the fallback.
      await page.getByLabel(t('cart.country.label')).selectOption('DE')
      const rate = formatPercent(21, language)
      await page.getByText(t(key, { rate })).waitFor()
      const summary = page.getByRole('region', { name: t('cart.summary') })
      await summary.getByText(t('cart.vat', { rate }), { exact: true }).waitFor()
      await summary.getByText(formatEur('1.03', language), { exact: true }).waitFor()
      await summary.getByText(formatEur('5.93', language), { exact: true }).waitFor()
      await visitor.close()
    },
  )
})

test('the server’s own words for what it refuses stand in the toast [spec 8.15]', async () => {
  const { offerId, visitor, page, add } = await onOffer('en')
  await end(offerId)
  await add.click()
  const { title_en: title } = await shop.db
    .selectFrom('offers')
    .select('title_en')
    .where('id', '=', offerId)
    .executeTakeFirstOrThrow()
  await seeToast(page, `This contest has ended: “${title}”.`)
  await visitor.close()
})

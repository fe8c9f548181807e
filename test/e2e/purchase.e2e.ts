import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findCountry } from '#shared/countries.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { type Visitor, awake, newVisitor, sidewaysScroll } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const QUESTION = {
  question: 'Quelle ville est la capitale de la Bavière ?',
  choices: ['Munich', 'Bonn', 'Hamburg'],
  correct_choice: 'Munich',
}

const { shop, browser } = await openStage()

async function fillRegistration(page: Page, t: ReturnType<typeof words>, email: string): Promise<void> {
  await page.getByLabel(t('accounts.username')).fill(email.split('@')[0] ?? '')
  await page.getByLabel(t('accounts.email')).fill(email)
  await page.getByLabel(t('accounts.dialCode')).selectOption('+32')
  await page.getByLabel(t('accounts.phone'), { exact: true }).fill('0471 23 45 67')
  await page.getByLabel(t('accounts.password'), { exact: true }).fill('correct horse')
  await page.getByLabel(t('accounts.confirm')).fill('correct horse')
  await page.getByRole('button', { name: t('accounts.register.submit') }).click()
}

/** Pays in the provider's window that a click on its button opens. */
async function payInWindow(visitor: Visitor, email = 'buyer@buyer.test'): Promise<void> {
  const { page, context } = visitor
  const opened = context.waitForEvent('page')
  await page.locator('[data-funding-source="paypal"]').first().click()
  const approval = await opened
  await approval.waitForURL(/checkoutnow/)
  await approval.getByText(email, { exact: true }).click()
  await approval.locator('button[value="approve"]').click()
}

/** The provider's window that a restarted payment opens. */
async function approvalWindow(context: Visitor['context']): Promise<Page> {
  const open = () => context.pages().find((one) => one.url().includes('checkoutnow'))
  await expect
    .poll(async () => (await open()?.locator('[name="instrument"]').count()) ?? 0)
    .toBeGreaterThan(0)
  return open() as Page
}

const EVERY_LANGUAGE_AND_WIDTH = LANGUAGES.flatMap((language) =>
  [360, 1440].map((width) => ({ language, width })),
)
/** In the short form of the tests, this journey is the one that is made in every language. */
const JOURNEYS = sized({
  short: [
    { language: 'fr' as const, width: 360 },
    { language: 'nl' as const, width: 1440 },
    { language: 'en' as const, width: 360 },
  ],
  extended: EVERY_LANGUAGE_AND_WIDTH,
})

describe.each(JOURNEYS)('in $language', ({ language, width }) => {
  describe(`${width} pixels wide`, () => {
    const t = words(language)

    test('a visitor registers, logs in, answers, buys with PayPal, and downloads the ticket [spec 1.21, 2.5, 2.83, 4.17, 4.23, 5.12, 6.11, 6.14, 8.46, 8.50]', async () => {
      const slug = `voiture-${language}-${width}`
      const offerId = await shop.newOffer({
        ...QUESTION,
        slug,
        title: `Voiture ${language} ${width}`,
        total_tickets: 500,
      })
      const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width, language })
      const { page, faults } = visitor
      const noSideways = async () => expect(await sidewaysScroll(page), page.url()).toBe(0)

      await page.goto('/')
      await awake(page)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      await noSideways()
      await page.getByRole('link', { name: t('home.hero.action') }).click()
      await page.getByRole('heading', { level: 1, name: t('offers.title') }).waitFor()
      await noSideways()

      await page.goto('/register')
      await awake(page)
      const email = `camille-${language}-${width}@example.test`
      await fillRegistration(page, t, email)
      await page.waitForURL(/\/login/)
      // The address changes a moment before the page, and both forms have fields of the same names.
      await page.getByRole('heading', { level: 1, name: t('accounts.login.title') }).waitFor()
      await noSideways()
      expect(await page.getByLabel(t('accounts.email')).inputValue()).toBe(email)
      await page.getByLabel(t('accounts.password'), { exact: true }).fill('correct horse')
      await page.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
      await page.waitForURL((url) => url.pathname === '/')

      await page.goto(`/offers/${slug}`)
      const add = page.getByRole('button', { name: t('offers.buy.add') }).first()
      await page.getByLabel(QUESTION.question).selectOption('Bonn')
      expect(await add.isDisabled()).toBe(true)
      await page.getByLabel(QUESTION.question).selectOption('Munich')
      await noSideways()
      await page
        .getByRole('button', { name: t('offers.buy.more') })
        .first()
        .click()
      await add.click()
      await page.getByText(t('offers.buy.added')).first().waitFor()

      await page.goto('/cart')
      await page.getByRole('heading', { level: 1, name: t('cart.title') }).waitFor()
      await page.getByText(t('cart.country.warning')).first().waitFor()
      await page
        .getByLabel(t('cart.country.label'))
        .selectOption({ label: findCountry('BE')?.name[language] ?? '' })
      await noSideways()
      await payInWindow(visitor)
      await page.getByText(t('checkout.success')).first().waitFor()
      await page.waitForURL(/\/profile\/participations/)

      await page.getByRole('heading', { level: 1, name: t('tickets.title') }).waitFor()
      await page
        .getByText(t('tickets.count', { count: 2 }))
        .first()
        .waitFor()
      await expect.poll(() => new URL(page.url()).search).toBe('')
      await noSideways()
      const sold = await shop.db
        .selectFrom('tickets')
        .select(['number'])
        .where('offer_id', '=', offerId)
        .execute()
      const [number = ''] = sold.map((ticket) => String(ticket.number).padStart(3, '0'))
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: t('tickets.download', { number }) }).click()
      const download = await downloading
      expect(download.suggestedFilename()).toMatch(new RegExp(`-${slug}-${number}\\.pdf$`))
      expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-')

      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
      expect(faults).toEqual([])
      await visitor.close()
    })
  })
})

describe('things that go wrong', () => {
  const t = words('en')

  /** A signed-in visitor on the cart page with tickets in it and a country chosen. */
  async function readyToPay(quantity = 1) {
    const offerId = await shop.newOffer({ total_tickets: 50 })
    const customer = await shop.newCustomer()
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity })
    const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 1440, language: 'en' })
    await visitor.page.goto('/login?next=%2Fcart')
    await awake(visitor.page)
    await visitor.page.getByLabel(t('accounts.email')).fill(customer.email)
    await visitor.page.getByLabel(t('accounts.password'), { exact: true }).fill(customer.password)
    await visitor.page.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
    await visitor.page.waitForURL(/\/cart/)
    await visitor.page.getByLabel(t('cart.country.label')).selectOption('BE')
    return { offerId, customer, visitor }
  }

  test('a declined card sends the buyer back to choose another one, which pays [spec 4.35, 8.32]', async () => {
    const { offerId, visitor } = await readyToPay()
    const { page, context } = visitor
    await payInWindow(visitor, 'declined@buyer.test')
    const again = await approvalWindow(context)
    await again.locator('[name="instrument"][value="other"]').check({ force: true })
    await again.locator('button[value="approve"]').click()
    await page.getByText(t('checkout.success')).first().waitFor()
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 1, tickets_held: 0 })
    await visitor.close()
  })

  test('a buyer who closes the window keeps the cart, and the tickets go back [spec 4.36]', async () => {
    const { offerId, visitor } = await readyToPay(3)
    const { page, context } = visitor
    const opened = context.waitForEvent('page')
    await page.locator('[data-funding-source="paypal"]').first().click()
    const approval = await opened
    await approval.waitForURL(/checkoutnow/)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 3 })
    await approval.close()
    await page.getByText(t('checkout.canceled')).first().waitFor()
    await expect.poll(() => shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    await page
      .getByText(t('cart.itemCount', { count: 3 }))
      .first()
      .waitFor()
    await visitor.close()
  })

  test('a pending payment is "being confirmed" until the provider says yes', async () => {
    const { visitor } = await readyToPay()
    const { page } = visitor
    await payInWindow(visitor, 'pending@buyer.test')
    await page.getByRole('heading', { name: t('checkout.confirming.title') }).waitFor()
    const capture = [...shop.paypal.book.captures.values()].at(-1)
    await fetch(`${shop.paypal.url}/_emulator/captures/${capture?.id}/release`, { method: 'POST' })
    await page.getByText(t('checkout.success')).first().waitFor()
    await visitor.close()
  })

  test('a visitor who opens a guarded page logs in and comes back to it [spec 2.4]', async () => {
    const slug = `guarded-${Date.now()}`
    await shop.newOffer({ slug, title: 'Gardée' })
    const customer = await shop.newCustomer()
    const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 1440, language: 'en' })
    const { page, faults } = visitor
    await page.goto(`/offers/${slug}`)
    await page.waitForURL(/\/login\?next=/)
    await page.getByLabel(t('accounts.email')).fill(customer.email)
    await page.getByLabel(t('accounts.password'), { exact: true }).fill(customer.password)
    await page.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
    await page.waitForURL(new RegExp(slug))
    await page
      .getByRole('button', { name: t('offers.buy.add') })
      .first()
      .waitFor()
    expect(faults).toEqual([])
    await visitor.close()
  })

  test('a wrong password and a taken e-mail are told where they belong [spec 5.1]', async () => {
    const customer = await shop.newCustomer()
    const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 360, language: 'en' })
    const { page } = visitor
    await page.goto('/login')
    await awake(page)
    await page.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
    await page.getByText(t('errors.email.required')).waitFor()
    await page.getByText(t('errors.password.required')).waitFor()
    await page.getByLabel(t('accounts.email')).fill(customer.email)
    expect(await page.getByText(t('errors.email.required')).isVisible()).toBe(false)
    await page.getByLabel(t('accounts.password'), { exact: true }).fill('not the password')
    await page.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
    await page.getByText(t('errors.auth.badCredentials')).waitFor()
    await page.goto('/register')
    await awake(page)
    await fillRegistration(page, t, customer.email)
    await page.getByText(t('errors.email.taken')).waitFor()
    await visitor.close()
  })
})

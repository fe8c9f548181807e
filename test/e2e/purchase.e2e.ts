import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { findCountry } from '#shared/countries.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { awake, sidewaysScroll } from '../support/browser.ts'
import { approve, arrive, beginPayment, field, fill, press } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const QUESTION = {
  question: 'Quelle ville est la capitale de la Bavière ?',
  choices: ['Munich', 'Bonn', 'Hamburg'],
  correct_choice: 'Munich',
}

const { shop, visit } = await openStage()

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
      const visitor = await visit('/', { width, language })
      const { page, faults } = visitor
      const noSideways = async () => expect(await sidewaysScroll(page), page.url()).toBe(0)

      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      await noSideways()
      await page.getByRole('link', { name: t('home.hero.action') }).click()
      await page.getByRole('heading', { level: 1, name: t('offers.title') }).waitFor()
      await noSideways()

      await page.goto('/register')
      await awake(page)
      const email = `camille-${language}-${width}@example.test`
      await page.getByLabel(t('accounts.dialCode')).selectOption('+32')
      await fill(page, {
        [t('accounts.username')]: `camille-${language}-${width}`,
        [t('accounts.email')]: email,
        [t('accounts.phone')]: '0471 23 45 67',
        [t('accounts.password')]: 'correct horse',
        [t('accounts.confirm')]: 'correct horse',
      })
      await press(page, t('accounts.register.submit'))
      await arrive(page, '/login')
      // The address changes a moment before the page, and both forms have fields of the same names.
      await page.getByRole('heading', { level: 1, name: t('accounts.login.title') }).waitFor()
      await noSideways()
      expect(await field(page, t('accounts.email')).inputValue()).toBe(email)
      await field(page, t('accounts.password')).fill('correct horse')
      await press(page, t('accounts.login.submit'))
      await arrive(page, '/')

      await page.goto(`/offers/${slug}`)
      const add = page.getByRole('button', { name: t('offers.buy.add') }).first()
      await page.getByLabel(QUESTION.question).selectOption('Bonn')
      expect(await add.isDisabled()).toBe(true)
      await page.getByLabel(QUESTION.question).selectOption('Munich')
      await noSideways()
      await press(page, t('offers.buy.more'))
      await add.click()
      await page.getByText(t('offers.buy.added')).first().waitFor()

      await page.goto('/cart')
      await page.getByRole('heading', { level: 1, name: t('cart.title') }).waitFor()
      await page.getByText(t('cart.country.warning')).first().waitFor()
      await page
        .getByLabel(t('cart.country.label'))
        .selectOption({ label: findCountry('BE')?.name[language] ?? '' })
      await noSideways()
      await approve(await beginPayment(visitor))
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
    })
  })
})

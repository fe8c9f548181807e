import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { canonicalPath, paths } from '#client/paths.ts'
import { translate } from '#i18n/server-translator.ts'
import { violations } from '../support/axe.ts'
import { awake, newVisitor, sidewaysScroll } from '../support/browser.ts'
import { testShop } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const STRONG = 'Correct1!'

const { shop, browser } = await openStage()

async function looksRight(page: Page): Promise<void> {
  expect(await sidewaysScroll(page), page.url()).toBe(0)
  // The mail itself, in its sandbox, is left to the eye.
  expect(await violations(page, [], { iframes: false }), page.url()).toEqual([])
}

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  test.each(
    sized<[number, 'light' | 'dark'][]>({
      short: [[360, 'light']],
      extended: [
        [360, 'light'],
        [1440, 'dark'],
      ],
    }),
  )(
    'somebody forgets the password, follows the mailed link and logs in: %i pixels, %s [spec 2.91]',
    async (width, colorScheme) => {
      const t = words(language)
      const customer = await shop.newCustomer()
      const visitor = await newVisitor(browser, {
        baseUrl: shop.config.publicUrl,
        width,
        language,
        colorScheme,
      })
      const { page, faults } = visitor
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

      await page.goto('/login')
      await awake(page)
      await page.getByLabel(t('accounts.email'), { exact: true }).fill(customer.email)
      await page.getByRole('link', { name: t('accounts.login.forgot') }).click()
      await page.getByRole('heading', { level: 1, name: t('accounts.forgot.title') }).waitFor()
      expect(await page.getByLabel(t('accounts.email'), { exact: true }).inputValue()).toBe(customer.email)
      await press(t('accounts.forgot.submit'))
      await page.getByText(t('accounts.forgot.sent')).waitFor()
      await looksRight(page)

      await shop.sendPasswordResets()
      await page.getByRole('link', { name: t('frame.mailbox'), exact: true }).click()
      await page.getByRole('heading', { level: 1, name: t('mailbox.title') }).waitFor()
      await looksRight(page)
      await page.getByRole('link', { name: customer.email }).click()
      const subject = translate(language, 'emails.reset.subject')
      await page.getByRole('heading', { level: 1, name: subject }).waitFor()
      await looksRight(page)

      // The button of the mail's HTML, inside its sandbox, opens the page in a tab of its own.
      const choose = page
        .frameLocator('iframe')
        .getByRole('link', { name: translate(language, 'emails.reset.choose') })
      const [opened] = await Promise.all([visitor.context.waitForEvent('page'), choose.click()])
      const address = canonicalPath(paths.resetPassword(), language)
      await opened.waitForURL(({ pathname, search, hash }) => pathname + search === address && hash !== '')
      await awake(opened)
      await looksRight(opened)
      await opened.getByLabel(t('accounts.profile.newPassword'), { exact: true }).fill('weak')
      await opened.getByLabel(t('accounts.confirm'), { exact: true }).fill('weak')
      await opened.getByRole('button', { name: t('accounts.reset.submit') }).click()
      await opened.getByText(t('errors.password.tooShort')).waitFor()
      await opened.getByLabel(t('accounts.profile.newPassword'), { exact: true }).fill(STRONG)
      await opened.getByLabel(t('accounts.confirm'), { exact: true }).fill(STRONG)
      const link = opened.url()
      await opened.getByRole('button', { name: t('accounts.reset.submit') }).click()
      await opened.waitForURL(/\/login$/)
      await opened.getByText(t('accounts.reset.done')).waitFor()
      expect(await opened.getByLabel(t('accounts.email'), { exact: true }).inputValue()).toBe(customer.email)
      await opened.getByLabel(t('accounts.password'), { exact: true }).fill(STRONG)
      await opened.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
      await opened.waitForURL((url) => url.pathname === '/')
      expect(faults).toEqual([])

      await opened.goto(link)
      await awake(opened)
      await opened.getByLabel(t('accounts.profile.newPassword'), { exact: true }).fill('Another1!')
      await opened.getByLabel(t('accounts.confirm'), { exact: true }).fill('Another1!')
      await opened.getByRole('button', { name: t('accounts.reset.submit') }).click()
      const heading = opened.getByRole('heading', { level: 1, name: t('accounts.reset.invalidTitle') })
      await heading.waitFor()
      expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true)
      await looksRight(opened)
      await opened.getByRole('link', { name: t('accounts.reset.another') }).click()
      await opened.getByRole('heading', { level: 1, name: t('accounts.forgot.title') }).waitFor()
      await visitor.close()
    },
  )
})

test('the pages of a forgotten password and the mailbox stay out of search engines', async () => {
  for (const path of ['/forgot-password', '/reset-password', '/demo/mailbox']) {
    const page = await fetch(shop.config.publicUrl + path)
    expect(page.status, path).toBe(200)
    expect(await page.text(), path).toContain('<meta name="robots" content="noindex"/>')
  }
})

test('the mailbox can be read without JavaScript, and a mail that is not there is missing', async () => {
  const customer = await shop.newCustomer()
  await shop.anonymous('POST', '/api/user/forgot-password/', { email: customer.email })
  await shop.sendPasswordResets()
  const page = await fetch(`${shop.config.publicUrl}/demo/mailbox?a=1`)
  expect(await page.text()).toContain(customer.email)
  expect((await fetch(`${shop.config.publicUrl}/demo/mailbox/nothing`)).status).toBe(404)
})

test('a shop with a mail server has no mailbox page', async () => {
  const other = await testShop({ pages: true, env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
  const page = await fetch(`${other.config.publicUrl}/demo/mailbox`)
  expect(page.status).toBe(404)
  const html = await (await fetch(other.config.publicUrl)).text()
  expect(html).not.toContain('/demo/mailbox')
  await other.close()
})

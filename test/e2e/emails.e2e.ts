import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { canonicalPath, paths } from '#client/paths.ts'
import { unsubscribeTokens } from '#features/favourites/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { awake, sidewaysScroll } from '../support/browser.ts'
import { seeAccessible } from '../support/page-checks.ts'
import {
  respondWith,
  arrive,
  field,
  fill,
  hasFocus,
  logIn,
  press,
  seeTitle,
} from '../support/page-control.ts'
import { testShop } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const STRONG = 'Correct1!'

const { shop, visit, member } = await openStage()

const looksRight = async (page: Page): Promise<void> => {
  expect(await sidewaysScroll(page), page.url()).toBe(0)
  // The email itself, in its sandbox, is left to the eye.
  await seeAccessible(page, { iframes: false })
}

test.for([true, false])(
  'the link of a reminder ends nothing before its button is pressed, with scripts: %s',
  async (javaScriptEnabled) => {
    const t = words('fr')
    const [end_date, draw_at] = [2, 5].map((days) => new Date(Date.now() + days * 86_400_000)) as [Date, Date]
    const offerId = await shop.newOffer({ end_date, draw_at })
    const customer = await shop.newCustomer()
    await customer.put(`/api/reminders/${offerId}`, { kinds: ['closing'] })
    const reminders = async (): Promise<unknown> => (await customer.get('/api/favourites')).body['favourites']

    const token = unsubscribeTokens(shop).of({ userId: customer.id, offerId, kind: 'closing' })
    const { page, faults } = await visit(undefined, { javaScriptEnabled, language: 'fr' })
    await page.goto(`${paths.unsubscribe()}?token=${token}`)
    if (javaScriptEnabled) await awake(page)
    await page.getByRole('heading', { name: t('unsubscribe.title') }).waitFor()
    expect(await page.getByText(t('unsubscribe.text')).textContent()).toMatch(/Concours \d+/)
    expect(await reminders()).toMatchObject([{ reminders: ['closing'] }])
    if (javaScriptEnabled) await looksRight(page)
    await page.getByRole('button', { name: t('unsubscribe.action') }).click()
    await page.getByText(t('unsubscribe.doneTitle')).waitFor()
    expect(await reminders()).toEqual([])
    if (!javaScriptEnabled) return
    expect(await hasFocus(page.locator('main h1'))).toBe(true)
    await page.getByRole('link', { name: t('unsubscribe.toContest') }).click()
    await page.waitForURL(/\/draws\/contest-\d+$/)
    expect(faults).toEqual([])
  },
)

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  test.for(sized({ short: [360], extended: [360, 1440] }))(
    'a customer forgets the password, follows the link of the email and logs in: %i pixels [spec 2.91]',
    async (width, { annotate }) => {
      const t = words(language)
      const { email } = await shop.newCustomer()

      await annotate('The customer asks for a new password')
      const { page, context, faults } = await visit('/login', { width, language })
      await field(page, t('accounts.email')).fill(email)
      await page.getByRole('link', { name: t('accounts.login.forgot') }).click()
      await seeTitle(page, t('accounts.forgot.title'))
      expect(await field(page, t('accounts.email')).inputValue()).toBe(email)
      await field(page, t('accounts.email')).fill('')
      await press(page, t('accounts.forgot.submit'))
      await page.getByText(t('errors.email.required')).waitFor()
      await looksRight(page)
      await field(page, t('accounts.email')).fill(email)
      await press(page, t('accounts.forgot.submit'))
      await page.getByText(t('accounts.forgot.sent')).waitFor()
      await looksRight(page)

      await annotate('The customer opens the email')
      await shop.sendPasswordResets()
      await page.getByRole('link', { name: t('frame.mailbox'), exact: true }).click()
      await seeTitle(page, t('mailbox.title'))
      await looksRight(page)
      await page.getByRole('link', { name: email }).click()
      await seeTitle(page, translate(language, 'emails.reset.subject'))
      await looksRight(page)

      await annotate('The customer follows the link and chooses a password')
      // The button of the email's HTML, inside its sandbox, opens the page in a tab of its own.
      const link = { name: translate(language, 'emails.reset.choose') }
      const opening = context.waitForEvent('page')
      await page.frameLocator('iframe').getByRole('link', link).click()
      const opened = await opening
      const choose = async (password: string): Promise<void> => {
        await fill(opened, {
          [t('accounts.profile.newPassword')]: password,
          [t('accounts.confirm')]: password,
        })
        await press(opened, t('accounts.reset.submit'))
      }
      const address = canonicalPath(paths.resetPassword(), language)
      await opened.waitForURL(({ pathname, search, hash }) => pathname + search === address && hash !== '')
      await awake(opened)
      await choose('weak')
      await opened.getByText(t('formErrors.password.tooShort')).waitFor()
      await looksRight(opened)
      const used = opened.url()
      await choose(STRONG)
      await arrive(opened, '/login')
      await opened.getByText(t('accounts.reset.done')).waitFor()
      expect(await field(opened, t('accounts.email')).inputValue()).toBe(email)

      await annotate('The customer logs in')
      await logIn(opened, t, { email, password: STRONG })
      await arrive(opened, '/')
      expect(faults).toEqual([])

      await annotate('The customer follows the link a second time')
      await opened.goto(used)
      await awake(opened)
      await respondWith(
        opened,
        '/api/user/reset-password/',
        { status: 503, body: { detail: 'Out of order' } },
        1,
      )
      await choose('Another1!')
      await opened.locator('[aria-live=assertive]').getByText('Out of order').waitFor()
      await looksRight(opened)
      await choose('Another1!')
      const heading = opened.getByRole('heading', { level: 1, name: t('accounts.reset.invalidTitle') })
      await heading.waitFor()
      expect(await hasFocus(heading)).toBe(true)
      await looksRight(opened)
      await opened.getByRole('link', { name: t('accounts.reset.another') }).click()
      await seeTitle(opened, t('accounts.forgot.title'))
      await opened.goto('/reset-password')
      await seeTitle(opened, t('accounts.reset.invalidTitle'))
    },
  )
})

test.runIf(isExtended).each(TESTED_LANGUAGES.map((one) => [one, one === 'fr' ? 360 : 1440] as const))(
  'a customer changes the e-mail address and undoes it by the links of the emails: %s, %i pixels',
  async (language, width) => {
    const t = words(language)
    const customer = await shop.newCustomer()
    const next = `new-${customer.email}`
    const { page, faults } = await member('/profile/data', { customer, language, width })
    await press(page, t('accounts.profile.edit'))
    await field(page, t('accounts.email')).fill(next)
    await page.getByLabel(t('accounts.profile.currentPassword')).first().fill(customer.password)
    await looksRight(page)
    await press(page, t('accounts.profile.save'))
    await page.getByText(t('address.pendingNew', { email: customer.email, pending: next })).waitFor()
    await looksRight(page)
    await press(page, t('address.resend'))
    await page.getByText(t('emailLink.sent', { email: next })).waitFor()

    /** Opens the last link to an address, which does nothing before the button is pressed. */
    async function follow(email: string, purpose: 'change' | 'undo', shown: string): Promise<void> {
      const token = await shop.emailLinkTo(email)
      await page.goto(`${canonicalPath(paths.emailLink(), language)}#${token}`)
      await awake(page)
      await seeTitle(page, t(`emailLink.${purpose}.title`))
      await looksRight(page)
      await press(page, t(`emailLink.${purpose}.action`))
      await page.getByText(t(`emailLink.${purpose}.done`, { email: shown })).waitFor()
      expect(await hasFocus(page.locator('main h1'))).toBe(true)
      await looksRight(page)
    }
    await follow(next, 'change', next)
    await page.getByRole('link', { name: t('emailLink.toData') }).click()
    await page.getByText(next, { exact: true }).waitFor()
    await follow(customer.email, 'undo', customer.email)
    expect(faults).toEqual([])
    await page.reload()
    await awake(page)
    await press(page, t('emailLink.undo.action'))
    await seeTitle(page, t('emailLink.invalidTitle'))
    await page.getByRole('link', { name: t('emailLink.toData') }).click()
    await arrive(page, '/login')
  },
)

test('the mailbox can be read and filtered without JavaScript, and an unknown email gets 404', async () => {
  const { email } = await shop.newCustomer()
  await shop.anonymous('POST', '/api/user/forgot-password/', { email })
  await shop.sendPasswordResets()
  const { body } = await shop.app.inject({ url: '/demo/mailbox?a=1' })
  expect(body).toContain(email)
  const filtered = async (query: string) => (await shop.app.inject({ url: `/demo/mailbox?${query}` })).body
  expect(await filtered(`topic=account&q=${email}`)).toContain(`value="${email}"`)
  const others = await filtered(`topic=tickets&q=${email}`)
  expect(others).toContain(words('fr')('mailbox.noneFound'))
  expect(others).toContain(`<input type="hidden" name="topic" value="tickets"/>`)
  expect((await shop.app.inject({ url: '/demo/mailbox/nothing' })).statusCode).toBe(404)
})

test('a shop with a mail server has no mailbox page', async () => {
  const other = await testShop({ pages: true, env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
  expect((await other.app.inject({ url: '/demo/mailbox' })).statusCode).toBe(404)
  expect((await other.app.inject({ url: '/' })).body).not.toContain('/demo/mailbox')
  await other.close()
})

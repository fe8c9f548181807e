import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Language } from '#shared/languages.ts'
import { type Visitor, awake, newVisitor, sidewaysScroll } from '../support/browser.ts'
import type { Customer } from '../support/shop.ts'
import { sharedStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const PAGE = '/profile/data'
const STRONG = 'Correct1!'

const { shop, browser } = await sharedStage()

type Words = ReturnType<typeof words>

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

async function logIn(page: Page, t: Words, { email, password }: Pick<Customer, 'email' | 'password'>) {
  await page.getByLabel(t('accounts.email'), { exact: true }).fill(email)
  await page.getByLabel(t('accounts.password'), { exact: true }).fill(password)
  await press(page, t('accounts.login.submit'))
}

/** A customer who opened their data, was sent to the login and came back. */
async function onTheirData(
  language: Language,
  width: number,
): Promise<{ visitor: Visitor; customer: Customer }> {
  const customer = await shop.newCustomer()
  await customer.put('/api/user/profile/', { email: customer.email, phone: '+33612345678' })
  const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width, language })
  const { page } = visitor
  await page.goto(PAGE)
  await page.waitForURL(/\/login\?next=/)
  await awake(page)
  await logIn(page, words(language), customer)
  await page.waitForURL((url) => url.pathname === PAGE)
  await page.getByRole('heading', { level: 1, name: words(language)('accounts.profile.title') }).waitFor()
  return { visitor, customer }
}

async function fillPasswords(page: Page, t: Words, current: string, replacement: string, confirm: string) {
  await page.getByLabel(t('accounts.profile.currentPassword'), { exact: true }).fill(current)
  await page.getByLabel(t('accounts.profile.newPassword'), { exact: true }).fill(replacement)
  await page.getByLabel(t('accounts.confirm'), { exact: true }).fill(confirm)
  await press(page, t('accounts.profile.changePassword'))
}

const storedPhone = async (customer: Customer) => (await customer.get('/api/user/profile/')).body['phone']

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  test.each(sized({ short: [360], extended: [360, 1440] }))(
    'a customer edits the phone and changes the password: %i pixels [spec 2.7, 2.110-2.114, 4.41-4.43, 6.13, 8.44, 8.45]',
    async (width) => {
      const t = words(language)
      const { visitor, customer } = await onTheirData(language, width)
      const { page, faults } = visitor
      const phone = page.getByLabel(t('accounts.phone'))
      const edit = page.getByRole('button', { name: t('accounts.profile.edit'), exact: true })

      expect(await phone.count()).toBe(0)
      await page.getByText('+33 612345678').waitFor()
      expect(await sidewaysScroll(page)).toBe(0)

      await edit.click()
      expect(await page.getByLabel(t('accounts.dialCode')).inputValue()).toBe('+33')
      expect(await phone.inputValue()).toBe('612345678')
      await phone.fill('12')
      await press(page, t('accounts.profile.cancel'))
      await page.getByText('+33 612345678').waitFor()
      expect(await edit.evaluate((button) => button === document.activeElement)).toBe(true)
      expect(await storedPhone(customer)).toBe('+33612345678')

      await edit.click()
      await page.getByLabel(t('accounts.dialCode')).selectOption('+32')
      await phone.fill('12')
      await press(page, t('accounts.profile.save'))
      await page.getByText(t('errors.phone.BE')).waitFor()
      await page.getByText(t('errors.correctFirst')).waitFor()
      expect(await sidewaysScroll(page)).toBe(0)
      await phone.fill('0471 23 45 67')
      await press(page, t('accounts.profile.save'))
      await page.getByText(t('accounts.profile.updated')).waitFor()
      await page.getByText('+32 471234567').waitFor()
      expect(await phone.count()).toBe(0)
      expect(await storedPhone(customer)).toBe('+32471234567')

      await fillPasswords(page, t, '', 'weak', 'week')
      await page.getByText(t('errors.password.currentRequired')).waitFor()
      await page.getByText(t('errors.password.tooShort')).waitFor()
      await page.getByText(t('errors.password.mismatch')).waitFor()
      expect(await sidewaysScroll(page)).toBe(0)
      expect(faults).toEqual([])

      await fillPasswords(page, t, 'not the password', STRONG, STRONG)
      await page.getByText(t('errors.password.currentWrong')).waitFor()
      // The browser itself reports the refused call.
      await expect.poll(() => faults).toEqual([expect.stringMatching(/status of 400/)])
      faults.length = 0

      await fillPasswords(page, t, customer.password, STRONG, STRONG)
      await page.getByText(t('accounts.passwordUpdated')).waitFor()
      await page.getByText(t('accounts.profile.sessionsEnded')).waitFor()
      for (const label of ['accounts.profile.currentPassword', 'accounts.profile.newPassword'] as const)
        expect(await page.getByLabel(t(label), { exact: true }).inputValue()).toBe('')

      await page.keyboard.press('Tab')
      expect(await page.locator('form [aria-invalid]').count()).toBe(0)

      await page.goto('/logout')
      await page.waitForURL(/\/login/)
      await awake(page)
      await logIn(page, t, { email: customer.email, password: STRONG })
      await page.waitForURL((url) => url.pathname === '/')
      await page.goto(PAGE)
      await page.getByText('+32 471234567').waitFor()
      expect(faults).toEqual([])
      await visitor.close()
    },
  )
})

test('the number can be taken away, and an address of somebody else is refused below its field [spec 5.25, 8.44]', async () => {
  const t = words('en')
  const other = await shop.newCustomer()
  const { visitor, customer } = await onTheirData('en', 1440)
  const { page } = visitor
  await press(page, 'Edit')
  await page.getByLabel(t('accounts.email'), { exact: true }).fill(other.email)
  await press(page, 'Save')
  const email = page.getByRole('textbox', { name: 'Email', description: t('errors.email.taken') })
  await email.waitFor()
  await email.fill(customer.email)
  await page.getByLabel(t('accounts.phone')).fill('')
  await press(page, 'Save')
  await page.getByText('Profile updated successfully').waitFor()
  await page.getByText(t('accounts.profile.noPhone')).waitFor()
  expect(await storedPhone(customer)).toBe('')
  await visitor.close()
})

test('the server sends the head and the outline of the page, but nothing of a person', async () => {
  const { body, statusCode } = await shop.app.inject({ url: `${PAGE}?lang=en` })
  expect(statusCode).toBe(200)
  expect(body).toContain('<meta name="robots" content="noindex"/>')
  expect(body).toContain('<title>My data | ')
  expect(body).not.toContain('<form')
})

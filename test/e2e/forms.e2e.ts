import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { seeAccessible } from '../support/page-checks.ts'
import {
  respondWith,
  arrive,
  callsOf,
  field,
  fill,
  hasFocus,
  logIn,
  press,
  register,
  seeTitle,
} from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, type Words, words } from '../support/words.ts'

const PAGE = '/profile/data'
const STRONG = 'Correct1!'
const SOMEBODY = { username: 'somebody', email: 'somebody@example.test', password: STRONG }

// The registration's strong reading; the basic one is what the purchases of purchase.e2e.ts register with.
const { shop, visit, member } = await openStage({ env: { PASSWORD_POLICY: 'strong' } })

/** What is written below a field. */
const below = (page: Page, label: string): Promise<string> =>
  field(page, label).evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  )

const seeBelow = (page: Page, label: string, message: string) =>
  expect.poll(() => below(page, label), { message: label }).toContain(message)

/** The field with this message below it. */
const fieldWith = (page: Page, name: string, message: string) =>
  page.getByRole('textbox', { name, description: message })

async function changePassword(page: Page, t: Words, current: string, replacement: string, confirm: string) {
  await fill(page, {
    [t('accounts.profile.currentPassword')]: current,
    [t('accounts.profile.newPassword')]: replacement,
    [t('accounts.confirm')]: confirm,
  })
  await press(page, t('accounts.profile.changePassword'))
}

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)

  test('the login asks for an e-mail address and a password, below their fields [spec 5.1-5.3, 5.17, 5.37]', async () => {
    const { page } = await visit('/login', { language })
    const calls = callsOf(page)
    await press(page, t('accounts.login.submit'))
    await seeBelow(page, t('accounts.email'), t('errors.email.required'))
    await seeBelow(page, t('accounts.password'), t('formErrors.password.required'))
    await page.getByText(t('formErrors.correctFirst'), { exact: true }).waitFor()
    await field(page, t('accounts.email')).fill('nobody')
    expect(await below(page, t('accounts.email'))).not.toContain(t('errors.email.required'))
    await press(page, t('accounts.login.submit'))
    await seeBelow(page, t('accounts.email'), t('errors.email.invalid'))
    expect(calls).not.toContain('POST /api/token/')
  })

  test('the registration asks for every field, and each error goes when its field is edited [spec 5.4-5.8, 5.10, 5.11, 5.15-5.17, 5.37, 9.1]', async () => {
    const { page } = await visit('/register', { language })
    const calls = callsOf(page)
    await press(page, t('accounts.register.submit'))
    const fields: [MessageKey, MessageKey, string, MessageKey][] = [
      ['accounts.username', 'formErrors.username.required', 'somebody', 'formErrors.username.required'],
      ['accounts.email', 'errors.email.required', 'nobody', 'errors.email.invalid'],
      ['accounts.phone', 'formErrors.phone.required', '12', 'formErrors.phone.invalid'],
      ['accounts.password', 'formErrors.password.required', 'Sh0rt!', 'formErrors.password.tooShort'],
      ['accounts.confirm', 'formErrors.password.confirmRequired', 'Other0!!', 'formErrors.password.mismatch'],
    ]
    for (const [label, required] of fields) await seeBelow(page, t(label), t(required))
    await page.getByText(t('formErrors.correctFirst'), { exact: true }).waitFor()
    for (const [label, required, value] of fields) {
      await field(page, t(label)).fill(value)
      expect(await below(page, t(label)), label).not.toContain(t(required))
    }
    await press(page, t('accounts.register.submit'))
    for (const [label, , , wrong] of fields.slice(1)) await seeBelow(page, t(label), t(wrong))
    await seeAccessible(page)
    await page.getByText(t('formErrors.correctFirst'), { exact: true }).waitFor()
    expect(calls).not.toContain('POST /api/user/register/')
  })

  test.runIf(isExtended)(
    'the registration has a message for a rule of a strong password, and links to the rules of the shop [spec 5.13]',
    async () => {
      const { page } = await visit('/register', { language })
      await page.getByText(t('accounts.strength.demanded'), { exact: true }).waitFor()
      await field(page, t('accounts.password')).fill('NoSpecial1')
      await field(page, t('accounts.password')).blur()
      await seeBelow(page, t('accounts.password'), t('formErrors.password.noSpecial'))
      const [before = '', rules = '', after = ''] = t('accounts.register.acceptRules').split(/<\/?rules>/)
      const consent = page.getByText(`${before}${rules}${after}`, { exact: true })
      await consent.getByRole('link', { name: rules, exact: true }).click()
      await arrive(page, '/policies/terms-and-conditions')
    },
  )

  test.runIf(isExtended)(
    'a password that is not changed shows the message of each field below it [spec 5.29, 5.35-5.37]',
    async () => {
      const { page } = await member(PAGE, { language })
      const calls = callsOf(page)
      await changePassword(page, t, '', 'weak', 'week')
      for (const [label, message] of [
        ['accounts.profile.currentPassword', 'formErrors.password.currentRequired'],
        ['accounts.profile.newPassword', 'formErrors.password.tooShort'],
        ['accounts.confirm', 'formErrors.password.mismatch'],
      ] as const)
        await seeBelow(page, t(label), t(message))
      await seeAccessible(page)
      await page.getByText(t('formErrors.correctFirst'), { exact: true }).waitFor()
      expect(calls).not.toContain('POST /api/user/change-password/')
    },
  )

  test.runIf(isExtended)(
    'a failed update of the profile, and of the password, shows why [spec 8.36, 8.37]',
    async () => {
      const { page } = await member(PAGE, { language })
      await press(page, t('accounts.profile.edit'))
      await respondWith(page, '/api/user/profile/', { status: 500 }, 1)
      await press(page, t('accounts.profile.save'))
      await page.getByText(t('accounts.profile.failed')).waitFor()
      await respondWith(page, '/api/user/profile/', { status: 409, body: { detail: 'Not today.' } }, 1)
      await press(page, t('accounts.profile.save'))
      await page.getByText('Not today.').waitFor()
      await press(page, t('accounts.profile.cancel'))

      await respondWith(page, '/api/user/change-password/', { status: 500 }, 1)
      await changePassword(page, t, 'correct horse battery', STRONG, STRONG)
      await page.getByText(t('accounts.profile.passwordFailed')).waitFor()
      await respondWith(
        page,
        '/api/user/change-password/',
        { status: 409, body: { detail: 'Nor today.' } },
        1,
      )
      await press(page, t('accounts.profile.changePassword'))
      await page.getByText('Nor today.').waitFor()
    },
  )

  test.runIf(isExtended).each(sized({ short: [360], extended: [360, 1440] }))(
    'a customer edits the phone, changes the password and logs in with it: %i pixels [spec 2.7, 2.110-2.114, 4.41-4.43, 6.13, 8.44, 8.45]',
    async (width) => {
      const customer = await shop.newCustomer()
      const { email } = customer
      await customer.put('/api/user/profile/', { email, phone: '+33612345678' })
      const storedPhone = async () => (await customer.get('/api/user/profile/')).body['phone']
      const { page, faults } = await member(PAGE, { customer, language, width })
      await seeTitle(page, t('accounts.profile.title'))
      const phone = page.getByLabel(t('accounts.phone'))
      const edit = page.getByRole('button', { name: t('accounts.profile.edit'), exact: true })

      await page.getByText('+33 612345678').waitFor()
      expect(await phone.count()).toBe(0)
      expect(await sidewaysScroll(page)).toBe(0)
      await edit.click()
      expect(await page.getByLabel(t('accounts.dialCode')).inputValue()).toBe('+33')
      expect(await phone.inputValue()).toBe('612345678')
      await phone.fill('12')
      await press(page, t('accounts.profile.cancel'))
      await page.getByText('+33 612345678').waitFor()
      expect(await hasFocus(edit)).toBe(true)
      expect(await storedPhone()).toBe('+33612345678')

      await edit.click()
      await page.getByLabel(t('accounts.dialCode')).selectOption('+32')
      await phone.fill('12')
      await press(page, t('accounts.profile.save'))
      await page.getByText(t('formErrors.phone.BE')).waitFor()
      await seeAccessible(page)
      expect(await sidewaysScroll(page)).toBe(0)
      await phone.fill('0471 23 45 67')
      await press(page, t('accounts.profile.save'))
      await page.getByText(t('accounts.profile.updated')).waitFor()
      await page.getByText('+32 471234567').waitFor()
      await seeAccessible(page)
      expect(await phone.count()).toBe(0)
      expect(await storedPhone()).toBe('+32471234567')

      expect(faults).toEqual([])
      await changePassword(page, t, 'not the password', STRONG, STRONG)
      await page.getByText(t('formErrors.password.currentWrong')).waitFor()
      // The browser itself reports the refused call.
      await expect.poll(() => faults.splice(0)).toEqual([expect.stringMatching(/status of 400/)])
      await changePassword(page, t, customer.password, STRONG, STRONG)
      await page.getByText(t('accounts.passwordUpdated')).waitFor()
      await page.getByText(t('accounts.profile.sessionsEnded')).waitFor()
      for (const label of ['accounts.profile.currentPassword', 'accounts.profile.newPassword'] as const)
        expect(await field(page, t(label)).inputValue()).toBe('')
      await page.keyboard.press('Tab')
      expect(await page.locator('form [aria-invalid]').count()).toBe(0)

      await page.goto('/logout')
      await arrive(page, '/login')
      await logIn(page, t, { email, password: STRONG })
      await arrive(page, '/')
      expect(faults).toEqual([])
    },
  )
})

const t = words('en')

test.runIf(isExtended)(
  'the first message of each field is shown below it, that of the username below the e-mail [spec 5.17, 8.1-8.3]',
  async () => {
    const { page } = await visit('/register')
    const faults = {
      phone_number: ['This phone is odd.', 'And long.'],
      password: ['This password is odd.', 'And long.'],
      username: ['This name is odd.', 'And long.'],
    }
    await respondWith(page, '/api/user/register/', { status: 400, body: faults })
    await register(page, t, SOMEBODY)
    await fieldWith(page, 'Email', 'This name is odd.').waitFor()
    await fieldWith(page, 'Phone number', 'This phone is odd.').waitFor()
    await page.getByText('This password is odd.').waitFor()
    expect(await page.getByText('And long.').count()).toBe(0)
    // Moving through the form changes nothing; only editing the field does.
    await field(page, 'Password').focus()
    await page.getByLabel('Username').focus()
    await fieldWith(page, 'Email', 'This name is odd.').waitFor()
    await field(page, 'Email').fill('another@example.test')
    expect(await page.getByText('This name is odd.').count()).toBe(0)
    await page.getByText('This password is odd.').waitFor()
  },
)

test.each([
  ['JSON', JSON.stringify('Registrations are closed today.')],
  ['text', 'Registrations are closed today.'],
])('a response that is a plain string is shown as a banner, sent as %s [spec 8.4]', async (_, body) => {
  const { page } = await visit('/register')
  await respondWith(page, '/api/user/register/', { status: 400, body })
  await register(page, t, SOMEBODY)
  await page.getByText('Registrations are closed today.', { exact: true }).waitFor()
  expect(await page.locator('form [aria-invalid="true"]').count()).toBe(0)
})

test.runIf(isExtended)(
  'the checklist of the registration marks the rules that the password keeps [spec 5.14]',
  async () => {
    const { page } = await visit('/register')
    const met = page.getByRole('listitem').filter({ hasText: `(${t('accounts.strength.met')})` })
    for (const [value, count] of [
      ['', 0],
      ['aA1-', 3],
      ['aA1!aA1!', 5],
    ] as const) {
      await field(page, 'Password').fill(value)
      await expect.poll(() => met.count(), { message: value }).toBe(count)
    }
  },
)

test.runIf(isExtended)(
  'the phone can be removed, and an address of another account is refused below its field [spec 5.25, 8.44]',
  async () => {
    const other = await shop.newCustomer()
    const { page, customer } = await member(PAGE)
    await press(page, 'Edit')
    const form = page.locator('form').filter({ has: page.getByLabel(t('accounts.phone')) })
    const password = form.getByLabel(t('accounts.profile.currentPassword'), { exact: true })
    expect(await password.count()).toBe(0)
    await field(page, 'Email').fill(other.email)
    await press(page, 'Save')
    await form.getByText(t('formErrors.password.currentRequired')).waitFor()
    await password.fill('not the password')
    await press(page, 'Save')
    await form.getByText(t('formErrors.password.currentWrong')).waitFor()
    await password.fill(customer.password)
    await press(page, 'Save')
    const email = fieldWith(page, 'Email', t('errors.email.taken'))
    await email.waitFor()
    await email.fill(customer.email)
    await page.getByLabel(t('accounts.phone')).fill('')
    await press(page, 'Save')
    await page.getByText('Profile updated successfully').waitFor()
    await page.getByText(t('accounts.profile.noPhone')).waitFor()
    expect((await customer.get('/api/user/profile/')).body['phone']).toBe('')
  },
)

test.runIf(isExtended)('data that cannot be loaded show why, with a retry [spec 8.38]', async () => {
  const { page } = await member()
  // The frame asks for the profile as well as the page.
  await respondWith(page, '/api/user/profile/', 'cut', 2)
  await page.goto(PAGE)
  await page.getByText('Unable to connect to the server. Please check your internet connection.').waitFor()
  await page.unrouteAll()
  await press(page, 'Try again')
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
})

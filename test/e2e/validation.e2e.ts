import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { PHONE_COUNTRIES } from '#shared/phone.ts'
import { awake } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { member, putIntoCart, visit } from '../support/visits.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

// The registration's strong reading; the basic one is what the purchases of purchase.e2e.ts register with.
const { shop, browser } = await openStage({ env: { PASSWORD_POLICY: 'strong' } })

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** What stands below a field. */
const below = (page: Page, label: string): Promise<string> =>
  page.getByLabel(label, { exact: true }).evaluate((field) =>
    (field.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  )

const saysBelow = (page: Page, label: string, message: string) =>
  expect.poll(() => below(page, label), { message: label }).toContain(message)

/** The calls that leave the page for a path. */
function callsTo(page: Page, path: string): string[] {
  const calls: string[] = []
  page.on('request', (request) => new URL(request.url()).pathname === path && calls.push(request.method()))
  return calls
}

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)

  test('the login asks for an e-mail address that is one and a password, below their fields [spec 5.1-5.3, 5.17, 5.37]', async () => {
    const { page, close } = await visit(browser, shop, { language })
    await page.goto('/login')
    await awake(page)
    const calls = callsTo(page, '/api/token/')
    await press(page, t('accounts.login.submit'))
    await saysBelow(page, t('accounts.email'), t('errors.email.required'))
    await saysBelow(page, t('accounts.password'), t('errors.password.required'))
    await page.getByText(t('errors.correctFirst'), { exact: true }).waitFor()
    await page.getByLabel(t('accounts.email'), { exact: true }).fill('nobody')
    expect(await below(page, t('accounts.email'))).not.toContain(t('errors.email.required'))
    await press(page, t('accounts.login.submit'))
    await saysBelow(page, t('accounts.email'), t('errors.email.invalid'))
    expect(calls).toEqual([])
    await close()
  })

  test('the registration asks for every field, and each error goes when its field is edited [spec 5.4-5.8, 5.10, 5.11, 5.15-5.17, 5.37, 9.1]', async () => {
    const { page, close } = await visit(browser, shop, { language })
    await page.goto('/register')
    await awake(page)
    const calls = callsTo(page, '/api/user/register/')
    await press(page, t('accounts.register.submit'))
    const fields: [MessageKey, MessageKey, string, MessageKey][] = [
      ['accounts.username', 'errors.username.required', 'somebody', 'errors.username.required'],
      ['accounts.email', 'errors.email.required', 'nobody', 'errors.email.invalid'],
      ['accounts.phone', 'errors.phone.required', '12', 'errors.phone.invalid'],
      ['accounts.password', 'errors.password.required', 'Sh0rt!', 'errors.password.tooShort'],
      ['accounts.confirm', 'errors.password.confirmRequired', 'Other0!!', 'errors.password.mismatch'],
    ]
    for (const [label, required] of fields) await saysBelow(page, t(label), t(required))
    await page.getByText(t('errors.correctFirst'), { exact: true }).waitFor()
    for (const [label, required, value] of fields) {
      await page.getByLabel(t(label), { exact: true }).fill(value)
      expect(await below(page, t(label)), label).not.toContain(t(required))
    }
    await press(page, t('accounts.register.submit'))
    for (const [label, , , wrong] of fields.slice(1)) await saysBelow(page, t(label), t(wrong))
    await page.getByText(t('errors.correctFirst'), { exact: true }).waitFor()
    expect(calls).toEqual([])
    await close()
  })

  test('the registration says what goes with an account: the rules, and being an adult', async () => {
    const { page, close } = await visit(browser, shop, { language })
    await page.goto('/register')
    const [before = '', rules = '', after = ''] = t('accounts.register.acceptRules').split(/<\/?rules>/)
    const said = page.getByText(`${before}${rules}${after}`, { exact: true })
    await said.waitFor()
    await said.getByRole('link', { name: rules, exact: true }).click()
    await page.waitForURL('**/policies/terms-and-conditions')
    await close()
  })

  test('each rule of a strong password has its own message where the shop demands it [spec 5.13]', async () => {
    const { page, close } = await visit(browser, shop, { language })
    await page.goto('/register')
    await awake(page)
    await page.getByText(t('accounts.strength.demanded'), { exact: true }).waitFor()
    const password = page.getByLabel(t('accounts.password'), { exact: true })
    for (const [value, message] of [
      ['lowercase1!', 'errors.password.noUppercase'],
      ['UPPERCASE1!', 'errors.password.noLowercase'],
      ['No-digits!', 'errors.password.noDigit'],
      ['NoSpecial1', 'errors.password.noSpecial'],
    ] as const) {
      await password.fill(value)
      await password.blur()
      await saysBelow(page, t('accounts.password'), t(message))
    }
    await close()
  })

  test('the phone of the profile may be empty; a wrong one is told in the words of its country [spec 5.26-5.28, 5.37]', async () => {
    const { page, close } = await member(browser, shop, { language })
    await page.goto('/profile/data')
    await press(page, t('accounts.profile.edit'))
    const calls = callsTo(page, '/api/user/profile/')
    const phone = page.getByLabel(t('accounts.phone'))
    for (const { dialCode, country } of PHONE_COUNTRIES) {
      await page.getByLabel(t('accounts.dialCode')).selectOption(dialCode)
      await phone.fill('0123')
      await press(page, t('accounts.profile.save'))
      await page.getByText(t(`errors.phone.${country}`), { exact: true }).waitFor()
      await page.getByText(t('errors.correctFirst'), { exact: true }).waitFor()
    }
    expect(calls).not.toContain('PUT')
    await page.getByLabel(t('accounts.email'), { exact: true }).fill('')
    await press(page, t('accounts.profile.save'))
    await saysBelow(page, t('accounts.email'), t('errors.email.required'))
    await page.getByLabel(t('accounts.email'), { exact: true }).fill('nobody')
    await press(page, t('accounts.profile.save'))
    await saysBelow(page, t('accounts.email'), t('errors.email.invalid'))
    await close()
  })

  test('a new password in the profile has to keep every rule, each with its own message [spec 5.29-5.33, 5.35-5.37]', async () => {
    const { page, close } = await member(browser, shop, { language })
    await page.goto('/profile/data')
    await page.getByRole('button', { name: t('accounts.profile.changePassword'), exact: true }).waitFor()
    const calls = callsTo(page, '/api/user/change-password/')
    const label = t('accounts.profile.newPassword')
    for (const [value, message] of [
      ['Sh0rt!', 'errors.password.tooShort'],
      ['lowercase1!', 'errors.password.noUppercase'],
      ['UPPERCASE1!', 'errors.password.noLowercase'],
      ['No-digits!', 'errors.password.noDigit'],
      ['NoSpecial1', 'errors.password.noSpecial'],
    ] as const) {
      await page.getByLabel(label, { exact: true }).fill(value)
      await press(page, t('accounts.profile.changePassword'))
      await saysBelow(page, label, t(message))
    }
    await saysBelow(page, t('accounts.profile.currentPassword'), t('errors.password.currentRequired'))
    await page.getByLabel(t('accounts.confirm'), { exact: true }).fill('Different1!')
    await press(page, t('accounts.profile.changePassword'))
    await saysBelow(page, t('accounts.confirm'), t('errors.password.mismatch'))
    await page.getByText(t('errors.correctFirst'), { exact: true }).waitFor()
    expect(calls).toEqual([])
    await close()
  })

  test('payment waits for a billing country, and says so [spec 5.47, 5.49]', async () => {
    const visitor = await member(browser, shop, { language })
    const { page, customer } = visitor
    await putIntoCart(customer, await shop.newOffer(), 1)
    await page.goto('/cart')
    const pay = page.getByRole('button', { name: t('checkout.toProvider'), exact: true })
    await pay.waitFor()
    expect(await pay.isDisabled()).toBe(true)
    await page
      .getByRole('button', { name: t('checkout.toProvider'), description: t('cart.country.warning') })
      .waitFor()
    expect(await page.locator('[data-funding-source]').count()).toBe(0)
    await page.getByLabel(t('cart.country.label')).selectOption('LU')
    await page.locator('[data-funding-source="paypal"]').first().waitFor()
    expect(await page.getByText(t('cart.country.warning')).count()).toBe(0)
    await visitor.close()
  })
})

test('the checklist of the registration ticks the rules while somebody types [spec 5.14]', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/register')
  await awake(page)
  const ticked = page.getByRole('listitem').filter({ hasText: '(met)' })
  const password = page.getByLabel('Password', { exact: true })
  for (const [value, met] of [
    ['', 0],
    ['a', 1],
    ['aA', 2],
    ['aA1', 3],
    ['aA1-', 3],
    ['aA1!', 4],
    ['aA1!aA1!', 5],
  ] as const) {
    await password.fill(value)
    await expect.poll(() => ticked.count(), { message: value }).toBe(met)
  }
  await close()
})

test('a typed quantity is brought between 1 and the tickets that remain [spec 5.42, 5.43, 9.3, 9.4]', async () => {
  const slug = `few-${Date.now()}`
  await shop.newOffer({ slug, total_tickets: 5 })
  const { page, close } = await member(browser, shop)
  await page.goto(`/offers/${slug}`)
  const quantity = page.getByRole('textbox', { name: 'Number of tickets' }).first()
  await quantity.fill('9')
  await quantity.blur()
  expect(await quantity.inputValue()).toBe('5')
  await page.getByText('Maximum: 5 tickets left.').first().waitFor()
  await quantity.fill('0')
  await quantity.blur()
  expect(await quantity.inputValue()).toBe('1')
  expect(await page.getByRole('button', { name: 'One ticket fewer' }).first().isDisabled()).toBe(true)
  await close()
})

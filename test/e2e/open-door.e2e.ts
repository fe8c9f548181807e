import { expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { layoutFaults, seeAccessible, smallTargets } from '../support/page-checks.ts'
import {
  addButton,
  arrive,
  callsOf,
  field,
  hasFocus,
  press,
  register,
  seeTitle,
} from '../support/page-control.ts'
import { sharedStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended, sized } from '../support/tier.ts'

const { shop, visit, member } = await sharedStage()

/** The switch of `Navigator.languages`, before any script of the page. */
const speaking = (languages: string[]): void => {
  Object.defineProperty(Navigator.prototype, 'languages', { get: () => languages })
}

test.for(TESTED_LANGUAGES)(
  'a stranger registers on the way to a contest, whose picture and title stay in sight, and logs in by one tap: %s',
  async (language, { annotate }) => {
    const t = words(language)
    const slug = `open-door-${language}`
    const title = `Coupé ${language}`
    await shop.newOffer({ slug, titles: { fr: title, nl: title, en: title } })
    const next = `/offers/${slug}`
    const { page, faults, context } = await visit(`/login?next=${encodeURIComponent(next)}`, {
      language,
      width: 360,
    })
    const contest = page.locator('main').getByText(title, { exact: true })

    await annotate('The login shows the contest')
    await contest.waitFor()
    await page.getByText(t('accounts.wanted'), { exact: true }).waitFor()
    expect(await layoutFaults(page)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    await seeAccessible(page)

    await annotate('The registration shows the contest and asks for nothing again')
    const calls = callsOf(page)
    await page
      .locator('main')
      .getByRole('link', { name: t('accounts.login.toRegister') })
      .click()
    await seeTitle(page, t('accounts.register.title'))
    await contest.waitFor()
    expect(calls.filter((call) => call.includes(slug))).toEqual([])
    expect(await layoutFaults(page)).toEqual([])
    await seeAccessible(page)

    await annotate('A number with its country code sets the code')
    const [email, password] = [`${slug}@example.test`, 'correct horse']
    await field(page, t('accounts.password')).fill(password)
    await field(page, t('accounts.confirm')).fill(password)
    await page.getByText(t('accounts.strength.same')).waitFor()
    await register(page, t, { username: slug, email, password, phone: '0032 471 23 45 67' })

    await annotate('One tap logs in and leads to the contest')
    await seeTitle(page, t('accounts.login.title'))
    await page.getByText(t('accounts.login.ready')).waitFor()
    await contest.waitFor()
    const submit = page.getByRole('button', { name: t('accounts.login.submit'), exact: true })
    await expect
      .poll(() => submit.evaluate((button) => window.innerHeight - button.getBoundingClientRect().bottom))
      .toBeGreaterThan(0)
    await seeAccessible(page)
    expect(await field(page, t('accounts.password')).inputValue()).toBe(password)
    const kept = await page.evaluate(() =>
      JSON.stringify([history.state, localStorage, sessionStorage, document.cookie]),
    )
    expect(kept).not.toContain(password)
    expect(JSON.stringify(await context.cookies())).not.toContain(password)
    await press(page, t('accounts.login.submit'))
    await arrive(page, next)
    await addButton(page, t).waitFor()
    expect(faults).toEqual([])
  },
)

const t = words('en')

test.runIf(isExtended)(
  'a password that a registration kept for its login is gone with the form',
  async () => {
    const { page } = await visit('/register')
    await register(page, t, { username: 'kept', email: 'kept@example.test', password: 'correct horse' })
    await page.getByText(t('accounts.login.ready')).waitFor()
    await page
      .locator('main')
      .getByRole('link', { name: t('accounts.login.forgot') })
      .click()
    await seeTitle(page, t('accounts.forgot.title'))
    await page.goBack()
    await seeTitle(page, t('accounts.login.title'))
    expect(await field(page, t('accounts.password')).inputValue()).toBe('')
    await page.getByText(t('accounts.login.registered')).waitFor()
    expect(await page.getByText(t('accounts.login.ready')).count()).toBe(0)
  },
)

test.runIf(isExtended).for([
  ['a contest that is not there', '/offers/no-such-contest'],
  ['another site', '//evil.example/offers/open-door-en'],
  ['the address of a broken contest', '/draws/%E0%A4%A'],
  ['another page', '/profile/data'],
] as const)('the login is neutral on the way to %s', async ([, next]) => {
  const { page } = await visit(`/login?next=${encodeURIComponent(next)}`)
  await seeTitle(page, t('accounts.login.title'))
  expect(await page.getByText(t('accounts.wanted')).count()).toBe(0)
})

test.runIf(isExtended)(
  'a pasted number sets its country code and keeps the rest; the profile has the same field',
  async () => {
    const { page, context } = await visit('/register')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const phone = field(page, t('accounts.phone'))
    const code = page.getByLabel(t('accounts.dialCode'))
    await page.evaluate(() => navigator.clipboard.writeText('+352 621 12 345'))
    await phone.focus()
    await page.keyboard.press('Control+V')
    await expect.poll(() => phone.inputValue()).toBe('621 12 345')
    expect(await code.inputValue()).toBe('+352')
    await phone.fill('+31')
    expect([await code.inputValue(), await phone.inputValue()]).toEqual(['+31', '+31'])
    await phone.pressSequentially(' 6 12345678')
    await phone.blur()
    await expect.poll(() => phone.inputValue()).toBe('6 12345678')
    await phone.fill('+44 20 7946 0958')
    await phone.blur()
    await page.getByText(t('formErrors.phone.invalid')).waitFor()
    expect(await phone.inputValue()).toBe('+44 20 7946 0958')
  },
)

test.runIf(isExtended)(
  'the language of the browser suggests itself once, in itself, after the first move, and never where one was chosen',
  async ({ annotate }) => {
    const say = words('nl')
    const { page, context, faults } = await visit(undefined, { width: 360 })
    await context.addInitScript(speaking, ['de-DE', 'nl-BE', 'fr'])
    await context.clearCookies()
    const suggestion = page.getByRole('complementary', { name: say('suggestion.question') })

    await annotate('Nothing is shown to whoever does not move, such as a crawler')
    const asksForIt = page.waitForRequest(/suggestion/)
    await page.goto('/offers')
    await awake(page)
    await asksForIt
    await page.waitForLoadState('networkidle')
    expect(await suggestion.count()).toBe(0)

    await annotate('The suggestion is in Dutch and hides nothing that has the focus')
    await page.keyboard.press('Shift')
    await suggestion.waitFor()
    expect(await suggestion.getAttribute('lang')).toBe('nl')
    expect(await page.locator('html').getAttribute('lang')).toBe('fr')
    expect(await layoutFaults(page)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    await seeAccessible(page)

    await annotate('Whoever declines is not asked again')
    await suggestion.getByRole('button', { name: say('suggestion.dismiss') }).click()
    await suggestion.waitFor({ state: 'detached' })
    expect(await hasFocus(page.locator('main'))).toBe(true)
    expect(await context.cookies()).toContainEqual(expect.objectContaining({ name: 'language', value: 'fr' }))
    const asked: string[] = []
    page.on('request', (request) => void (request.url().includes('suggestion') && asked.push(request.url())))
    await page.goto('/')
    await awake(page)
    await page.keyboard.press('Shift')
    await page.waitForLoadState('networkidle')
    expect(asked).toEqual([])

    await annotate('Whoever accepts reads the same page in Dutch')
    await context.clearCookies()
    await page.goto('/contact')
    await page.waitForLoadState('networkidle')
    await page.mouse.move(20, 20)
    await suggestion.getByRole('link', { name: say('suggestion.accept') }).click()
    await page.waitForURL(/\/contact\?lang=nl$/)
    expect(await page.locator('html').getAttribute('lang')).toBe('nl')
    await awake(page)
    await page.keyboard.press('Shift')
    await page.waitForLoadState('networkidle')
    expect(await suggestion.count()).toBe(0)
    expect(faults).toEqual([])
  },
)

test.runIf(isExtended).for(
  sized({
    short: [['Europe/Paris', 'FR', '20%']],
    extended: [
      ['Europe/Paris', 'FR', '20%'],
      ['Europe/Luxembourg', 'LU', '17%'],
    ],
  } as const),
)(
  'prices show the VAT that the zone %s tells, say so, and bill nobody before a tap',
  async ([timeZone, code, rate]) => {
    const customer = await shop.newCustomer()
    await customer.add(await shop.newOffer(), 2)
    const { page, faults } = await member('/offers', { customer, timeZone })
    const country = page.getByLabel(t('offers.price.country'))
    await page.getByText(t('offers.price.guessed')).first().waitFor()
    expect(await country.first().inputValue()).toBe(code)
    await page
      .getByText(new RegExp(`\\(${code}, ${rate}\\)`))
      .first()
      .waitFor()
    expect(await page.evaluate(() => localStorage.getItem('billing_country'))).toBeNull()

    await page.goto('/cart')
    const summary = page.getByRole('region', { name: t('cart.summary') })
    const take = summary.getByRole('button', { name: t('cart.country.take', { country: '' }).trim() })
    await take.waitFor()
    expect(await page.getByLabel(t('cart.country.label')).inputValue()).toBe('')
    expect(await page.locator('[data-funding-source]').count()).toBe(0)
    await seeAccessible(page)
    await take.click()
    await expect.poll(() => page.getByLabel(t('cart.country.label')).inputValue()).toBe(code)
    expect(await hasFocus(page.getByLabel(t('cart.country.label')))).toBe(true)
    expect(await page.evaluate(() => localStorage.getItem('billing_country'))).toBe(code)

    // The buyer's own choice wins and stays.
    await page.goto('/offers')
    await awake(page)
    await country.first().selectOption('DE')
    await page.reload()
    await awake(page)
    expect(await country.first().inputValue()).toBe('DE')
    expect(await page.getByText(t('offers.price.guessed')).count()).toBe(0)
    expect(faults).toEqual([])
  },
)

test.runIf(isExtended)(
  'without a zone or a language of a country the prices are those of the fallback',
  async () => {
    const { page } = await visit('/offers')
    await page.waitForLoadState('networkidle')
    expect(await page.getByLabel(t('offers.price.country')).first().inputValue()).toBe('NL')
    expect(await page.getByText(t('offers.price.guessed')).count()).toBe(0)
  },
)

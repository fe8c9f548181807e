import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { addButton, field, fill, logIn, press, register, toast } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'
import type { Language } from '#shared/languages.ts'

let networks = 0

/** Limits that are soon reached; every visitor below comes from a network of their own. */
const { shop, visit, member } = await openStage({
  env: {
    TRUST_PROXY: 'true',
    HIDE_ANSWER: 'true',
    LIMIT_STRICT: 'account 5/1h, address 1/1h, all 3/1h',
    LIMIT_NORMAL: 'account 3/10m, address 900/10m, all 900/10m',
    LIMIT_GENEROUS: 'account 3/10m, address 900/10m, all 900/10m',
  },
})

/** A visitor with a network of their own, and the header that names it. */
async function newcomer(path: string, language: Language = 'en') {
  networks += 1
  const headers = { 'x-forwarded-for': `198.51.100.${networks}` }
  const { page, context } = await visit(undefined, { language })
  await context.setExtraHTTPHeaders(headers)
  await page.goto(path)
  await awake(page)
  const post = async (url: string, body: object): Promise<number> =>
    (await shop.anonymous('POST', url, body, { headers })).status
  return { page, context, post }
}

/** Waits for a sentence, with any number in the place of its own. */
const seeRefusal = (page: Page, sentence: string): Promise<void> =>
  page.getByText(new RegExp(`^${sentence.replaceAll(/[.?()]/g, '\\$&').replace(/\d+/, '\\d+')}$`)).waitFor()

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)

  test('too many failed logins show a banner above the form, which stays as it is', async () => {
    const { page, post } = await newcomer('/login', language)
    const email = `kim.${language}@example.test`
    // Five failures are free; the page makes the last of them.
    for (let failure = 1; failure < 5; failure += 1)
      expect(await post('/api/token/', { username: email, password: 'wrong password' })).toBe(401)
    await logIn(page, t, { email, password: 'wrong password' })
    await page.getByText(t('errors.auth.badCredentials'), { exact: true }).waitFor()
    await seeAccessible(page)
    await press(page, t('accounts.login.submit'))
    await seeRefusal(page, t('errors.limit.login', { minutes: 0, seconds: 7 }))
    expect(await field(page, t('accounts.email')).inputValue()).toBe(email)
  })

  test.runIf(isExtended)('too many requests for a new password show a banner above the form', async () => {
    const { page, post } = await newcomer('/forgot-password', language)
    const email = 'kim@example.test'
    expect(await post('/api/user/forgot-password/', { email })).toBeLessThan(300)
    await field(page, t('accounts.email')).fill(email)
    await press(page, t('accounts.forgot.submit'))
    await seeRefusal(page, t('errors.limit.tooMany', { minutes: 60, seconds: 7 }))
  })
})

const t = words('en')

/** Calls of other networks, until the count of all callers is full. */
async function fillCeiling(send: (index: number, headers: Record<string, string>) => Promise<number>) {
  const statuses = []
  for (const index of [1, 2, 3, 4])
    statuses.push(await send(index, { 'x-forwarded-for': `203.0.113.${index}` }))
  return statuses
}

describe('with the count of all callers full, the page does the work that is asked for and repeats the call', () => {
  test.runIf(isExtended)('of a registration', async () => {
    const { page } = await newcomer('/register')
    const account = (index: number) => ({
      username: `flood${index}`,
      email: `flood${index}@example.test`,
      password: 'Correct-horse-1!',
      phone_number: '+32471234567',
    })
    const send = async (index: number, headers: Record<string, string>) =>
      (await shop.anonymous('POST', '/api/user/register/', account(index), { headers })).status
    expect(await fillCeiling(send)).toEqual([201, 201, 201, 429])
    const checking = toast(page, t('frame.checkingMoment'))
    await page.route('**/api/user/register/', async (route) => {
      if ('x-proof' in route.request().headers()) await checking.waitFor()
      await route.continue()
    })
    const email = 'honest@example.test'
    await register(page, t, {
      username: 'honest',
      email,
      password: 'Correct-horse-1!',
      phone: '0471 23 45 67',
    })
    await page.getByText(t('accounts.login.registered')).waitFor()
    await checking.waitFor({ state: 'detached' })
  })

  test.runIf(isExtended)('of a message', async () => {
    const { page, context } = await newcomer('/')
    // The e-mail service's client refuses automated browsers.
    await context.addInitScript(() => Object.defineProperty(navigator, 'webdriver', { get: () => false }))
    await page.goto('/contact')
    await awake(page)
    const call = (email: string) => ({
      user_id: 'volant',
      service_id: 'volant',
      template_id: 'contact-en',
      template_params: { user_name: 'Jo', user_email: email, message: 'A long enough message' },
    })
    const send = async (index: number, headers: Record<string, string>) =>
      (await shop.anonymous('POST', '/api/v1.0/email/send', call(`jo${index}@example.test`), { headers }))
        .status
    expect(await fillCeiling(send)).toEqual([200, 200, 200, 429])
    await fill(page, {
      [t('contact.name')]: 'Jo Peeters',
      [t('contact.email')]: 'honest@example.test',
      [t('contact.message')]: 'A long enough message',
    })
    await press(page, t('contact.submit'))
    await page.getByText(t('contact.sent')).waitFor()
  })
})

test.runIf(isExtended)('too many wrong answers show a refusal on the page of the contest', async () => {
  const question = { question: 'Ville ?', choices: ['Lyon', 'Paris', 'Nice'], correct_choice: 'Paris' }
  const offerId = await shop.newOffer({ slug: 'question', ...question })
  const { page, customer } = await member('/offers/question')
  for (const _ of [1, 2]) expect((await customer.add(offerId, 1, { answer: 'Lyon' })).status).toBe(400)
  await page.getByLabel('Ville ?').selectOption('Lyon')
  await addButton(page, t).click()
  await page.getByText(t('offers.buy.wrongAnswer'), { exact: true }).first().waitFor()
  await page.getByLabel('Ville ?').selectOption('Paris')
  await addButton(page, t).click()
  await page
    .getByRole('main')
    .getByText(/^Too many wrong answers\. You can answer again in \d+ minutes\.$/)
    .first()
    .waitFor()
})

test.runIf(isExtended)('too many orders show a refusal in the cart, which is kept', async () => {
  const { page, customer } = await member(undefined, { stored: { billing_country: 'BE' } })
  await customer.add(await shop.newOffer(), 2)
  for (const _ of [1, 2, 3]) expect((await customer.create()).status).toBe(200)
  const { status, body } = await customer.create()
  expect([status, body['code']]).toEqual([429, 'limit.createOrder'])
  // The wallet's own button lies in a frame of the provider; without its script the shop's button asks for the order.
  await page.route('**/sdk/js**', (route) => route.abort())
  await page.goto('/cart')
  await awake(page)
  await press(page, t('checkout.toProvider'))
  await page
    .getByText(/Too many requests\. Please try again in \d+ minutes\./)
    .first()
    .waitFor()
})

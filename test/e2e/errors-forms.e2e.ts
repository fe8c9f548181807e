import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type Visitor, awake, newVisitor } from '../support/browser.ts'
import { sharedStage } from '../support/stage.ts'
import { member } from '../support/visits.ts'
import { answerWith } from '../support/walk.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

type Words = ReturnType<typeof words>

let people = 0

const { shop, browser } = await sharedStage()

const visit = async (path: string, language: 'fr' | 'nl' | 'en' = 'en'): Promise<Visitor> => {
  const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 1440, language })
  await visitor.page.goto(path)
  await awake(visitor.page)
  return visitor
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

async function tryLogin(page: Page, t: Words): Promise<void> {
  await page.getByLabel(t('accounts.email'), { exact: true }).fill('somebody@example.test')
  await page.getByLabel(t('accounts.password'), { exact: true }).fill('some password')
  await press(page, t('accounts.login.submit'))
}

async function tryRegistration(page: Page, t: Words, username: string): Promise<void> {
  people += 1
  await page.getByLabel(t('accounts.username')).fill(username)
  await page.getByLabel(t('accounts.email'), { exact: true }).fill(`new${people}@example.test`)
  await page.getByLabel(t('accounts.phone'), { exact: true }).fill('612345678')
  await page.getByLabel(t('accounts.password'), { exact: true }).fill('correct horse')
  await page.getByLabel(t('accounts.confirm')).fill('correct horse')
  await press(page, t('accounts.register.submit'))
}

/** The field whose message below it is this one. */
const fieldSaying = (page: Page, name: string, message: string) =>
  page.getByRole('textbox', { name, description: message })

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)

  test('a server that cannot be reached, and any other failure, are told as a banner [spec 8.5, 8.6, 8.52]', async () => {
    const { page, close } = await visit('/login', language)
    await answerWith(page, '/api/token/', 'cut', 1)
    await tryLogin(page, t)
    await page.getByText(t('errors.network')).waitFor()
    await answerWith(page, '/api/token/', { status: 500, body: '<html>Traceback</html>' }, 1)
    await press(page, t('accounts.login.submit'))
    await page.getByText(t('errors.unexpected')).waitFor()
    expect(await page.getByText('Traceback').count()).toBe(0)
    await close()
  })

  test('a taken username is told below the e-mail field [spec 8.3]', async () => {
    const customer = await shop.newCustomer()
    const name = (await customer.get('/api/user/profile/')).body['username'] as string
    const { page, close } = await visit('/register', language)
    await tryRegistration(page, t, name)
    await fieldSaying(page, t('accounts.email'), t('errors.username.taken')).waitFor()
    expect(await page.getByText(t('errors.username.taken')).count()).toBe(1)
    await close()
  })

  test('a failed update of the profile, and of the password, are told [spec 8.36, 8.37]', async () => {
    const visitor = await member(browser, shop, { language })
    const { page } = visitor
    await page.goto('/profile/data')
    await press(page, t('accounts.profile.edit'))
    await answerWith(page, '/api/user/profile/', { status: 500 }, 1)
    await press(page, t('accounts.profile.save'))
    await page.getByText(t('accounts.profile.failed')).waitFor()
    await answerWith(page, '/api/user/profile/', { status: 409, body: { detail: 'Not today.' } }, 1)
    await press(page, t('accounts.profile.save'))
    await page.getByText('Not today.').waitFor()
    await press(page, t('accounts.profile.cancel'))

    await answerWith(page, '/api/user/change-password/', { status: 500 }, 1)
    await page
      .getByLabel(t('accounts.profile.currentPassword'), { exact: true })
      .fill('correct horse battery')
    await page.getByLabel(t('accounts.profile.newPassword'), { exact: true }).fill('Correct1!')
    await page.getByLabel(t('accounts.confirm'), { exact: true }).fill('Correct1!')
    await press(page, t('accounts.profile.changePassword'))
    await page.getByText(t('accounts.profile.passwordFailed')).waitFor()
    await answerWith(page, '/api/user/change-password/', { status: 409, body: { detail: 'Nor today.' } }, 1)
    await press(page, t('accounts.profile.changePassword'))
    await page.getByText('Nor today.').waitFor()
    await visitor.close()
  })
})

test('each field’s first message stands under that field, a username’s under the e-mail field [spec 5.17, 8.1-8.3]', async () => {
  const t = words('en')
  const { page, close } = await visit('/register')
  const faults = {
    phone_number: ['This phone is odd.', 'And long.'],
    password: ['This password is odd.', 'And long.'],
    username: ['This name is odd.', 'And long.'],
  }
  await answerWith(page, '/api/user/register/', { status: 400, body: faults })
  await tryRegistration(page, t, 'somebody')
  await fieldSaying(page, 'Email', 'This name is odd.').waitFor()
  await page.getByRole('textbox', { name: 'Phone number', description: 'This phone is odd.' }).waitFor()
  await page.getByText('This password is odd.').waitFor()
  expect(await page.getByText('And long.').count()).toBe(0)
  // Looking around in the form takes nothing back; only editing the field does.
  await page.getByLabel('Password', { exact: true }).focus()
  await page.getByLabel('Username').focus()
  await fieldSaying(page, 'Email', 'This name is odd.').waitFor()
  await page.getByLabel('Email', { exact: true }).fill('another@example.test')
  expect(await page.getByText('This name is odd.').count()).toBe(0)
  await page.getByText('This password is odd.').waitFor()
  await close()
})

test.each([
  ['JSON', JSON.stringify('Registrations are closed today.')],
  ['text', 'Registrations are closed today.'],
])('a body that is a plain string is shown as a banner, sent as %s [spec 8.4]', async (_, body) => {
  const { page, close } = await visit('/register')
  await answerWith(page, '/api/user/register/', { status: 400, body })
  await tryRegistration(page, words('en'), 'somebody')
  await page.getByText('Registrations are closed today.', { exact: true }).waitFor()
  expect(await page.locator('form [aria-invalid="true"]').count()).toBe(0)
  await close()
})

test('data that cannot be loaded say why, and are tried again [spec 8.38]', async () => {
  const visitor = await member(browser, shop)
  const { page } = visitor
  // The frame asks for the profile as well as the page.
  await answerWith(page, '/api/user/profile/', 'cut', 2)
  await page.goto('/profile/data')
  await page.getByText('Unable to connect to the server. Please check your internet connection.').waitFor()
  await page.unrouteAll()
  await press(page, 'Try again')
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
  await visitor.close()
})

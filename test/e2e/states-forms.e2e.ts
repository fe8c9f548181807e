import { beforeAll, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { breaks, inEachViewport } from '../support/viewports.ts'
import { openStage } from '../support/stage.ts'
import { answerWith } from '../support/walk.ts'

const { shop, browser } = await openStage()

beforeAll(async () => {
  await shop.newOffer({ slug: 'ouverte', title: 'Ouverte' })
})

test('the contact form: errors, sending, sent, refused', async () => {
  await inEachViewport(browser, shop, async ({ page, t, press, check }) => {
    // The service's client refuses a browser that is driven by a program.
    await page.addInitScript(() => Object.defineProperty(navigator, 'webdriver', { get: () => false }))
    await page.goto('/contact')
    await awake(page)
    await press('contact.submit')
    await page.getByText(t('errors.correctFirst')).waitFor()
    await check('contact, errors')
    const values = { name: 'Jo Peeters', email: 'jo@example.test', message: 'Is the red car really red?' }
    for (const [name, value] of Object.entries(values))
      await page.getByLabel(t(`contact.${name as keyof typeof values}`), { exact: true }).fill(value)
    await answerWith(page, '/api/v1.0/email/send', { status: 403 }, 1)
    await press('contact.submit')
    const { contactEmail: email } = shop.config
    await page.getByText(t('contact.failed.blocked', { email })).first().waitFor()
    await check('contact, refused')
    await page.evaluate(() => localStorage.clear())
    await press('contact.submit')
    await page.getByText(t('contact.sent')).first().waitFor()
    await check('contact, sent')
  })
})

test('a forgotten password and its mail: errors, sent, the mailbox, the mail, the link, the link used before', async () => {
  await inEachViewport(browser, shop, async ({ page, t, press, check }) => {
    const { email } = await shop.newCustomer()
    await page.goto('/forgot-password')
    await awake(page)
    await press('accounts.forgot.submit')
    await page.getByText(t('errors.email.required')).waitFor()
    await check('forgot, errors')
    await page.getByLabel(t('accounts.email'), { exact: true }).fill(email)
    await press('accounts.forgot.submit')
    await page.getByText(t('accounts.forgot.sentTitle')).waitFor()
    await check('forgot, sent')
    await shop.sendPasswordResets()
    await page.goto('/demo/mailbox')
    await awake(page)
    await check('mailbox')
    await page.getByRole('link', { name: email }).click()
    const choose = page.frameLocator('iframe').locator('a[href*="/reset-password"]').first()
    const link = (await choose.getAttribute('href')) ?? ''
    await page.goto(link)
    await awake(page)
    await press('accounts.reset.submit')
    await page.getByText(t('errors.correctFirst')).waitFor()
    await check('reset, errors')
    await breaks(page, '**/api/user/reset-password/', 'fault')
    for (const name of ['accounts.profile.newPassword', 'accounts.confirm'] as const)
      await page.getByLabel(t(name), { exact: true }).fill('Correct1!')
    await press('accounts.reset.submit')
    await page.locator('[aria-live=assertive]').getByText('Out of order').waitFor()
    await check('reset, broken')
    await page.goto('/reset-password')
    await awake(page)
    await page.getByRole('heading', { level: 1, name: t('accounts.reset.invalidTitle') }).waitFor()
    await check('reset, no link')
  })
})

test('forms with errors, the open menu, a toast, a missing page', async () => {
  await inEachViewport(browser, shop, async ({ page, t, press, check }, { width }) => {
    await page.goto('/register?next=%2Foffers%2Fouverte&code=GARAGE')
    await awake(page)
    await press('accounts.register.submit')
    await page.getByText(t('errors.correctFirst')).waitFor()
    await check('register, errors')
    await page.goto('/login?next=%2Foffers%2Fouverte')
    await awake(page)
    await page.getByLabel(t('accounts.email')).fill('nobody@example.test')
    await page.getByLabel(t('accounts.password'), { exact: true }).fill('not the password')
    await press('accounts.login.submit')
    await page.getByText(t('errors.auth.badCredentials')).waitFor()
    await check('login refused')
    await page.goto('/nowhere')
    await awake(page)
    await press('frame.toggleSidebar')
    await (
      width < 768 ? page.getByRole('dialog') : page.locator('.frame[data-sidebar="collapsed"]')
    ).waitFor()
    await check('missing page, menu toggled')
    await breaks(page, '**/api/policies/**', 'fault')
    await page
      .getByRole('navigation', { name: t('frame.mainMenu') })
      .getByRole('link', { name: t('frame.menu.rules') })
      .locator('visible=true')
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: t('pages.error.title') }).waitFor()
    await check('error page')
  })
  await inEachViewport(
    browser,
    shop,
    async ({ page, t, check }) => {
      await page.goto('/cart?canceled=true')
      await page.getByText(t('checkout.canceled')).waitFor()
      await check('cart, canceled')
    },
    () => shop.newCustomer(),
  )
})

import { beforeAll, test } from 'vitest'
import { awake } from '../support/browser.ts'
import {
  answerWith,
  approve,
  beginPayment,
  field,
  fill,
  holdBack,
  holdTimers,
  runKeptTimers,
  wallet,
} from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { inEachViewport } from '../support/viewports.ts'

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
const PICTURES = ['fastback-detail', 'roadster-front', 'supercar-night']
const BROKEN = { status: 503, body: { detail: 'Out of order' } }

const stage = await openStage()
const { shop } = stage

beforeAll(async () => {
  await shop.newOffer({ ...QUESTION, slug: 'ouverte', title: 'Ouverte', pictures: PICTURES })
  await shop.newOffer({ slug: 'terminee', title: 'Terminée', end_date: new Date(Date.now() - 60_000) })
  const soldOut = await shop.newOffer({ slug: 'epuisee', title: 'Épuisée', total_tickets: 1 })
  await shop.paidOrder(1, 'buyer@buyer.test', soldOut)
})

test('the list of contests is accessible while it loads, broken and empty', async () => {
  await inEachViewport(stage, 'visitor', async ({ page, t, press, check, width }) => {
    await page.goto('/policies/terms-and-conditions')
    await awake(page)
    const follow = async (): Promise<void> => {
      if (width < 768) await press('frame.toggleSidebar')
      const menu = page.getByRole('navigation', { name: t('frame.mainMenu') })
      const link = menu.getByRole('link', { name: t('frame.menu.offers'), exact: true })
      await link.filter({ visible: true }).click()
    }
    const release = await holdBack(page, '/api/offers/')
    await follow()
    const loading = page.getByRole('status').filter({ hasText: t('offers.loading') })
    await loading.waitFor()
    await check('offers loading')
    await answerWith(page, '/api/offers/', BROKEN)
    release()
    await page.goto('/policies/terms-and-conditions')
    await awake(page)
    await follow()
    await page.getByRole('alert').waitFor()
    await check('offers broken')
    await answerWith(page, '/api/offers/', { status: 200, body: [] })
    await press('offers.retry')
    await page.getByText(t('offers.empty')).waitFor()
    await check('offers empty')
  })
})

test('a contest is accessible with wrong and right answer, added, enlarged, sold out, ended, missing and broken', async () => {
  await inEachViewport(stage, 'member', async ({ page, t, press, check }) => {
    await page.goto('/offers/ouverte')
    await page.locator('#offer-question').selectOption('3')
    await check('offer, wrong answer')
    await page.locator('#offer-question').selectOption('4')
    await press('offers.buy.more')
    const add = page.getByRole('button', { name: t('offers.buy.add') })
    await add.filter({ visible: true }).click()
    await page.getByText(t('offers.buy.added')).waitFor()
    await check('offer, added')
    const enlarge = t('offers.gallery.enlarge', { index: 1, count: PICTURES.length })
    await page.getByRole('button', { name: enlarge }).first().click()
    await page.locator('.yarl__portal_open').waitFor()
    await check('viewer')
    for (const slug of ['epuisee', 'terminee', 'nulle-part']) {
      await page.goto(`/offers/${slug}`)
      await page.locator('main h1').waitFor()
      await check(`offer ${slug}`)
    }
    await answerWith(page, '/api/offers/ouverte/', BROKEN)
    await page.goto('/offers/ouverte')
    await page.getByRole('alert').waitFor()
    await check('offer broken')
  })
})

test('the cart is accessible empty, without a country, ready, with a broken tax, a failed, open and confirmed payment, and broken', async () => {
  await inEachViewport(stage, 'member', async ({ page, t, press, check, customer }) => {
    // The numbers are shown for two seconds before the page goes on.
    await holdTimers(page, 2_000, t('checkout.success'))
    await page.goto('/cart?canceled=true')
    await page.getByText(t('cart.empty.title')).waitFor()
    await page.getByText(t('checkout.canceled')).waitFor()
    await check('cart empty, canceled')
    const cart = { title: 'Dans le panier', pictures: PICTURES, total_tickets: 3 }
    await customer.add(await shop.newOffer(cart), 2)
    await page.reload()
    await page.getByText(t('cart.country.warning')).first().waitFor()
    await check('cart without country')
    await press('cart.clear')
    await page.getByRole('dialog').waitFor()
    await check('cart, question')
    await press('cart.clearKeep')
    await answerWith(page, '/api/cart/calculate_tax/', BROKEN)
    await page.getByLabel(t('cart.country.label')).selectOption('BE')
    await wallet(page).waitFor()
    await page.getByText(t('cart.taxDefault', { rate: '21' }).slice(0, 20)).waitFor()
    await answerWith(page, '/api/paypal/create-order/', BROKEN, 1)
    await wallet(page).click()
    await page.getByText(t('checkout.error'), { exact: true }).first().waitFor()
    await check('cart, tax broken, payment failed')
    const approval = await beginPayment({ page, context: page.context() })
    await check('cart, approving')
    await approve(approval, 'pending@buyer.test')
    await page.getByRole('heading', { name: t('checkout.confirming.title') }).waitFor()
    await check('cart, confirming')
    const capture = [...shop.paypal.book.captures.values()].at(-1)
    await fetch(`${shop.paypal.url}/_emulator/captures/${capture?.id}/release`, { method: 'POST' })
    await page.getByRole('heading', { level: 1, name: t('checkout.success') }).waitFor()
    await check('cart, numbers')
    await runKeptTimers(page)
    await page.waitForURL(/participations/)
    await page.getByText(t('tickets.count', { count: 2 })).waitFor()
    await check('participations, filled')
    await page.getByText(t('tickets.filter.expired')).first().click()
    await check('participations, filtered away')
    await answerWith(page, '/api/cart/', BROKEN)
    await page.goto('/cart')
    await page.getByRole('alert').waitFor()
    await check('cart broken')
  })
})

test('participations and data are accessible empty, broken, with errors and saved', async () => {
  await inEachViewport(stage, 'member', async ({ page, t, press, check }) => {
    await page.goto('/profile/participations')
    await page.getByText(t('tickets.emptyText')).waitFor()
    await check('participations empty')
    await answerWith(page, '/api/tickets/user/', BROKEN)
    await page.reload()
    await page.getByText(t('tickets.errorTitle')).waitFor()
    await check('participations broken')
    await page.goto('/profile/data')
    await press('accounts.profile.edit')
    await field(page, t('accounts.email')).fill('nobody')
    await press('accounts.profile.save')
    await press('accounts.profile.changePassword')
    await page.getByText(t('errors.correctFirst')).first().waitFor()
    await check('data, errors')
    await field(page, t('accounts.email')).fill(`saved-${t('accounts.email').length}@example.test`)
    await press('accounts.profile.save')
    await page.getByText(t('accounts.profile.updated')).waitFor()
    await check('data, saved')
  })
})

test('the contact form is accessible with errors, refused and sent', async () => {
  await inEachViewport(stage, 'visitor', async ({ page, t, press, check }) => {
    // The service's client refuses a browser that is driven by a program.
    await page.addInitScript(() => Object.defineProperty(navigator, 'webdriver', { get: () => false }))
    await page.goto('/contact')
    await awake(page)
    await press('contact.submit')
    await page.getByText(t('errors.correctFirst')).waitFor()
    await check('contact, errors')
    await fill(page, {
      [t('contact.name')]: 'Jo Peeters',
      [t('contact.email')]: 'jo@example.test',
      [t('contact.message')]: 'Is the red car really red?',
    })
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

test('a forgotten password is accessible with errors, sent, in the mailbox, and by a used and a missing link', async () => {
  await inEachViewport(stage, 'visitor', async ({ page, t, press, check, customer: { email } }) => {
    await page.goto('/forgot-password')
    await awake(page)
    await press('accounts.forgot.submit')
    await page.getByText(t('errors.email.required')).waitFor()
    await check('forgot, errors')
    await field(page, t('accounts.email')).fill(email)
    await press('accounts.forgot.submit')
    await page.getByText(t('accounts.forgot.sentTitle')).waitFor()
    await check('forgot, sent')
    await shop.sendPasswordResets()
    await page.goto('/demo/mailbox')
    await awake(page)
    await check('mailbox')
    await page.getByRole('link', { name: email }).click()
    const choose = page.frameLocator('iframe').locator('a[href*="/reset-password"]').first()
    await page.goto((await choose.getAttribute('href')) ?? '')
    await awake(page)
    await press('accounts.reset.submit')
    await page.getByText(t('errors.correctFirst')).waitFor()
    await check('reset, errors')
    await answerWith(page, '/api/user/reset-password/', BROKEN)
    await fill(page, {
      [t('accounts.profile.newPassword')]: 'Correct1!',
      [t('accounts.confirm')]: 'Correct1!',
    })
    await press('accounts.reset.submit')
    await page.locator('[aria-live=assertive]').getByText('Out of order').waitFor()
    await check('reset, broken')
    await page.goto('/reset-password')
    await awake(page)
    await page.getByRole('heading', { level: 1, name: t('accounts.reset.invalidTitle') }).waitFor()
    await check('reset, no link')
  })
})

test('the registration with errors, a refused login, the open menu and the error page are accessible', async () => {
  await inEachViewport(stage, 'visitor', async ({ page, t, press, check, width }) => {
    await page.goto('/register?next=%2Foffers%2Fouverte&code=GARAGE')
    await awake(page)
    await press('accounts.register.submit')
    await page.getByText(t('errors.correctFirst')).waitFor()
    await check('register, errors')
    await page.goto('/login?next=%2Foffers%2Fouverte')
    await awake(page)
    await fill(page, {
      [t('accounts.email')]: 'nobody@example.test',
      [t('accounts.password')]: 'not the password',
    })
    await press('accounts.login.submit')
    await page.getByText(t('errors.auth.badCredentials')).waitFor()
    await check('login refused')
    await page.goto('/nowhere')
    await awake(page)
    await press('frame.toggleSidebar')
    const opened = width < 768 ? page.getByRole('dialog') : page.locator('.frame[data-sidebar="collapsed"]')
    await opened.waitFor()
    await check('missing page, menu toggled')
    await answerWith(page, '/api/policies/terms/', BROKEN)
    const menu = page.getByRole('navigation', { name: t('frame.mainMenu') })
    await menu
      .getByRole('link', { name: t('frame.menu.rules') })
      .filter({ visible: true })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: t('pages.error.title') }).waitFor()
    await check('error page')
  })
})

import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { formatEur } from '#i18n/format.ts'
import type { MessageKey } from '#i18n/keys.ts'
import type { Language } from '#shared/languages.ts'
import { awake, settled } from '../support/browser.ts'
import { announcements, listen, still, violations } from '../support/page-checks.ts'
import {
  addButton,
  answerWith,
  approve,
  beginPayment,
  field,
  fill,
  holdBack,
  logIn,
  press as pressButton,
  seeTitle,
  wallet,
} from '../support/page-control.ts'
import { providerSide } from '../support/provider-side.ts'
import type { Customer } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { type Words, words } from '../support/words.ts'

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
const PICTURES = ['fastback-detail', 'roadster-front', 'supercar-night']
const BROKEN = { status: 503, body: { detail: 'Out of order' } }

const { shop, visit, member } = await openStage()

const PHONE = { name: 'a phone, light', width: 360, colorScheme: 'light', language: 'fr' } as const
const DARK = { name: 'a wide window, dark', width: 1440, colorScheme: 'dark', language: 'nl' } as const
const FORCED_COLORS = {
  name: 'a wide window, forced colours',
  width: 1440,
  colorScheme: 'light',
  language: 'en',
  forcedColors: 'active',
} as const

/** A window, a colour scheme and a language. */
type Viewport = typeof PHONE | typeof DARK | typeof FORCED_COLORS

/** In which every state is looked at: on a phone alone in the short form of the tests. */
const VIEWPORTS: readonly Viewport[] = sized({ short: [PHONE], extended: [PHONE, DARK, FORCED_COLORS] })

/** What a state is looked at with. */
interface Look {
  page: Page
  t: Words
  press: (key: MessageKey) => Promise<void>
  /** Holds the page against the rules. */
  check: (state: string) => Promise<void>
  width: number
  customer: Customer
}

/** Walks through states in each viewport, as a new customer or as a visitor, and expects that nothing was found in any. */
async function inEachViewport(who: 'visitor' | 'member', walk: (look: Look) => Promise<void>): Promise<void> {
  const found: string[] = []
  for (const viewport of VIEWPORTS) {
    const customer = await shop.newCustomer()
    const visitor = await (who === 'member'
      ? member(undefined, { ...viewport, customer })
      : visit(undefined, viewport))
    const { page } = visitor
    const { name, width, language } = viewport
    const t = words(language)
    const check = async (state: string): Promise<void> => {
      // Forced colours are the reader's own; axe reads the grounds as forced but the words as they were.
      const look = async () => {
        await still(page)
        return violations(page, { without: 'forcedColors' in viewport ? ['color-contrast'] : [] })
      }
      const first = await look()
      // A toast may have begun to fade while axe looked; what is wrong is wrong at the second look, too.
      const again = first.length > 0 ? await look() : []
      const lines = first.filter((line) => again.includes(line))
      found.push(...lines.map((line) => `${state} (${name}, ${language}): ${line}`))
    }
    await walk({ page, t, press: (key) => pressButton(page, t(key)), check, width, customer })
    await visitor.close()
  }
  expect(found).toEqual([])
}

beforeAll(async () => {
  await shop.newOffer({ ...QUESTION, slug: 'ouverte', title: 'Ouverte', pictures: PICTURES })
  await shop.newOffer({ slug: 'terminee', title: 'Terminée', end_date: new Date(Date.now() - 60_000) })
  const soldOut = await shop.newOffer({ slug: 'epuisee', title: 'Épuisée', total_tickets: 1 })
  await shop.paidOrder(1, 'buyer@buyer.test', soldOut)
})

test('the list of contests is accessible while it loads, broken and empty', async () => {
  await inEachViewport('visitor', async ({ page, t, press, check, width }) => {
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
  await inEachViewport('member', async ({ page, t, press, check }) => {
    await page.goto('/offers/ouverte')
    await page.locator('#offer-question').selectOption('3')
    await check('offer, wrong answer')
    await page.locator('#offer-question').selectOption('4')
    await press('offers.buy.more')
    await addButton(page, t).click()
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
  await inEachViewport('member', async ({ page, t, press, check, customer }) => {
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
    // The numbers are shown until the next page comes.
    const leave = await holdBack(page, '/profile/participations')
    await approve(approval, 'pending@buyer.test')
    await page.getByRole('heading', { name: t('checkout.confirming.title') }).waitFor()
    await check('cart, confirming')
    await providerSide(shop).decideLast('release')
    await seeTitle(page, t('checkout.success'))
    await check('cart, numbers')
    leave()
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
  await inEachViewport('member', async ({ page, t, press, check }) => {
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
  await inEachViewport('visitor', async ({ page, t, press, check }) => {
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
  await inEachViewport('visitor', async ({ page, t, press, check, customer: { email } }) => {
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
    await seeTitle(page, t('accounts.reset.invalidTitle'))
    await check('reset, no link')
  })
})

test('the registration with errors, a refused login, the open menu and the error page are accessible', async () => {
  await inEachViewport('visitor', async ({ page, t, press, check, width }) => {
    await page.goto('/register?next=%2Foffers%2Fouverte&code=GARAGE')
    await awake(page)
    await press('accounts.register.submit')
    await page.getByText(t('errors.correctFirst')).waitFor()
    await check('register, errors')
    await page.goto('/login?next=%2Foffers%2Fouverte')
    await awake(page)
    await logIn(page, t, { email: 'nobody@example.test', password: 'not the password' })
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
    const rules = menu.getByRole('link', { name: t('frame.menu.rules') })
    await rules.filter({ visible: true }).first().click()
    await seeTitle(page, t('pages.error.title'))
    await check('error page')
  })
})

test('a held order is accessible in each state: held, not extended, expired, released', async () => {
  await inEachViewport('member', async ({ page, t, customer, press, check }) => {
    await customer.order(await shop.newOffer(), 2)
    await page.clock.install()
    const place = page.getByRole('region', { name: t('checkout.held.heading') })
    await page.goto('/cart')
    await place.getByRole('button').first().waitFor()
    await check('held')
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
    expect(scrollWidth).toBe(clientWidth)
    await answerWith(page, '/api/paypal/extend-hold/', 'cut', 1)
    await place
      .getByRole('button', { name: t('checkout.held.extend', { minutes: shop.config.holdMinutes }) })
      .click()
    await place.getByText(t('errors.network')).waitFor()
    await check('not extended')
    // The server still holds them; a page that cannot ask it goes by its own clock.
    await answerWith(page, '/api/paypal/open-order/', 'cut', 1)
    await page.clock.fastForward(shop.config.holdMinutes * 60_000)
    await place.getByText(t('checkout.held.expiredTitle')).waitFor()
    await check('expired')
    await page.reload()
    await press('checkout.held.giveBack')
    await place.getByText(t('checkout.held.givenBackTitle')).waitFor()
    await check('released')
  })
})

const t = words('fr')

test('French texts in Dutch and English pages are marked as French', async () => {
  const offerId = await shop.newOffer({ ...QUESTION, slug: 'mot', title: 'Étalon sans traduction' })
  const nothing = { title_nl: '', title_en: '' }
  await shop.changeOffer(offerId, nothing)
  for (const language of sized<Language[]>({ short: ['nl'], extended: ['nl', 'en'] })) {
    const owned = await shop.newOffer({ title: 'Étalon sans traduction' })
    await shop.changeOffer(owned, nothing)
    const { customer } = await shop.paidOrder(1, 'buyer@buyer.test', owned)
    await customer.add(offerId, 1, { answer: '4' })
    const { page } = await member(undefined, { customer, language })
    for (const path of ['/offers', '/offers/mot', '/cart', '/profile/participations']) {
      await page.goto(path)
      await settled(page)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      const texts = page.locator('main').getByText(/^Étalon sans traduction|^Deux et deux/)
      const spoken = await texts.evaluateAll((all) =>
        all.map((one) => one.closest<HTMLElement>('[lang]')?.lang),
      )
      expect(spoken.length, path).toBeGreaterThan(0)
      expect(new Set(spoken), path).toEqual(new Set(['fr']))
    }
    await page.goto('/offers/mot')
    await settled(page)
    const choice = page.locator('#offer-question option', { hasText: '4' })
    expect(await choice.evaluate((element) => element.closest<HTMLElement>('[lang]')?.lang)).toBe('fr')
  }
})

test('the list of offers keeps its scroll position when a visitor goes back from an offer', async () => {
  for (let more = 0; more < 12; more += 1) await shop.newOffer({ title: `Retour ${more}` })
  const { page } = await member('/offers', { width: 360, language: 'fr' })
  await settled(page)
  const last = page.locator('main article').getByRole('link').last()
  // The driver may scroll once more before it clicks: what counts is the place that was left.
  await page.evaluate(() =>
    addEventListener('click', () => (document.documentElement.dataset['leftAt'] = String(window.scrollY)), {
      capture: true,
    }),
  )
  await last.click()
  await page.locator('.buy-bar').waitFor()
  const place = Number(await page.locator('html').getAttribute('data-left-at'))
  expect(place).toBeGreaterThan(2_000)
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  await page.goBack()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(place - 100)
})

test('a toast stays for at least five seconds, and as long as the pointer rests on it', async () => {
  const { page } = await member(undefined, { language: 'fr' })
  // The page's clock moves only by the steps below: a busy machine uses no time up.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.goto('/cart?canceled=true')
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: t('checkout.canceled') })
  await expect
    .poll(async () => {
      await page.clock.runFor(20)
      return toast.count()
    })
    .toBe(1)
  await page.clock.runFor(500)
  await toast.hover()
  await page.clock.runFor(60_000)
  expect(await toast.isVisible()).toBe(true)
  await page.mouse.move(1, 1)
  await page.clock.runFor(5_000)
  expect(await toast.isVisible()).toBe(true)
  await page.clock.runFor(20_000)
  await toast.waitFor({ state: 'detached' })
})

test('a screen reader announces everything that changes on the way to the numbers', async () => {
  const price = { total_tickets: 5, price_cents: 1_000 }
  await shop.newOffer({ ...QUESTION, slug: 'oreille', title: 'Oreille', ...price })
  const visitor = await member(undefined, { language: 'fr' })
  const { page, context } = visitor
  const button = (key: MessageKey) =>
    page
      .getByRole('button', { name: t(key) })
      .locator('visible=true')
      .first()
  const announces = async (text: string): Promise<void> => {
    await expect
      .poll(() => announcements(page), { message: text })
      .toEqual(expect.arrayContaining([expect.stringContaining(text)]))
  }
  await listen(context)

  await page.goto('/offers/oreille')
  await settled(page)
  await context.setOffline(true)
  await announces(t('frame.offline'))
  await context.setOffline(false)
  await page.locator('#offer-question').selectOption('3')
  await announces(t('offers.buy.wrongAnswer'))
  await page.locator('#offer-question').selectOption('4')
  await announces(t('offers.buy.rightAnswer'))
  await button('offers.buy.more').click()
  await announces(formatEur('20.00', 'fr'))
  const quantity = page.getByRole('textbox', { name: t('offers.buy.quantity') })
  await quantity.fill('99')
  await quantity.press('Enter')
  await announces(t('offers.buy.max', { max: 5 }))
  await button('offers.buy.add').click()
  await announces(t('offers.buy.added'))
  await announces(t('frame.cartWith', { count: 5 }))

  await page.goto('/cart')
  await settled(page)
  await answerWith(page, '/api/cart/calculate_tax/', { status: 500 })
  await page.getByLabel(t('cart.country.label')).selectOption('FR')
  await announces(t('cart.taxDefault', { rate: '§' }).split('§')[0] as string)
  await page.unrouteAll()
  await page.getByLabel(t('cart.country.label')).selectOption('BE')
  await announces(formatEur('60.50', 'fr'))
  await button('offers.buy.fewer').click()
  await announces(formatEur('48.40', 'fr'))
  await expect.poll(() => wallet(page).isEnabled()).toBe(true)
  const approval = await beginPayment(visitor)
  await announces(t('checkout.approvalOpen', { provider: 'PayPal' }))
  await approve(approval)
  await announces(t('checkout.success'))
})

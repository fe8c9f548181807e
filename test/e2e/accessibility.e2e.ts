import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { formatEur } from '#i18n/format.ts'
import type { Language } from '#shared/languages.ts'
import { announcements, listen } from '../support/announcements.ts'
import { type Visitor, awake, newVisitor } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
const PICTURES = ['fastback-detail', 'roadster-front', 'supercar-night']
const t = words('fr')

const { shop, browser } = await openStage()

beforeAll(async () => {
  await shop.newOffer({ ...QUESTION, slug: 'ouverte', title: 'Étalon Français', pictures: PICTURES })
})

/** A customer with a number and a full cart. */
async function member(options: Partial<Parameters<typeof newVisitor>[1]> = {}): Promise<Visitor> {
  const { customer, orderId, offerId } = await shop.approvedOrder(2)
  await customer.capture(orderId)
  await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
  const session = await shop.sessionOf(customer)
  return newVisitor(browser, {
    baseUrl: shop.config.publicUrl,
    width: 1440,
    language: 'fr',
    session,
    ...options,
  })
}

/** Opens a page and waits until its content is there. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await awake(page)
  await page.locator('main h1').waitFor()
  await page.waitForLoadState('networkidle')
}

test('French texts in Dutch and English pages are marked as French', async () => {
  const offerId = await shop.newOffer({ ...QUESTION, slug: 'mot', title: 'Étalon sans traduction' })
  const nothing = { title_nl: '', title_en: '' }
  await shop.db.updateTable('offers').set(nothing).where('id', '=', offerId).execute()
  for (const language of sized<Language[]>({ short: ['nl'], extended: ['nl', 'en'] })) {
    const { customer, orderId } = await shop.approvedOrder(1, 'buyer@buyer.test', await withoutQuestion())
    await customer.capture(orderId)
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, {
      offer_id: offerId,
      quantity: 1,
      answer: '4',
    })
    const session = await shop.sessionOf(customer)
    const { page, close } = await newVisitor(browser, {
      baseUrl: shop.config.publicUrl,
      width: 1440,
      language,
      session,
    })
    for (const path of ['/offers', '/offers/mot', '/cart', '/profile/participations']) {
      await open(page, path)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      const spoken = await page.evaluate(() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        const found: (string | undefined)[] = []
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const element = node.parentElement
          if (
            !element?.closest('main') ||
            !/^Étalon sans traduction|^Deux et deux/.test(node.textContent ?? '')
          )
            continue
          found.push(element.closest<HTMLElement>('[lang]')?.lang)
        }
        return found
      })
      expect(spoken.length, path).toBeGreaterThan(0)
      expect(new Set(spoken), path).toEqual(new Set(['fr']))
    }
    await open(page, '/offers/mot')
    const choice = page.locator('#offer-question option', { hasText: '4' })
    expect(await choice.evaluate((element) => element.closest<HTMLElement>('[lang]')?.lang)).toBe('fr')
    await close()
  }

  async function withoutQuestion(): Promise<number> {
    const id = await shop.newOffer({ title: 'Étalon sans traduction' })
    await shop.db.updateTable('offers').set(nothing).where('id', '=', id).execute()
    return id
  }
})

test('who goes back from a contest finds the list where they left it', async () => {
  for (let more = 0; more < 12; more += 1) await shop.newOffer({ title: `Retour ${more}` })
  const { page, close } = await member({ width: 360 })
  await open(page, '/offers')
  const last = page.locator('main article').last().getByRole('link')
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
  await close()
})

test('a toast stays for five seconds at least, and as long as the pointer rests on it', async () => {
  const { page, close } = await member()
  // The page's clock stands still but for the steps that are taken here: a busy machine uses nothing up.
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
  await close()
})

test('who listens hears of everything that changes on the way to the numbers', async () => {
  await shop.newOffer({
    ...QUESTION,
    slug: 'oreille',
    title: 'Oreille',
    total_tickets: 5,
    price_cents: 1_000,
  })
  const customer = await shop.newCustomer()
  const { page, context, close } = await newVisitor(browser, {
    baseUrl: shop.config.publicUrl,
    width: 1440,
    language: 'fr',
    session: await shop.sessionOf(customer),
  })
  const button = (key: MessageKey) =>
    page
      .getByRole('button', { name: t(key) })
      .locator('visible=true')
      .first()
  const hears = async (text: string): Promise<void> => {
    await expect
      .poll(() => announcements(page), { message: text })
      .toEqual(expect.arrayContaining([expect.stringContaining(text)]))
  }
  await listen(context)

  await open(page, '/offers/oreille')
  await context.setOffline(true)
  await hears(t('frame.offline'))
  await context.setOffline(false)
  await page.locator('#offer-question').selectOption('3')
  await hears(t('offers.buy.wrongAnswer'))
  await page.locator('#offer-question').selectOption('4')
  await hears(t('offers.buy.rightAnswer'))
  await button('offers.buy.more').click()
  await hears(formatEur('20.00', 'fr'))
  const quantity = page.getByRole('textbox', { name: t('offers.buy.quantity') })
  await quantity.fill('99')
  await quantity.press('Enter')
  await hears(t('offers.buy.max', { max: 5 }))
  await button('offers.buy.add').click()
  await hears(t('offers.buy.added'))
  await hears(t('frame.cartWith', { count: 5 }))

  await open(page, '/cart')
  await page.route('**/api/cart/calculate_tax/', (route) => route.fulfill({ status: 500, body: '' }))
  await page.getByLabel(t('cart.country.label')).selectOption('FR')
  await hears(t('cart.taxDefault', { rate: '§' }).split('§')[0] as string)
  await page.unroute('**/api/cart/calculate_tax/')
  await page.getByLabel(t('cart.country.label')).selectOption('BE')
  await hears(formatEur('60.50', 'fr'))
  await button('offers.buy.fewer').click()
  await hears(formatEur('48.40', 'fr'))
  const wallet = page.locator('[data-funding-source="paypal"]')
  await wallet.waitFor()
  await expect.poll(() => wallet.isEnabled()).toBe(true)
  const opened = context.waitForEvent('page')
  await wallet.click()
  const approval = await opened
  await approval.waitForURL(/checkoutnow/)
  await hears(t('checkout.approvalOpen', { provider: 'PayPal' }))
  await approval.locator('button[value="approve"]').click()
  await hears(t('checkout.success'))
  await close()
})

import { expect, test } from 'vitest'
import { formatEur } from '#i18n/format.ts'
import type { MessageKey } from '#i18n/keys.ts'
import type { Language } from '#shared/languages.ts'
import { settled } from '../support/browser.ts'
import { announcements, listen } from '../support/page-checks.ts'
import { respondWith, approve, beginPayment, wallet } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
const { shop, member } = await openStage()
const t = words('fr')

test.runIf(isExtended)('French texts in Dutch and English pages are marked as French', async () => {
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

test.runIf(isExtended)(
  'the list of offers keeps its scroll position when a visitor goes back from an offer',
  async () => {
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
  },
)

test.runIf(isExtended)(
  'a toast stays for at least five seconds, and as long as the pointer rests on it',
  async () => {
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
  },
)

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
  await respondWith(page, '/api/cart/calculate_tax/', { status: 500 })
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

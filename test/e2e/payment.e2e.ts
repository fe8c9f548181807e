import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { formatDateTime, formatEur } from '#i18n/format.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { seeAccessible } from '../support/page-checks.ts'
import {
  respondWith,
  approve,
  askedWaits,
  beginPayment,
  callsOf,
  hasFocus,
  holdBack,
  logIn,
  press,
  recordTimers,
  runHeldTimers,
  seeTitle,
  seeToast,
  toast,
  wallet,
} from '../support/page-control.ts'
import { providerSide } from '../support/provider-side.ts'
import { sharedStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended, sized } from '../support/tier.ts'

const t = words('en')
const BELGIUM = { billing_country: 'BE' }

const { shop, member, visit } = await sharedStage()
await shop.unlockTerms()
const minutes = shop.config.holdMinutes

interface Before {
  language?: Language
  quantity?: number
  /** Of the contest's tickets. */
  total?: number
  /** An order of another device holds the tickets. */
  isHeld?: boolean
  /** Keeps the provider's script away, so that its page is the way to pay. */
  withoutScript?: boolean
}

/** A new customer with tickets of a new contest in the cart and the country chosen; the cart is not open yet. */
async function beforeCart({
  language = 'en',
  quantity = 1,
  total = 100,
  isHeld,
  withoutScript,
}: Before = {}) {
  const offerId = await shop.newOffer({ total_tickets: total })
  const customer = await shop.newCustomer()
  const visitor = await member(undefined, { language, customer, stored: BELGIUM })
  await customer.add(offerId, quantity)
  const orderId = isHeld ? ((await customer.create()).body['order_id'] as string) : ''
  if (withoutScript) await visitor.page.route('**/sdk/js**', (route) => route.abort())
  return { ...visitor, offerId, orderId }
}

/** The same on the cart page, once it can be paid. */
async function readyToPay(before: Before = {}) {
  const ready = await beforeCart(before)
  const say = words(before.language ?? 'en')
  const { page } = ready
  await page.goto('/cart')
  const way = before.withoutScript
    ? page.getByRole('button', { name: say('checkout.toProvider') })
    : wallet(page)
  await way.waitFor()
  return { ...ready, say, way }
}

const seeText = (page: Page, text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor()

/** The heading above the ways to pay. */
const heading = (page: Page, say = t) =>
  page.locator('main').getByRole('heading', { name: say('checkout.heading'), exact: true })

/** The notice of a payment that was approved and not finished, on any page. */
const unfinished = (page: Page, say = t) => page.getByRole('region', { name: say('unfinished.heading') })
const inNotice = (page: Page, key: 'finish' | 'giveBack') =>
  unfinished(page).getByRole('button', {
    name: t(`unfinished.${key}`, { amount: formatEur('11.86', 'en') }),
  })

describe('an approved payment that was not finished', () => {
  test.runIf(isExtended)('is told on every page, and charged once its buyer finishes it', async () => {
    const { page, context, customer, orderId, faults } = await (async () => {
      const ready = await readyToPay({ quantity: 2 })
      const approval = await beginPayment(ready)
      await ready.page.reload()
      await ready.page.getByRole('link', { name: t('checkout.held.pay') }).waitFor()
      await approve(approval).catch(() => undefined)
      return { ...ready, orderId: (await onlyOrderOf(ready.customer.id)).provider_order_id ?? '' }
    })()
    const calls = callsOf(page)
    await page.bringToFront()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await inNotice(page, 'finish').waitFor()
    // Beside it the same cart is not paid a second time.
    await page.getByRole('link', { name: t('checkout.unfinishedFirst') }).waitFor()
    const others = sized({ short: [], extended: ['/offers', '/contact'] })
    for (const path of ['/', ...others, '/profile/participations', '/cart']) {
      await page.goto(path)
      await inNotice(page, 'giveBack').waitFor()
    }
    await page.setViewportSize({ width: 320, height: 780 })
    expect(await sidewaysScroll(page)).toBe(0)
    await seeAccessible(page)
    // The shop shows the same in a second tab, in each language.
    const second = await context.newPage()
    for (const language of sized<readonly Language[]>({ short: ['nl', 'en'], extended: LANGUAGES })) {
      await second.goto(`/contact?lang=${language}`)
      await unfinished(second, words(language)).waitFor()
    }
    expect(calls.filter((call) => call.includes('capture-payment'))).toEqual([])
    expect(await shop.orderState(orderId)).toBe('held')
    expect(shop.capturesOf(orderId)).toEqual([])

    await inNotice(page, 'finish').click()
    await page.waitForURL(/\/profile\/participations/)
    await seeToast(page, t('checkout.success'))
    expect(await shop.ticketCount(customer)).toBe(2)
    expect(shop.capturesOf(orderId)).toHaveLength(1)
    // The other tab learns of it.
    await second.evaluate(() => window.dispatchEvent(new Event('focus')))
    await unfinished(second).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  test.runIf(isExtended)(
    'is given back by the link of its email, which tells somebody else whose it is',
    async () => {
      const { offerId, customer, orderId } = await shop.approvedOrder(2)
      const link = `/cart?unfinished=${orderId}&lang=en`
      const stranger = await visit(undefined, { language: 'en' })
      await stranger.page.goto(link)
      await seeText(stranger.page, t('accounts.login.payment.unfinished'))
      await logIn(stranger.page, t, await shop.newCustomer())
      await seeText(stranger.page, t('unfinished.otherAccountTitle'))
      expect(await unfinished(stranger.page).getByRole('button').count()).toBe(0)

      const { page, context } = await member(undefined, { language: 'en', customer })
      await page.goto(link)
      await inNotice(page, 'giveBack').click()
      await seeText(page, t('unfinished.givenBackTitle'))
      expect(await hasFocus(unfinished(page))).toBe(true)
      expect(new URL(page.url()).search).not.toContain('unfinished')
      expect(await shop.orderState(orderId)).toBe('cancelled')
      expect(await shop.counters(offerId)).toEqual(released)
      const again = await context.newPage()
      await again.goto(link)
      await seeText(again, t('unfinished.overTitle'))

      const paid = await shop.paidOrder(1)
      const buyer = await member(undefined, { language: 'en', customer: paid.customer })
      await buyer.page.goto(`/cart?unfinished=${paid.orderId}&lang=en`)
      await seeText(buyer.page, t('unfinished.paidTitle'))
    },
  )

  test.runIf(isExtended)('that is refused when it is finished says why', async () => {
    const { customer, orderId } = await shop.approvedOrder(2, 'declined@buyer.test')
    const { page } = await member(undefined, { language: 'en', customer })
    await page.goto('/contact')
    await inNotice(page, 'finish').click()
    await seeText(page, t('errors.checkout.declined'))
    await unfinished(page)
      .getByRole('link', { name: t('unfinished.toCart') })
      .waitFor()
    expect(await shop.orderState(orderId)).toBe('held')
  })
})

test.runIf(isExtended)('an open cart shows the purchase of tickets that were paid elsewhere', async () => {
  const { page, customer, orderId } = await readyToPay({ isHeld: true })
  await page.getByRole('link', { name: t('checkout.held.pay') }).waitFor()
  await shop.paypal.approve(orderId, 'buyer@buyer.test')
  await customer.capture(orderId)
  await page.getByRole('heading', { level: 1, name: t('checkout.success') }).waitFor()
})

describe('the ways to pay', () => {
  test('appear once the provider’s script is loaded, asked for in euro with those of the country [spec 4.38, 4.39, 7.40, 7.41, 9.6]', async () => {
    const { page } = await beforeCart()
    const release = await holdBack(page, '/sdk/js')
    await page.goto('/cart', { waitUntil: 'commit' })
    await page.getByText(t('checkout.scriptLoading')).waitFor()
    release()
    const ways = () =>
      page
        .locator('[data-funding-source]')
        .evaluateAll((buttons) => buttons.map((button) => (button as HTMLElement).dataset['fundingSource']))
    await expect.poll(ways).toEqual(['paypal', 'bancontact'])
    const source = await page.locator('script[src*="/sdk/js"]').getAttribute('src')
    expect(Object.fromEntries(new URL(source ?? '').searchParams)).toMatchObject({
      currency: 'EUR',
      components: 'buttons',
      'enable-funding': 'bancontact',
    })
    for (const [country, offered] of [
      ['NL', ['paypal', 'ideal']],
      ['FR', ['paypal']],
    ] as const) {
      await page.getByLabel(t('cart.country.label')).selectOption(country)
      await expect.poll(ways).toEqual(offered)
    }
  })

  test.runIf(isExtended)(
    'are the provider’s page and a retry when the script cannot be loaded; the back button leads to the held order [spec 4.37, 4.40]',
    async () => {
      const { page, customer, way } = await readyToPay({ withoutScript: true, quantity: 2 })
      await page.getByText(t('checkout.scriptFailed')).waitFor()
      await page.getByRole('button', { name: t('checkout.scriptRetry') }).waitFor()
      await way.click()
      await page.waitForURL(/checkoutnow/)
      expect(page.url().startsWith(shop.paypal.url)).toBe(true)
      await page.goBack()
      const order = await onlyOrderOf(customer.id)
      await heldUntil(page, 2, order.hold_until).waitFor()
      expect(order.state).toBe('held')
    },
  )
})

test.runIf(isExtended)(
  'of more tickets than a buyer may reserve, the line offers to keep those that can be had',
  async () => {
    const { page, customer, way } = await readyToPay({ withoutScript: true, quantity: 12 })
    await way.click()
    await page.getByText(/You can reserve 10 tickets for “.*Nothing was charged\.$/).waitFor()
    await seeAccessible(page)
    await press(page, t('cart.problem.reduceTo', { count: 10 }))
    await page.getByText(t('cart.problem.capped', { available: 10 })).waitFor({ state: 'detached' })
    await expect.poll(() => way.isEnabled()).toBe(true)
    await way.click()
    await page.waitForURL(/checkoutnow/)
    expect((await onlyOrderOf(customer.id)).state).toBe('held')
  },
)

test.runIf(isExtended)(
  'of many tickets without a confirmed address is refused, and the page sends the link again',
  async () => {
    const { page, customer, way } = await readyToPay({ withoutScript: true, quantity: 21, total: 1_000 })
    await shop.db
      .updateTable('users')
      .set({ email_confirmed_at: null })
      .where('id', '=', customer.id)
      .execute()
    await way.click()
    await page.getByText(/You can reserve 20 tickets, .*Nothing was charged\.$/).waitFor()
    await seeAccessible(page)
    await page.getByRole('button', { name: t('checkout.sendLink') }).dblclick()
    const answer = page.getByText(t('emailLink.sent', { email: customer.email }))
    await expect.poll(() => hasFocus(answer)).toBe(true)
    const links = shop.db.selectFrom('emails').select('id').where('kind', '=', 'confirm-email')
    expect(await links.where('recipient', '=', customer.email).execute()).toHaveLength(1)
  },
)

/** The provider's way back, as the provider has it. */
async function wayBack(orderId: string): Promise<string> {
  const ref = shop.checkout.signatures.of((await shop.orderOf(orderId)).id)
  return `/checkout/return?ref=${ref}&token=${orderId}`
}

test.runIf(isExtended)(
  'a buyer who comes back in another browser reads at the login that the payment has arrived, and after it',
  async () => {
    const { orderId, customer } = await shop.approvedOrder(1)
    const { page } = await visit()
    await page.goto(await wayBack(orderId))
    await page.getByText(t('accounts.login.payment.success')).waitFor()
    await seeAccessible(page)
    await logIn(page, t, customer)
    await page.waitForURL('**/profile/participations**')
    await seeToast(page, t('checkout.success'))
  },
)

test.runIf(isExtended)(
  'somebody who is logged in as another account is told that the order is not theirs, and nothing of it',
  async () => {
    const { orderId } = await shop.approvedOrder(1, 'pending@buyer.test')
    const { page } = await member(await wayBack(orderId), { language: 'en' })
    await page.getByText(t('checkout.outcome.otherAccountTitle')).waitFor()
  },
)

test.runIf(isExtended)(
  'a payment for which the buyer has to act at the provider leads there, and is not tried again before',
  async () => {
    const visitor = await readyToPay()
    const { page, customer } = visitor
    const tried: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/capture-payment/')) tried.push(request.method())
    })
    await approve(await beginPayment(visitor), 'action@buyer.test')
    await page.getByText(t('errors.checkout.payerAction')).waitFor()
    await page.getByRole('button', { name: t('checkout.toAct', { provider: 'PayPal' }) }).waitFor()
    expect(tried).toEqual(['POST'])
    // Meanwhile the provider's notification of the approval may try the same capture.
    await expect.poll(async () => (await onlyOrderOf(customer.id)).state).toBe('held')
  },
)

test('a payment that is refused for good says so at once', async () => {
  const visitor = await readyToPay()
  await approve(await beginPayment(visitor), 'refused@buyer.test')
  await visitor.page.getByText(t('errors.checkout.refused')).first().waitFor()
  expect(await visitor.page.getByText(t('checkout.confirming.title')).count()).toBe(0)
  expect((await onlyOrderOf(visitor.customer.id)).state).toBe('cancelled')
})

describe('a payment', () => {
  test('empties the cart, and the page goes to the participations after 2 seconds [spec 2.141, 4.27, 4.30-4.34, 7.1, 9.14]', async () => {
    const visitor = await beforeCart({ quantity: 2 })
    const { page, customer } = visitor
    await recordTimers(page, 2_000)
    await page.goto('/cart')
    const approval = await beginPayment(visitor)
    await seeAccessible(page)
    await askedWaits(page)
    await approve(approval)
    await seeTitle(page, 'Payment successful!')
    expect(await askedWaits(page)).toContain(2_000)
    // On a phone a toast would cover the numbers: the heading shows it, and this announces it.
    await page.getByRole('status').filter({ hasText: 'Payment successful!' }).waitFor()
    expect(await toast(page, 'Payment successful!').count()).toBe(0)
    await seeAccessible(page)
    expect(await page.locator('[data-badge]').count()).toBe(0)
    await runHeldTimers(page)
    await page.waitForURL('**/profile/participations**')
    const { body } = await customer.get('/api/cart/')
    expect((body as unknown as { is_empty: boolean }[])[0]?.is_empty).toBe(true)
  })

  test('a declined card sends the buyer back to choose another one, which pays [spec 4.35, 8.32]', async () => {
    const visitor = await readyToPay()
    const { page, context, offerId } = visitor
    await approve(await beginPayment(visitor), 'declined@buyer.test')
    // The provider's window opens again.
    const open = () => context.pages().find((one) => one.url().includes('checkoutnow'))
    await expect.poll(() => open()?.locator('[name="instrument"]').count()).toBeGreaterThan(0)
    const again = open() as Page
    await again.locator('[name="instrument"][value="other"]').check({ force: true })
    await again.locator('button[value="approve"]').click()
    await page.getByText(t('checkout.success')).first().waitFor()
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 1, tickets_held: 0 })
  })

  test('that is pending shows that it is confirmed, until the provider confirms it', async () => {
    const visitor = await readyToPay()
    const { page } = visitor
    await approve(await beginPayment(visitor), 'pending@buyer.test')
    await page.getByRole('heading', { name: t('checkout.confirming.title') }).waitFor()
    await seeAccessible(page)
    await providerSide(shop).decideLast('release')
    await page.getByText(t('checkout.success')).first().waitFor()
  })

  test.runIf(isExtended)(
    'whose window is closed keeps the cart and releases the tickets [spec 4.36]',
    async () => {
      const visitor = await readyToPay({ quantity: 3 })
      const { page, offerId } = visitor
      const approval = await beginPayment(visitor)
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 3 })
      await approval.close()
      await page.getByText(t('checkout.canceled')).first().waitFor()
      await expect.poll(() => shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
      const count = page.getByText(t('cart.itemCount', { count: 3 }))
      await count.first().waitFor()
    },
  )

  test.runIf(isExtended)(
    'whose window is closed after it was paid elsewhere does not say that nothing was charged',
    async () => {
      const visitor = await readyToPay()
      const { page, customer } = visitor
      const approval = await beginPayment(visitor)
      const orderId = (await onlyOrderOf(customer.id)).provider_order_id ?? ''
      await shop.paypal.approve(orderId)
      expect((await customer.capture(orderId)).status).toBe(200)
      await approval.close()
      await page.getByText(t('checkout.success')).first().waitFor()
      expect(await page.getByText(t('checkout.canceledText')).count()).toBe(0)
    },
  )

  test.runIf(isExtended)('that is cancelled at the provider leaves no open order', async () => {
    const visitor = await readyToPay()
    const { page, customer } = visitor
    const approval = await beginPayment(visitor)
    const responded = page.waitForResponse((response) => response.url().endsWith('/api/paypal/open-order/'))
    await approval.locator('button[value="cancel"], a:has-text("Cancel")').first().click()
    expect(await (await responded).json()).toBeNull()
    await expect.poll(async () => (await onlyOrderOf(customer.id)).state).toBe('cancelled')
    expect(await panel(page).count()).toBe(0)
  })

  test.runIf(isExtended)(
    'asks for more time once shortly before the reservation ends, without the buyer, who then pays',
    async () => {
      const visitor = await beforeCart()
      const { customer, page, context, faults } = visitor
      // The page looks at its deadline every few seconds: its clock is moved instead of waited for.
      await page.clock.install()
      await page.goto('/cart')
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/api/paypal/extend-hold/')) asked.push(request.postData() ?? '')
      })
      const approval = await beginPayment(visitor)
      const until = (time: Date): string => t('checkout.holdUntil', { time: timeOf(time) })
      const before = await onlyOrderOf(customer.id)
      expect(before.hold_extended).toBe(false)
      await page.getByText(until(before.hold_until)).waitFor()
      expect(asked).toEqual([])

      await page.clock.fastForward((minutes - 1) * 60_000)
      await expect.poll(() => asked).toEqual([JSON.stringify({ order_id: before.provider_order_id })])
      await expect.poll(async () => (await onlyOrderOf(customer.id)).hold_extended).toBe(true)
      const after = await onlyOrderOf(customer.id)
      expect(after.hold_until.getTime() - before.hold_until.getTime()).toBe(minutes * 60_000)
      await page.getByText(until(after.hold_until)).waitFor()

      // Near the new end there is no more time to ask for. A response would tell the page that no time has passed.
      await context.setOffline(true)
      await page.clock.fastForward((minutes * 2 - 1) * 60_000)
      await page.getByText(t('checkout.holdSoon', { minutes: 1 })).waitFor()
      expect(asked).toHaveLength(1)
      await context.setOffline(false)
      await approve(approval)
      await expect.poll(async () => (await onlyOrderOf(customer.id)).state).toBe('completed')
      expect(faults).toEqual([])
    },
  )
})

describe.each(TESTED_LANGUAGES)('a payment that fails, in %s', (language) => {
  test.runIf(isExtended)(
    'for want of an address to pay at shows that the address was not received [spec 8.28, 8.29]',
    async () => {
      const { say, page, way } = await readyToPay({ language, withoutScript: true })
      const created = {
        order_id: 'X',
        id: 'X',
        status: 'CREATED',
        payment_url: null,
        links: [],
        total: '5.93',
      }
      const body = { ...created, expires_at: new Date().toISOString() }
      await respondWith(page, '/api/paypal/create-order/', { status: 200, body })
      await way.click()
      await seeText(page, say('checkout.urlMissing'))
      await seeText(page, say('checkout.error'))
      expect(new URL(page.url()).pathname).toBe('/cart')
    },
  )

  test.runIf(isExtended)(
    'because the provider cannot make the order names the provider and the cause [spec 8.29, 8.30, 8.52]',
    async () => {
      const { say, page, way } = await readyToPay({ language })
      shop.paypal.faults.change({ http5xx: 1 })
      await way.click()
      const cause = say('errors.checkout.providerDown')
      await seeText(page, say('checkout.startFailed', { provider: 'PayPal', cause }))
      await seeText(page, say('checkout.error'))
      shop.paypal.faults.clear()
      await seeAccessible(page)
    },
  )

  test.runIf(isExtended)(
    'because somebody cannot take part says so: an account of staff, then a payer who is excluded',
    async () => {
      const ready = await readyToPay({ language })
      const { say, page, way, customer, offerId } = ready
      const role = (is: 'support' | null) =>
        shop.db.updateTable('users').set({ role: is }).where('id', '=', customer.id).execute()
      await role('support')
      await way.click()
      const cause = say('errors.cart.staff')
      await seeText(page, say('checkout.startFailed', { provider: 'PayPal', cause }))
      await seeAccessible(page)

      await role(null)
      const { rows } = await shop.pool.query(
        `INSERT INTO excluded_payers (kind, value, digest, reason, added_by)
       VALUES ('email', 'buyer@buyer.test', sha256('buyer@buyer.test'), 'self', $1) RETURNING id`,
        [customer.id],
      )
      await approve(await beginPayment(ready))
      await page.getByText(say('errors.checkout.payerExcluded')).first().waitFor()
      await shop.pool.query('DELETE FROM excluded_payers WHERE id = $1', [rows[0].id])
      expect(await shop.counters(offerId)).toMatchObject({ tickets_sold: 0, tickets_held: 0 })
    },
  )

  test.runIf(isExtended)(
    'because the total has changed asks first, with one button in place of the ways to pay',
    async () => {
      const { say, page, way, offerId } = await readyToPay({ language })
      await shop.changeOffer(offerId, { price_cents: 1_000 })
      await way.click()
      await seeText(page, say('checkout.priceChanged.title'))
      expect(await way.isVisible()).toBe(false)
      const total = formatEur('12.10', language)
      await page.getByRole('button', { name: say('checkout.priceChanged.confirm', { total }) }).click()
      await way.waitFor()
      expect(await hasFocus(heading(page, say))).toBe(true)
      const summary = page.getByRole('region', { name: say('cart.summary') })
      await summary.getByText(total, { exact: true }).waitFor()
    },
  )

  test.runIf(isExtended)(
    'because the capture is refused shows why, even when the contest leaves the cart [spec 8.31, 8.34]',
    async () => {
      const ready = await readyToPay({ language })
      const { say, page, offerId } = ready
      await page.route('**/api/paypal/capture-payment/', async (route) => {
        await shop.changeOffer(offerId, { end_date: new Date(Date.now() - 60_000) })
        await route.continue()
      })
      await approve(await beginPayment(ready))
      await seeToast(page, say('checkout.failed'))
      await page.getByText(say('cart.empty.title')).waitFor()
      const reason = page.getByText(say('checkout.captureFailed'))
      expect(await reason.isVisible()).toBe(true)
      expect(await reason.textContent()).not.toBe(say('checkout.captureFailed'))
      expect(await shop.counters(offerId)).toMatchObject({ tickets_sold: 0 })
    },
  )

  test.runIf(isExtended)(
    'by an error of the provider’s script shows a prefix and the payment-failed toast [spec 8.33, 8.34]',
    async () => {
      const { say, page, way } = await readyToPay({ language })
      await respondWith(page, '/api/paypal/create-order/', { status: 200, body: { order_id: '' } })
      await way.click()
      const message = 'Expected an order id to be passed'
      await seeText(page, say('checkout.providerError', { provider: 'PayPal', message }))
      await seeToast(page, say('checkout.failed'))
    },
  )
})

const panel = (page: Page) => page.getByRole('region', { name: t('checkout.held.heading') })
const panelText = (page: Page, key: MessageKey) => panel(page).getByText(t(key))
const button = (page: Page, key: 'extend' | 'giveBack') =>
  panel(page).getByRole('button', { name: t(`checkout.held.${key}`, { minutes }) })
const holdNotice = (page: Page) => page.getByText(t('checkout.holdNotice', { minutes }))

const timeOf = (moment: Date): string => formatDateTime(moment.toISOString(), shop.config.timeZone).slice(-5)

/** The panel that shows so many tickets held until then. */
const heldUntil = (page: Page, count: number, until: Date) =>
  panel(page).getByText(
    `${t('checkout.held.title', { count })} ${t('checkout.held.until', { time: timeOf(until) })}`,
    {
      exact: true,
    },
  )

/** The panel counts the time that is left until then, however many the test has used up. */
const countsDown = (page: Page, until: Date) => {
  const left = async () => {
    const [minute, second] = ((await panel(page).getByRole('timer').textContent()) ?? '')
      .split(':')
      .map(Number)
    return Number(minute) * 60 + Number(second)
  }
  const away = async () => Math.abs((await left()) - (until.getTime() - Date.now()) / 1_000)
  return expect.poll(away).toBeLessThan(60)
}

const ordersOf = (userId: number) =>
  shop.db
    .selectFrom('orders')
    .select(['provider_order_id', 'hold_until', 'hold_extended', 'state'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()

const onlyOrderOf = async (userId: number) => {
  const [order, ...others] = await ordersOf(userId)
  expect(others).toEqual([])
  return order!
}

/** A customer on the cart page whose two tickets an order holds. */
async function withHeldOrder() {
  const visitor = await beforeCart({ isHeld: true, quantity: 2 })
  await visitor.page.goto('/cart')
  await button(visitor.page, 'extend').waitFor()
  return visitor
}

const released = { tickets_held: 0, tickets_sold: 0 }

describe('a held order', () => {
  test.runIf(isExtended)('is shown after a reload and in a second tab, where it is paid once', async () => {
    const visitor = await beforeCart({ quantity: 2 })
    const { page, customer, context, faults } = visitor
    const calls = callsOf(page)
    await page.goto('/cart')
    await wallet(page).waitFor()
    expect(await panel(page).count()).toBe(0)
    await holdNotice(page).waitFor()
    expect(calls.filter((call) => call.endsWith('/open-order/'))).toEqual(['GET /api/paypal/open-order/'])

    const first = await beginPayment(visitor)
    const { provider_order_id: orderId, hold_until: until } = await onlyOrderOf(customer.id)
    // The page goes first: it would take a closed window for a cancelled payment.
    await page.reload()
    await first.close()
    await heldUntil(page, 2, until).waitFor()
    await countsDown(page, until)
    // What is held keeps its deadline; the notice of a new one beside it would be wrong.
    expect(await holdNotice(page).count()).toBe(0)

    const second = await context.newPage()
    await second.goto('/cart')
    await heldUntil(second, 2, until).waitFor()
    await panel(second)
      .getByRole('link', { name: t('checkout.held.pay') })
      .click()
    expect(await hasFocus(heading(second))).toBe(true)
    const approval = await beginPayment({ page: second, context })
    expect(approval.url()).toContain(orderId)
    await approve(approval)
    await expect.poll(async () => (await onlyOrderOf(customer.id)).state).toBe('completed')
    expect(await shop.ticketCount(customer)).toBe(2)
    expect(faults).toEqual([])
  })

  test.runIf(isExtended)('is extended once, after a retry when the server cannot be reached', async () => {
    const { page, customer } = await withHeldOrder()
    const before = await onlyOrderOf(customer.id)
    await heldUntil(page, 2, before.hold_until).waitFor()
    await respondWith(page, '/api/paypal/extend-hold/', 'cut', 1)
    await button(page, 'extend').click()
    await panelText(page, 'errors.network').waitFor()
    await page.setViewportSize({ width: 360, height: 780 })
    expect(await sidewaysScroll(page)).toBe(0)
    await seeAccessible(page)
    await button(page, 'extend').click()
    const until = new Date(before.hold_until.getTime() + minutes * 60_000)
    await heldUntil(page, 2, until).waitFor()
    await panelText(page, 'checkout.held.extended').waitFor()
    expect(await panelText(page, 'errors.network').count()).toBe(0)
    expect(await button(page, 'extend').count()).toBe(0)
    expect(await hasFocus(panel(page))).toBe(true)
    expect(await onlyOrderOf(customer.id)).toMatchObject({ hold_extended: true, hold_until: until })

    await page.reload()
    await heldUntil(page, 2, until).waitFor()
    await countsDown(page, until)
    expect(await button(page, 'extend').count()).toBe(0)
  })

  test.runIf(isExtended)('shows that it cannot be extended when another tab has extended it', async () => {
    const { page, customer, orderId } = await withHeldOrder()
    await customer.post('/api/paypal/extend-hold/', { order_id: orderId })
    await button(page, 'extend').click()
    await panelText(page, 'errors.checkout.alreadyExtended').waitFor()
    await heldUntil(page, 2, (await onlyOrderOf(customer.id)).hold_until).waitFor()
    expect(await button(page, 'extend').count()).toBe(0)
  })

  test.runIf(isExtended)('is released at once; the cart stays, and is paid with a new order', async () => {
    const visitor = await withHeldOrder()
    const { page, customer, offerId } = visitor
    await button(page, 'giveBack').click()
    await panelText(page, 'checkout.held.givenBackTitle').waitFor()
    await seeAccessible(page)
    expect(await hasFocus(panel(page))).toBe(true)
    expect(await panel(page).getByRole('button').count()).toBe(0)
    expect(await shop.counters(offerId)).toEqual(released)
    expect((await onlyOrderOf(customer.id)).state).toBe('cancelled')
    await holdNotice(page).waitFor()

    await beginPayment(visitor)
    expect((await ordersOf(customer.id)).map(({ state }) => state)).toEqual(['cancelled', 'held'])
    // The window of the payment has the deadline now.
    expect(await panel(page).count()).toBe(0)
  })

  test.runIf(isExtended)('is not released while it is captured', async () => {
    const { page, orderId } = await withHeldOrder()
    // The page asks now and then, and would show the payment before the press.
    await respondWith(page, '/api/paypal/open-order/', 'cut')
    await shop.leaveCapturing(orderId)
    await button(page, 'giveBack').click()
    await panelText(page, 'checkout.held.underWay').waitFor()
    expect(await panel(page).getByRole('button').count()).toBe(0)
    expect(await shop.orderState(orderId)).toBe('capturing')
  })

  test.runIf(isExtended)('expires while it is shown: by the second, then the cart without it', async () => {
    const { page, offerId, orderId } = await beforeCart({ isHeld: true, quantity: 2 })
    const secondsLeft = `UPDATE orders SET hold_until = now() + interval '8 s' WHERE provider_order_id = $1`
    await shop.pool.query(secondsLeft, [orderId])
    await page.goto('/cart')
    await button(page, 'giveBack').focus()
    await panel(page)
      .getByRole('timer')
      .filter({ hasText: /^00:0\d$/ })
      .waitFor()
    await panelText(page, 'checkout.held.expiredTitle').waitFor()
    await seeAccessible(page)
    expect(await panel(page).getByRole('button').count()).toBe(0)
    expect(await hasFocus(panel(page))).toBe(true)
    await holdNotice(page).waitFor()
    await shop.expireHolds()
    expect(await shop.counters(offerId)).toEqual(released)
  })

  test.runIf(isExtended)(
    'that ends for the server a moment before it ends here is shown as expired',
    async () => {
      const { page, orderId } = await beforeCart({ isHeld: true })
      const ends = (at: string) =>
        shop.pool.query(`UPDATE orders SET hold_until = ${at} WHERE provider_order_id = $1`, [orderId])
      await ends(`now() + interval '60 s'`)
      await page.goto('/cart')
      await button(page, 'giveBack').waitFor()
      await page.waitForTimeout(58_500)
      await ends('now()')
      await panelText(page, 'checkout.held.expiredTitle').waitFor()
    },
  )

  test.runIf(isExtended)(
    'superseded by another device is shown as it is now, and released in its new form',
    async () => {
      const { page, customer, offerId, orderId } = await withHeldOrder()
      const other = await customer.create('NL')
      expect(await shop.orderState(orderId)).toBe('superseded')
      const asked = page.waitForResponse(/open-order/)
      await button(page, 'giveBack').click()
      expect(await (await asked).json()).toMatchObject({ order_id: other.body['order_id'] })
      await button(page, 'giveBack').click()
      await panelText(page, 'checkout.held.givenBackTitle').waitFor()
      expect(await shop.counters(offerId)).toEqual(released)
    },
  )

  test.runIf(isExtended)('is no longer shown once its cart has changed', async () => {
    const { page, customer } = await withHeldOrder()
    await press(page, t('offers.buy.more'))
    await panel(page).waitFor({ state: 'detached' })
    await expect
      .poll(async () => ((await customer.get('/api/cart/')).body as never as object[])[0])
      .toMatchObject({ items: [{ quantity: 3 }] })
    await page.reload()
    await wallet(page).waitFor()
    await holdNotice(page).waitFor()
    expect(await panel(page).count()).toBe(0)
  })

  test.runIf(isExtended)(
    'is no longer shown on return to a tab after another tab has released it',
    async () => {
      const { page, customer, orderId } = await withHeldOrder()
      await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await panel(page).waitFor({ state: 'detached' })
      await holdNotice(page).waitFor()
    },
  )

  test.runIf(isExtended)('that cannot be asked for leaves the cart to be paid', async () => {
    const { page, faults } = await beforeCart({ isHeld: true })
    await respondWith(page, '/api/paypal/open-order/', { status: 500 })
    await page.goto('/cart')
    await wallet(page).waitFor()
    await holdNotice(page).waitFor()
    expect(await panel(page).count()).toBe(0)
    expect(faults.filter((fault) => !fault.includes('500'))).toEqual([])
  })
})

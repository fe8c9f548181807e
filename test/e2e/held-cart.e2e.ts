import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { formatDateTime } from '#i18n/format.ts'
import { inEachViewport } from '../support/viewports.ts'
import { sharedStage } from '../support/stage.ts'
import { member, putIntoCart } from '../support/visits.ts'
import { answerWith } from '../support/walk.ts'
import { words } from '../support/words.ts'

const t = words('en')
const { shop, browser } = await sharedStage()
const minutes = shop.config.holdMinutes

const panel = (page: Page) => page.getByRole('region', { name: t('checkout.held.heading') })
const payButton = (page: Page) => page.locator('[data-funding-source="paypal"]').first()
const button = (page: Page, key: 'extend' | 'giveBack') =>
  panel(page).getByRole('button', { name: t(`checkout.held.${key}`, { minutes }), exact: true })
const holdNotice = (page: Page) => page.getByText(t('checkout.holdNotice', { minutes }))
const hasFocus = (page: Page) => panel(page).evaluate((place) => place === document.activeElement)

const timeOf = (moment: Date): string => formatDateTime(moment.toISOString(), shop.config.timeZone).slice(-5)

/** The panel that promises so many tickets until then. */
const promise = (page: Page, count: number, until: Date) =>
  panel(page).getByText(t('checkout.held.title', { count, time: timeOf(until) }), { exact: true })

/** The panel counts the minutes that are left until then, however many the test has used up. */
const countsDown = (page: Page, until: Date) => {
  const count = () => Math.ceil((until.getTime() - Date.now()) / 60_000)
  const left = () => panel(page).getByText(t('checkout.held.minutes', { count: count() }), { exact: true })
  return expect.poll(() => left().count()).toBe(1)
}

/** A visitor whose cart has two tickets in it; held by an order that another device has made, unless told otherwise. */
async function visitor({ held = true, clock = false } = {}) {
  const offerId = await shop.newOffer()
  const who = await member(browser, shop)
  const { customer, page } = who
  const orderId = held ? ((await customer.order(offerId, 2)).body['order_id'] as string) : ''
  if (!held) await putIntoCart(customer, offerId, 2)
  await page.evaluate(() => localStorage.setItem('billing_country', 'BE'))
  if (clock) await page.clock.install()
  return { ...who, offerId, orderId }
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

describe('a payment that was begun and left', () => {
  test('is told after a reload and in a second tab, and is gone on with there: one order, paid once', async () => {
    const { page, customer, context, faults, close } = await visitor({ held: false })
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/paypal/open-order/')) asked.push(request.method())
    })
    await page.goto('/cart')
    await payButton(page).waitFor()
    expect(await panel(page).count()).toBe(0)
    await holdNotice(page).waitFor()
    expect(asked).toEqual(['GET'])

    const first = context.waitForEvent('page')
    await payButton(page).click()
    await (await first).waitForURL(/checkoutnow/)
    const { provider_order_id: orderId, hold_until: until } = await onlyOrderOf(customer.id)
    // The page goes first: it would take a closed window for a cancelled payment.
    await page.reload()
    await (await first).close()
    await promise(page, 2, until).waitFor()
    await countsDown(page, until)
    // What is held goes on with its deadline; a promise of a new one beside it would be wrong.
    expect(await holdNotice(page).count()).toBe(0)

    const second = await context.newPage()
    await second.goto('/cart')
    await promise(second, 2, until).waitFor()
    await panel(second)
      .getByRole('link', { name: t('checkout.held.pay') })
      .click()
    const heading = second.locator('main').getByRole('heading', { name: t('checkout.heading'), exact: true })
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true)
    await payButton(second).waitFor()
    const opened = context.waitForEvent('page')
    await payButton(second).click()
    const approval = await opened
    await approval.waitForURL(/checkoutnow/)
    expect(approval.url()).toContain(orderId)
    await approval.getByText('buyer@buyer.test', { exact: true }).click()
    await approval.locator('button[value="approve"]').click()
    await expect.poll(async () => (await onlyOrderOf(customer.id)).state).toBe('completed')
    expect(await shop.ticketCount(customer)).toBe(2)
    expect(faults).toEqual([])
    await close()
  })

  test('is told to who comes back from the provider’s page by the browser’s own button', async () => {
    const { page, customer, close } = await visitor({ held: false })
    await page.route('**/sdk/js**', (route) => route.abort())
    await page.goto('/cart')
    await page.getByRole('button', { name: t('checkout.toProvider') }).click()
    await page.waitForURL(/checkoutnow/)
    await page.goBack()
    const order = await onlyOrderOf(customer.id)
    await promise(page, 2, order.hold_until).waitFor()
    expect(order.state).toBe('held')
    await close()
  })

  test('and cancelled at the provider leaves nothing to tell', async () => {
    const { page, customer, context, close } = await visitor({ held: false })
    await page.goto('/cart')
    const opened = context.waitForEvent('page')
    await payButton(page).click()
    const approval = await opened
    await approval.waitForURL(/checkoutnow/)
    const told = page.waitForResponse((answer) => answer.url().endsWith('/api/paypal/open-order/'))
    await approval.locator('button[value="cancel"], a:has-text("Cancel")').first().click()
    expect(await (await told).json()).toBeNull()
    await expect.poll(async () => (await onlyOrderOf(customer.id)).state).toBe('cancelled')
    expect(await panel(page).count()).toBe(0)
    await close()
  })
})

describe('what is held', () => {
  test('is extended once, and says so', async () => {
    const { page, customer, close } = await visitor()
    await page.goto('/cart')
    const before = await onlyOrderOf(customer.id)
    await promise(page, 2, before.hold_until).waitFor()
    await button(page, 'extend').click()
    const until = new Date(before.hold_until.getTime() + minutes * 60_000)
    await promise(page, 2, until).waitFor()
    await panel(page).getByText(t('checkout.held.extended')).waitFor()
    expect(await button(page, 'extend').count()).toBe(0)
    expect(await hasFocus(page)).toBe(true)
    expect(await onlyOrderOf(customer.id)).toMatchObject({ hold_extended: true, hold_until: until })

    await page.reload()
    await promise(page, 2, until).waitFor()
    await countsDown(page, until)
    expect(await button(page, 'extend').count()).toBe(0)
    await close()
  })

  test('says why it cannot be extended: another tab was first', async () => {
    const { page, customer, orderId, close } = await visitor()
    await page.goto('/cart')
    await button(page, 'extend').waitFor()
    await customer.post('/api/paypal/extend-hold/', { order_id: orderId })
    await button(page, 'extend').click()
    await panel(page).getByText(t('errors.checkout.alreadyExtended')).waitFor()
    await promise(page, 2, (await onlyOrderOf(customer.id)).hold_until).waitFor()
    expect(await button(page, 'extend').count()).toBe(0)
    await close()
  })

  test('stays as it is when the server cannot be reached, and can be tried again', async () => {
    const { page, customer, close } = await visitor()
    await page.goto('/cart')
    await button(page, 'extend').waitFor()
    await answerWith(page, '/api/paypal/extend-hold/', 'cut', 1)
    await button(page, 'extend').click()
    await panel(page).getByText(t('errors.network')).waitFor()
    await button(page, 'extend').click()
    await panel(page).getByText(t('checkout.held.extended')).waitFor()
    expect(await panel(page).getByText(t('errors.network')).count()).toBe(0)
    expect((await onlyOrderOf(customer.id)).hold_extended).toBe(true)
    await close()
  })

  test('is given back at once; the cart stays, and is paid with a new order', async () => {
    const { page, customer, offerId, context, close } = await visitor()
    await page.goto('/cart')
    await button(page, 'giveBack').click()
    await panel(page).getByText(t('checkout.held.givenBackTitle'), { exact: true }).waitFor()
    expect(await hasFocus(page)).toBe(true)
    expect(await panel(page).getByRole('button').count()).toBe(0)
    expect(await shop.counters(offerId)).toEqual({ tickets_held: 0, tickets_sold: 0 })
    expect((await onlyOrderOf(customer.id)).state).toBe('cancelled')
    await holdNotice(page).waitFor()

    const opened = context.waitForEvent('page')
    await payButton(page).click()
    await (await opened).waitForURL(/checkoutnow/)
    expect((await ordersOf(customer.id)).map(({ state }) => state)).toEqual(['cancelled', 'held'])
    // The window of the payment has the deadline now.
    expect(await panel(page).count()).toBe(0)
    await close()
  })

  test('is not given back while it is being paid', async () => {
    const { page, orderId, close } = await visitor()
    await page.goto('/cart')
    await button(page, 'giveBack').waitFor()
    await shop.leaveCapturing(orderId)
    await button(page, 'giveBack').click()
    await panel(page).getByText(t('checkout.held.underWay')).waitFor()
    expect(await panel(page).getByRole('button').count()).toBe(0)
    expect(await shop.orderState(orderId)).toBe('capturing')
    await close()
  })

  test('expires before the buyer’s eyes: the last minute in seconds, then the cart as without it', async () => {
    const { page, offerId, orderId, close } = await visitor({ clock: true })
    await page.goto('/cart')
    await button(page, 'extend').waitFor()
    await button(page, 'giveBack').focus()
    await page.clock.fastForward((minutes - 1) * 60_000)
    await panel(page)
      .getByText(/^\d+ seconds? left\.$/)
      .waitFor()
    await shop.pool.query(`UPDATE orders SET hold_until = now() WHERE provider_order_id = $1`, [orderId])
    await page.clock.fastForward(60_000)
    await panel(page).getByText(t('checkout.held.expiredTitle'), { exact: true }).waitFor()
    expect(await panel(page).getByRole('button').count()).toBe(0)
    expect(await hasFocus(page)).toBe(true)
    await holdNotice(page).waitFor()
    await shop.expireHolds()
    expect(await shop.counters(offerId)).toEqual({ tickets_held: 0, tickets_sold: 0 })
    await close()
  })

  test('that another device has ordered anew is told as it is now, and not as given back', async () => {
    const { page, customer, offerId, orderId, close } = await visitor()
    await page.goto('/cart')
    await button(page, 'giveBack').waitFor()
    const other = await customer.post('/api/paypal/create-order/', { country_code: 'NL' })
    expect(await shop.orderState(orderId)).toBe('superseded')
    const asked = page.waitForResponse(/open-order/)
    await button(page, 'giveBack').click()
    expect(await (await asked).json()).toMatchObject({ order_id: other.body['order_id'] })
    await button(page, 'giveBack').click()
    await panel(page).getByText(t('checkout.held.givenBackTitle'), { exact: true }).waitFor()
    expect(await shop.counters(offerId)).toEqual({ tickets_held: 0, tickets_sold: 0 })
    await close()
  })

  test('of a cart that has changed since is not promised to the new one', async () => {
    const { page, customer, close } = await visitor()
    await page.goto('/cart')
    await button(page, 'extend').waitFor()
    await page.getByRole('button', { name: t('offers.buy.more') }).click()
    await panel(page).waitFor({ state: 'detached' })
    await expect
      .poll(async () => ((await customer.get('/api/cart/')).body as never as object[])[0])
      .toMatchObject({ items: [{ quantity: 3 }] })
    await page.reload()
    await payButton(page).waitFor()
    await holdNotice(page).waitFor()
    expect(await panel(page).count()).toBe(0)
    await close()
  })

  test('and given back in another tab is no longer shown to who comes back to this one', async () => {
    const { page, customer, orderId, close } = await visitor()
    await page.goto('/cart')
    await button(page, 'extend').waitFor()
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await panel(page).waitFor({ state: 'detached' })
    await holdNotice(page).waitFor()
    await close()
  })

  test('is nobody else’s: the next account in the same browser is told of nothing', async () => {
    const { offerId, close } = await visitor()
    const other = await member(browser, shop)
    await putIntoCart(other.customer, offerId, 2)
    const told = other.page.waitForResponse((answer) => answer.url().endsWith('/api/paypal/open-order/'))
    await other.page.goto('/cart')
    expect(await (await told).json()).toBeNull()
    expect(await panel(other.page).count()).toBe(0)
    await other.close()
    await close()
  })

  test('leaves the cart to be paid when the server does not tell of it', async () => {
    const { page, faults, close } = await visitor()
    await answerWith(page, '/api/paypal/open-order/', { status: 500 })
    await page.goto('/cart')
    await payButton(page).waitFor()
    await holdNotice(page).waitFor()
    expect(await panel(page).count()).toBe(0)
    expect(faults.filter((fault) => !fault.includes('500'))).toEqual([])
    await close()
  })
})

test('looks right in each state: held, refused, given back, expired', async () => {
  await inEachViewport(
    browser,
    shop,
    async ({ page, t: say, press, check }) => {
      await page.clock.install()
      const place = page.getByRole('region', { name: say('checkout.held.heading') })
      await page.goto('/cart')
      await place.getByRole('button').first().waitFor()
      await check('held')
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
      expect(scrollWidth).toBe(clientWidth)
      await answerWith(page, '/api/paypal/extend-hold/', 'cut', 1)
      await place.getByRole('button', { name: say('checkout.held.extend', { minutes }) }).click()
      await place.getByText(say('errors.network')).waitFor()
      await check('not extended')
      // The server still holds them; a page that cannot ask it goes by its own clock.
      await answerWith(page, '/api/paypal/open-order/', 'cut', 1)
      await page.clock.fastForward(minutes * 60_000)
      await place.getByText(say('checkout.held.expiredTitle')).waitFor()
      await check('expired')
      await page.reload()
      await press('checkout.held.giveBack')
      await place.getByText(say('checkout.held.givenBackTitle')).waitFor()
      await check('given back')
    },
    async () => {
      const customer = await shop.newCustomer()
      await customer.order(await shop.newOffer(), 2)
      return customer
    },
  )
})

test('shortly before the reservation ends the page asks for more time by itself, once, and the buyer pays', async () => {
  const visitor = await member(browser, shop)
  const { customer, page, context } = visitor
  await putIntoCart(customer, await shop.newOffer(), 1)
  await page.evaluate(() => localStorage.setItem('billing_country', 'BE'))
  // The page looks at its deadline every few seconds: its clock is moved instead of waited for.
  await page.clock.install()
  await page.goto('/cart')
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/paypal/extend-hold/')) asked.push(request.postData() ?? '')
  })
  const opened = context.waitForEvent('page')
  await page.locator('[data-funding-source="paypal"]').first().click()
  const approval = await opened
  await approval.waitForURL(/checkoutnow/)

  const until = (time: Date): string =>
    t('checkout.holdUntil', { time: formatDateTime(time.toISOString(), shop.config.timeZone).slice(-5) })
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

  // Near the new end there is no more time to ask for.
  await page.clock.fastForward(minutes * 60_000)
  await page.getByText(t('checkout.holdSoon', { minutes: 1 })).waitFor()
  expect(asked).toHaveLength(1)

  await approval.getByText('buyer@buyer.test', { exact: true }).click()
  await approval.locator('button[value="approve"]').click()
  await expect.poll(async () => (await onlyOrderOf(customer.id)).state).toBe('completed')
  expect(visitor.faults).toEqual([])
  await visitor.close()
})

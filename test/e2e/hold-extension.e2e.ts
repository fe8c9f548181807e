import { expect, test } from 'vitest'
import { formatDateTime } from '#i18n/format.ts'
import { member, putIntoCart } from '../support/visits.ts'
import { words } from '../support/words.ts'
import { openStage } from '../support/stage.ts'

const { shop, browser } = await openStage()

const orderOf = (userId: number) =>
  shop.db
    .selectFrom('orders')
    .select(['provider_order_id', 'hold_until', 'hold_extended', 'state'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()

test('shortly before the reservation ends the page asks for more time by itself, once, and the buyer pays', async () => {
  const t = words('en')
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
  const before = await orderOf(customer.id)
  expect(before.hold_extended).toBe(false)
  await page.getByText(until(before.hold_until)).waitFor()
  expect(asked).toEqual([])

  const minutes = shop.config.holdMinutes
  await page.clock.fastForward((minutes - 1) * 60_000)
  await expect.poll(() => asked).toEqual([JSON.stringify({ order_id: before.provider_order_id })])
  await expect.poll(async () => (await orderOf(customer.id)).hold_extended).toBe(true)
  const after = await orderOf(customer.id)
  expect(after.hold_until.getTime() - before.hold_until.getTime()).toBe(minutes * 60_000)
  await page.getByText(until(after.hold_until)).waitFor()

  // Near the new end there is no more time to ask for.
  await page.clock.fastForward(minutes * 60_000)
  await page.getByText(t('checkout.holdSoon', { minutes: 1 })).waitFor()
  expect(asked).toHaveLength(1)

  await approval.getByText('buyer@buyer.test', { exact: true }).click()
  await approval.locator('button[value="approve"]').click()
  await expect.poll(async () => (await orderOf(customer.id)).state).toBe('completed')
  expect(visitor.faults).toEqual([])
  await visitor.close()
})

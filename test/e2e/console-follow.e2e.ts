import { expect, test } from 'vitest'
import { consoleOf } from '../support/console.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const { shop } = stage
const open = consoleOf(stage)

test('Today asks at intervals while its live connection is refused, and seldom tries that again', async () => {
  const t = words('en')
  const { page } = await open('/account', { language: 'en', role: 'manager' })
  let tries = 0
  await page.route('**/api/staff/today/live/', (route) => {
    tries += 1
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': '60' },
      contentType: 'application/json',
      body: JSON.stringify({ detail: 'Too many requests.', code: 'limit.liveConnections' }),
    })
  })
  await page.clock.install()
  await page.goto('/admin/')
  const orders = page
    .locator('main dl div')
    .filter({ hasText: t('console.today.orders') })
    .locator('dd')
  await expect.poll(() => orders.textContent()).toBe('0')
  await page.clock.fastForward(11_000)
  await page.getByText(t('console.today.liveOff')).waitFor()
  await shop.paidOrder(1)
  await page.clock.fastForward(16_000)
  await expect.poll(() => orders.textContent()).toBe('1')
  expect(tries).toBe(1)
  for (let minute = 0; minute < 10; minute += 1) await page.clock.runFor(60_000)
  await expect.poll(() => tries).toBeGreaterThan(1)
  expect(tries).toBeLessThan(5)
})

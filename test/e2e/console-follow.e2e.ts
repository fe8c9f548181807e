import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { shownOrderNumber } from '#shared/order-number.ts'
import { consoleOf, lookAgain } from '../support/console.ts'
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

const placeOf = (page: Page, name: string) =>
  page
    .locator('main tbody tr', { hasText: name })
    .evaluate((row) => Math.round(row.getBoundingClientRect().top))

test('a list follows what happens, and neither rows, nor scroll position, selection, focus nor filters move', async () => {
  const t = words('en')
  const made: Awaited<ReturnType<typeof shop.paidOrder>>[] = []
  for (let count = 0; count < 30; count += 1) made.push(await shop.paidOrder(1))
  const [last] = made.toReversed()
  const { page } = await open('/orders?state=completed', { language: 'en' })
  const number = (one: (typeof made)[number] | undefined) => shownOrderNumber(one!.ours.number)
  const middle = number(made[12])
  const box = page.getByRole('checkbox', { name: t('consoleOrders.list.select', { number: middle }) })
  await box.check()
  await box.scrollIntoViewIfNeeded()
  await page.getByLabel(t('consoleOrders.list.from')).first().fill('2026-01-02')
  await box.focus()
  const read = async () => ({
    places: await Promise.all([number(made[20]), middle].map((one) => placeOf(page, one))),
    rows: await page.locator('main tbody tr').count(),
    scrolled: await page.evaluate(() => window.scrollY),
    focus: await box.evaluate((one) => one === document.activeElement),
    isChecked: await box.isChecked(),
    from: await page.getByLabel(t('consoleOrders.list.from')).first().inputValue(),
  })
  const before = await read()

  const come = await shop.paidOrder(1)
  await shop.pool.query(`UPDATE orders SET state = 'refunded' WHERE id = $1`, [made[20]!.ours.id])
  await shop.pool.query(`UPDATE users SET username = 'Renamed Buyer' WHERE id = $1`, [made[12]!.customer.id])
  await lookAgain(page)
  await page.locator('main tbody tr', { hasText: middle }).getByText('Renamed Buyer').waitFor()
  expect(await read()).toEqual(before)
  const news = page.getByText(t('console.common.news.added', { count: 1 }))
  expect(await news.textContent()).toContain(t('console.common.news.gone', { count: 1 }))
  expect(await page.getByText(number(come), { exact: true }).count()).toBe(0)

  await page.getByRole('button', { name: t('console.common.news.show') }).click()
  await page.getByRole('link', { name: number(come) }).waitFor()
  expect(await page.locator('main tbody tr').count()).toBe(before.rows)
  expect(await page.getByText(number(made[20]), { exact: true }).count()).toBe(0)
  expect(await box.isChecked()).toBe(true)
  expect(await page.locator('main tbody tr').nth(1).textContent()).toContain(number(last))
})

test('a list in a tab that nobody sees asks for nothing', async () => {
  const { page } = await open('/messages')
  await page.clock.install()
  await page.reload()
  await page.locator('main h1').waitFor()
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/staff/messages/')) asked.push(request.url())
  })
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(
      (value) => Object.defineProperty(document, 'visibilityState', { value, configurable: true }),
      state,
    )
  await page.clock.runFor(16_000)
  await expect.poll(() => asked.length).toBe(1)
  await show('hidden')
  // Each time the screen could begin and end a question.
  for (let times = 0; times < 4; times += 1) {
    await page.clock.runFor(16_000)
    await page.evaluate(async () => void (await fetch('/api/settings/')))
  }
  await show('visible')
  await lookAgain(page)
  await expect.poll(() => asked.length).toBeGreaterThan(1)
  expect(asked).toHaveLength(2)
})

test('an approval that a colleague decides stays where it stands, and the one below it does not move', async () => {
  const t = words('en')
  const [one, other] = [await shop.newStaff('manager'), await shop.newStaff('owner')]
  const ids: string[] = []
  for (const [reason, whom] of [
    ['The first that waits', one],
    ['The second that waits', other],
  ] as const) {
    const { rows } = await shop.pool.query(
      `INSERT INTO approvals (permission, subject_kind, subject, input, preview, reason, requested_by)
       VALUES ('staff.change', 'staff', $1, '{}', '{"name": "Ada", "to": "support"}', $2, $3) RETURNING id`,
      [whom.id, reason, one.id],
    )
    ids.push(rows[0].id)
  }
  const { page } = await open('/approvals', { language: 'en' })
  const below = page.locator('main li', { hasText: 'The first that waits' }).first()
  const top = () => below.evaluate((item) => item.getBoundingClientRect().top)
  await below.waitFor()
  const before = await top()
  await shop.pool.query(
    `UPDATE approvals SET decision = 'refused', decided_by = $2, decided_at = now() WHERE id = $1`,
    [ids[1], other.id],
  )
  await lookAgain(page)
  const decided = page.locator('main section').first().locator('li', { hasText: 'The second that waits' })
  await decided.getByText(t('console.approvals.state.refused', { name: other.name })).waitFor()
  expect(await decided.getByRole('button').count()).toBe(0)
  expect(Math.abs((await top()) - before)).toBeLessThan(2)
})

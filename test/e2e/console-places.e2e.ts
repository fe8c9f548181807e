import { expect, test } from 'vitest'
import { consoleOf, lookAgain, seeScreen } from '../support/console.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const { shop } = stage
const open = consoleOf(stage)

test('Back returns to the same rows, filters and place of a list, and a written email asks before it goes', async () => {
  const customers = []
  for (let count = 0; count < 70; count += 1) customers.push(await shop.newCustomer())
  const t = words('nl')
  const { page } = await open('/customers', { language: 'nl', width: 390 })
  await page.getByRole('button', { name: t('console.common.more') }).click()
  const rows = page.locator('main tbody tr')
  await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(70)
  const before = await rows.count()
  const link = rows.nth(60).getByRole('link').first()
  const name = await link.textContent()
  await link.scrollIntoViewIfNeeded()
  const scrolled = await page.evaluate(() => window.scrollY)
  expect(scrolled).toBeGreaterThan(1_000)
  await link.click()
  await page.getByRole('button', { name: t('consoleCustomers.email.do') }).waitFor()

  // A letter is not thrown away by Escape, the backdrop, the close button or Back.
  await page.getByRole('button', { name: t('consoleCustomers.email.do') }).click()
  const dialog = page.getByRole('dialog', { name: t('consoleCustomers.email.title', { name: name ?? '' }) })
  const text = dialog.locator('textarea')
  // The template has come.
  await expect.poll(() => text.inputValue()).not.toBe('')
  await text.fill('Dag, je tickets zijn onderweg.')
  const question = dialog.getByRole('alertdialog', { name: t('console.unsent.question') })
  const keep = question.getByRole('button', { name: t('console.unsent.keep') })
  const ways = [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(2, 2),
    () => dialog.getByRole('button', { name: t('console.common.close') }).click(),
  ]
  for (const way of ways) {
    await way()
    await question.waitFor()
    await page.keyboard.press('Escape')
    await keep.click()
    await expect.poll(() => question.count()).toBe(0)
    expect(await text.inputValue()).toBe('Dag, je tickets zijn onderweg.')
  }
  await page.evaluate(() => window.history.back())
  const leaving = page.getByRole('dialog', { name: t('console.unsent.question') })
  await leaving
    .getByRole('button', { name: t('console.unsent.keep') })
    .last()
    .click()
  // Escape belongs to the upper dialog until it has closed.
  await expect.poll(() => leaving.count()).toBe(0)
  expect(await text.inputValue()).toBe('Dag, je tickets zijn onderweg.')
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: t('console.unsent.drop') }).click()
  await expect.poll(() => dialog.count()).toBe(0)

  await page.goBack()
  await seeScreen(page)
  await expect.poll(() => rows.count()).toBe(before)
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(scrolled)
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(name)
})

test('an open order follows what others do, and neither that nor a break of the connection takes what somebody types', async () => {
  const { ours } = await shop.paidOrder(1)
  const other = await shop.newStaff('owner')
  const t = words('en')
  const { page } = await open(`/orders/${ours.id}`, { language: 'en' })
  const note = page.getByLabel(t('consoleOrders.order.note'))
  await note.fill('Called the buyer, who')
  await note.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(6, 6))
  const scrolled = await page.evaluate(() => window.scrollY)
  const add = (text: string) => other.post(`/api/staff/orders/${ours.id}/notes/`, { text })
  expect((await add('The bank has written.')).status).toBeLessThan(300)
  // By itself: the page asks again and again.
  await page.getByText('The bank has written.').first().waitFor()

  const failures: string[] = []
  page.on('requestfailed', (request) => failures.push(request.url()))
  await page.route('**/api/staff/**', (route) => route.abort())
  await lookAgain(page)
  await expect.poll(() => failures.length).toBeGreaterThan(0)
  await page.unroute('**/api/staff/**')
  expect((await add('And again.')).status).toBeLessThan(300)
  await lookAgain(page)
  await page.getByText('And again.').first().waitFor()
  expect(await note.inputValue()).toBe('Called the buyer, who')
  expect(
    await note.evaluate((field: HTMLTextAreaElement) => [
      field.selectionStart,
      field === document.activeElement,
    ]),
  ).toEqual([6, true])
  expect(await page.evaluate(() => window.scrollY)).toBe(scrolled)
  const [{ count }] = (
    await shop.pool.query(
      `SELECT count(*)::int FROM audit_log WHERE action = 'orders.read' AND subject = $1`,
      [ours.id],
    )
  ).rows
  expect(count).toBe(1)
})

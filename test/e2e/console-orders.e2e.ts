import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { formatEur } from '#i18n/format.ts'
import type { Language } from '#shared/languages.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { type Visitor, sidewaysScroll } from '../support/browser.ts'
import { seeAccessible } from '../support/page-checks.ts'
import type { Staff } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const { shop, visit } = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })

interface Seen extends Visitor {
  staff: Staff
  t: ReturnType<typeof words>
}

/** Opens a screen for somebody who is signed in. */
async function open(
  path: string,
  language: Language,
  width: number,
  role: StaffRole = 'owner',
): Promise<Seen> {
  const staff = await shop.newStaff(role)
  const visitor = await visit(undefined, { language, width })
  const [name = '', value = ''] = staff.cookie.split('=')
  await visitor.context.addCookies([
    { name, value, domain: 'localhost', path: '/api/staff/', httpOnly: true, sameSite: 'Strict' },
  ])
  await visitor.page.goto(`/admin${path}`)
  await visitor.page.locator('main h1').first().waitFor()
  return { ...visitor, staff, t: words(language) }
}

async function see(page: Page): Promise<void> {
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)
}

describe('The orders of the console', () => {
  test('on a desk in French: filters and views are in the address, receipts go again, a file is exported', async () => {
    const { ours, offerId } = await shop.paidOrder(20)
    const number = shownOrderNumber(ours.number)
    const { page, t, faults } = await open('/orders', 'fr', 1440)
    await page.getByLabel(t('consoleOrders.list.min')).fill('100')
    await page.getByLabel(t('consoleOrders.list.state')).selectOption('completed')
    await page.getByRole('button', { name: t('console.common.applyFilters') }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?state=completed&min=100')
    await page.getByLabel(t('consoleOrders.list.viewName')).fill('Grosses')
    await page.getByRole('button', { name: t('consoleOrders.list.saveView') }).click()
    await page.getByRole('button', { name: 'Grosses', exact: true }).waitFor()
    await page.goto('/admin/orders')
    await page.getByRole('button', { name: 'Grosses', exact: true }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?state=completed&min=100')
    await page.getByRole('checkbox', { name: t('consoleOrders.list.select', { number }) }).check()
    await see(page)
    await page.getByRole('button', { name: t('consoleOrders.list.resend'), exact: true }).click()
    await page.getByText(t('consoleOrders.list.willSend', { count: 1 })).waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('consoleOrders.list.resend') })
      .click()
    await page.getByText(t('consoleOrders.list.resent', { count: 1 })).waitFor()
    await see(page)
    await page.keyboard.press('Escape')

    // Without any column the list keeps the order itself.
    await page.goto('/admin/orders?columns=state')
    await page.getByRole('button', { name: t('consoleOrders.list.columns') }).click()
    await page.getByRole('dialog').getByLabel(t('consoleOrders.list.state')).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?columns=none')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('columnheader').allTextContents()).toHaveLength(2)

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: t('consoleOrders.list.export') }).click(),
    ])
    expect(file.suggestedFilename()).toBe('commandes.csv')
    expect(readFileSync(await file.path(), 'utf8')).toContain(`${number};`)

    // j opens the list to the keyboard; the amount needs a second person.
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: t('consoleOrders.order.title', { number }) }).waitFor()
    await page.getByRole('button', { name: t('consoleOrders.order.refund') }).click()
    await page.getByLabel(t('consoleOrders.refund.note')).fill('Comme convenu')
    await page.getByRole('button', { name: t('consoleOrders.refund.preview') }).click()
    const amount = formatEur('118.58', 'fr')
    await see(page)
    await page.getByRole('button', { name: t('consoleOrders.refund.ask', { amount }) }).click()
    await page.getByRole('link', { name: t('consoleOrders.order.openApproval') }).waitFor()
    await see(page)
    expect(await shop.orderState(ours.provider_order_id ?? '')).toBe('completed')
    expect(offerId).toBeGreaterThan(0)
    expect(faults).toEqual([])
  })
})

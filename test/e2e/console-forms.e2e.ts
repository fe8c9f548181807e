import { expect, test } from 'vitest'
import { consoleOf, tabTo } from '../support/console.ts'
import { respondWith, press } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const { shop, visit } = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })

const open = consoleOf({ shop, visit })

test('the effect of a refund is read before it is acted on, and neither Back nor a cut connection takes what was typed', async () => {
  const { ours } = await shop.paidOrder(3)
  const t = words('en')
  const { page } = await open(`/orders/${ours.id}`, { language: 'en' })
  await press(page, t('consoleOrders.order.refund'))
  const dialog = page.getByRole('dialog', { name: /Refund/ })
  const part = dialog.getByRole('radio').nth(1)
  const quantity = dialog.getByRole('spinbutton')
  const note = dialog.getByLabel(t('consoleOrders.refund.note'))
  const will = t('consoleOrders.refund.will')
  const effect = dialog.getByText(will)
  await part.check()
  await quantity.fill('4')
  await note.fill('Bought twice.')
  await note.press('Enter')
  // The browser says that there are three.
  expect(await quantity.evaluate((field: HTMLInputElement) => field.validity.rangeOverflow)).toBe(true)
  await quantity.fill('2')
  await note.press('Enter')
  await effect.waitFor()
  await expect
    .poll(() =>
      page.evaluate(() => document.activeElement?.matches('div') && document.activeElement.textContent),
    )
    .toContain(will)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')

  await press(page, t('consoleOrders.refund.back'))
  await part.waitFor()
  const typed = [await part.isChecked(), await quantity.inputValue(), await note.inputValue()]
  expect(typed).toEqual([true, '2', 'Bought twice.'])
  await quantity.fill('1')
  await press(page, t('consoleOrders.refund.preview'))
  await effect.waitFor()
  expect((await shop.pool.query('SELECT 1 FROM refunds')).rows).toEqual([])

  await respondWith(page, `/api/staff/orders/${ours.id}/refund/`, 'cut', 1)
  const send = dialog.locator('button[type=submit]')
  await tabTo(page, send)
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').getByText(t('console.common.network')).waitFor()
  await send.click()
  await dialog.waitFor({ state: 'detached' })
  expect((await shop.pool.query('SELECT 1 FROM refunds')).rows).toHaveLength(1)
})

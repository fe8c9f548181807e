import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { member, putIntoCart } from '../support/visits.ts'
import { words } from '../support/words.ts'
import { sharedStage } from '../support/stage.ts'

const t = words('en')
/** More numbers than the page shows before "show all". */
const MANY = 14

const { shop, browser } = await sharedStage()

/** The participations of a member with more numbers than they show at once. */
async function withNumbers() {
  const visit = await member(browser, shop)
  const { body } = await visit.customer.order(await shop.newOffer({ total_tickets: 100 }), MANY)
  const orderId = String(body['order_id'])
  await shop.paypal.approve(orderId, 'buyer@buyer.test')
  await visit.customer.capture(orderId)
  await visit.page.goto('/profile/participations')
  return visit
}

/** What of these can be seen. */
const seen = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).filter({ visible: true }).allInnerTexts()

const FRAME = '.frame-sidebar, .frame > div > header, .frame > div > footer, .policy-banner'

describe('on paper', () => {
  test('the participations are all numbers, and nothing that can only be pressed', async () => {
    const { page, close } = await withNumbers()
    const numbers = page.locator('main li button .font-plate')
    await page.getByText(t('tickets.count', { count: MANY })).waitFor()
    expect(await numbers.count()).toBe(12)

    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => numbers.count()).toBe(MANY)
    expect(await seen(page, 'main fieldset')).toEqual([])
    expect(await seen(page, 'main button:not(:has(.font-plate))')).toEqual([])
    expect(await seen(page, FRAME)).toEqual([])

    await page.emulateMedia({ media: 'screen' })
    await expect.poll(() => numbers.count()).toBe(12)
    await close()
  })

  test('they are all there when the browser prints, which tells the page before', async () => {
    const { page, close } = await withNumbers()
    await page.getByText(t('tickets.count', { count: MANY })).waitFor()
    const counts = await page.evaluate(() => {
      const count = () => document.querySelectorAll('main li button .font-plate').length
      window.dispatchEvent(new Event('beforeprint'))
      const printed = count()
      window.dispatchEvent(new Event('afterprint'))
      return [printed, count()]
    })
    expect(counts).toEqual([MANY, 12])
    await close()
  })

  test('the words are as dark in the dark scheme as in the light one', async () => {
    const { page, close } = await member(browser, shop)
    const colours = () =>
      page.evaluate(() => {
        const style = getComputedStyle(document.documentElement)
        const tokens = ['--ink', '--muted', '--sunken', '--success', '--success-soft', '--error']
        return tokens.map((name) => style.getPropertyValue(name))
      })
    await page.goto('/offers')
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await colours()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colours()).not.toEqual(light)
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
    expect(await colours()).toEqual(light)
    await close()
  })

  test('the cart is its lines and its sums', async () => {
    const { page, customer, close } = await member(browser, shop)
    await putIntoCart(customer, await shop.newOffer({ total_tickets: 100 }), 3)
    await page.goto('/cart')
    await page.getByRole('heading', { level: 1, name: t('cart.title') }).waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('main li input').inputValue()).toBe('3')
    expect(await seen(page, 'main button, main .pressable')).toEqual([])
    expect(await seen(page, FRAME)).toEqual([])
    expect((await seen(page, 'main dl > div')).length).toBe(3)
    await close()
  })
})

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Customer } from '../support/shop.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { respondWith, press, seeTitle, seeToast } from '../support/page-control.ts'
import { sharedStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'

const PAGE = '/profile/participations'
const t = words('en')
/** More numbers than the page shows before "show all". */
const MANY = 14

const { shop, member } = await sharedStage()
await shop.unlockTerms()

/** Has a customer buy tickets. @returns what the capture responds with */
async function buy(customer: Customer, offerId: number, quantity: number) {
  const orderId = String((await customer.order(offerId, quantity)).body['order_id'])
  await shop.paypal.approve(orderId, 'buyer@buyer.test')
  return (await customer.capture(orderId)).body
}

describe('the participations', () => {
  test('are cards by contest with status, count, end date and numbers, filtered by status [spec 2.6, 2.104-2.107, 3.25, 4.18, 4.19, 6.12]', async () => {
    const customer = await shop.newCustomer()
    const [current, past] = [await shop.newOffer(), await shop.newOffer()]
    await buy(customer, current, 3)
    await buy(customer, past, 1)
    await shop.changeOffer(current, { title_en: 'Running car' })
    await shop.changeOffer(past, { title_en: 'Past car', end_date: new Date('2026-01-02T11:30:00Z') })
    const { page } = await member(PAGE, { customer })
    const running = page.getByRole('article', { name: 'Running car' })
    await running.getByText('In progress', { exact: true }).waitFor()
    await running.getByText(t('tickets.count', { count: 3 }), { exact: true }).waitFor()
    expect(await running.getByRole('button', { name: /^Download ticket \d+ / }).count()).toBe(3)
    const over = page.getByRole('article', { name: 'Past car' })
    await over.getByText('Expired', { exact: true }).waitFor()
    expect(await over.locator('time').textContent()).toContain('02/01/2026 12:30')
    const filters = page.locator('fieldset label')
    expect(await filters.allTextContents()).toEqual(['All2', 'In progress1', 'Expired1'])
    for (const [name, expected] of [
      [/^In progress/, ['Running car']],
      [/^Expired/, ['Past car']],
      [/^All/, ['Running car', 'Past car']],
    ] as const) {
      await filters.filter({ hasText: name }).click()
      expect(await page.getByRole('article').getByRole('heading').allTextContents()).toEqual(expected)
    }
    await seeAccessible(page)
  })

  test.runIf(isExtended)(
    'show the contest’s picture where there is one, and all else without the list of contests',
    async () => {
      const customer = await shop.newCustomer()
      await buy(customer, await shop.newOffer(), 1)
      await buy(customer, await shop.newOffer({ pictures: ['fastback-front'] }), 1)
      const { page } = await member(PAGE, { customer })
      const cards = page.getByRole('article')
      // Room for a picture is kept while the list is loaded.
      const rooms = cards.locator('a[aria-hidden]')
      await rooms.locator('img').waitFor()
      expect([await cards.count(), await rooms.count()]).toEqual([2, 1])
      await respondWith(page, '/api/offers/', 'cut')
      await page.reload()
      await cards.getByRole('button').nth(1).waitFor()
      await expect.poll(() => rooms.count()).toBe(0)
      expect(await cards.count()).toBe(2)
    },
  )

  test.runIf(isExtended).each(TESTED_LANGUAGES)(
    'show that there are none, that they cannot be loaded, and that a download fails: %s [spec 2.109, 8.39, 8.43, 8.52]',
    async (language) => {
      const say = words(language)
      expect(t('tickets.empty')).toBe('No ticket found')
      const { customer, page } = await member(PAGE, { language })
      await page.getByRole('heading', { name: say('tickets.empty') }).waitFor()
      await seeAccessible(page)

      const [ticket] = (await buy(customer, await shop.newOffer(), 1))['tickets']
      const number = ticket.ticket_number as string
      await respondWith(page, '/api/tickets/user/', { status: 500 }, 1)
      await page.reload()
      await page.getByText(say('tickets.errorTitle')).waitFor()
      await seeAccessible(page)
      await page.getByText(say('errors.unexpected')).waitFor()
      await press(page, say('tickets.retry'))
      await page.locator('fieldset label').last().click()
      await page.getByRole('article').waitFor({ state: 'detached' })
      await seeAccessible(page)
      await page.locator('fieldset label').first().click()

      await respondWith(page, '/api/tickets/*/download/', { status: 500 }, 1)
      const download = page.getByRole('button', { name: say('tickets.download', { number }) })
      await download.click()
      await seeToast(page, say('tickets.downloadError', { number }), say('errors.unexpected'))
      const downloading = page.waitForEvent('download')
      await download.click()
      await downloading
      await seeToast(page, say('tickets.downloaded', { number }))
    },
  )
})

/** What of these can be seen. */
const seen = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).filter({ visible: true }).allInnerTexts()

const FRAME = '.frame-sidebar, .frame > div > header, .frame > div > footer, .policy-banner'

describe('on paper', () => {
  test.runIf(isExtended)(
    'the participations show all numbers and no controls, also when the browser announces that it prints',
    async () => {
      const customer = await shop.newCustomer()
      await buy(customer, await shop.newOffer({ total_tickets: 1_000 }), MANY)
      const { page } = await member(PAGE, { customer })
      const numbers = page.locator('main li button .font-plate')
      await page.getByText(t('tickets.count', { count: MANY })).waitFor()
      expect(await numbers.count()).toBe(12)
      const counts = await page.evaluate(() => {
        const count = () => document.querySelectorAll('main li button .font-plate').length
        window.dispatchEvent(new Event('beforeprint'))
        const printed = count()
        window.dispatchEvent(new Event('afterprint'))
        return [printed, count()]
      })
      expect(counts).toEqual([MANY, 12])

      await page.emulateMedia({ media: 'print' })
      await expect.poll(() => numbers.count()).toBe(MANY)
      expect(await seen(page, 'main fieldset')).toEqual([])
      expect(await seen(page, 'main button:not(:has(.font-plate))')).toEqual([])
      expect(await seen(page, FRAME)).toEqual([])
      await page.emulateMedia({ media: 'screen' })
      await expect.poll(() => numbers.count()).toBe(12)
    },
  )

  test('the cart shows its lines and sums, in the colours of the light scheme', async () => {
    const { page, customer } = await member()
    await customer.add(await shop.newOffer({ total_tickets: 100 }), 3)
    await page.goto('/cart')
    await seeTitle(page, t('cart.title'))
    const colours = () =>
      page.evaluate(() => {
        const style = getComputedStyle(document.documentElement)
        const tokens = ['--ink', '--muted', '--sunken', '--success', '--success-soft', '--error']
        return tokens.map((name) => style.getPropertyValue(name))
      })
    const light = await colours()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colours()).not.toEqual(light)
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
    expect(await colours()).toEqual(light)
    expect(await page.locator('main li input').inputValue()).toBe('3')
    expect(await seen(page, 'main button, main .pressable')).toEqual([])
    expect(await seen(page, FRAME)).toEqual([])
    expect((await seen(page, 'main dl > div')).length).toBe(3)
  })
})

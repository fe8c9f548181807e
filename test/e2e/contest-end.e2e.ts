import { type Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { sharedStage } from '../support/stage.ts'
import { words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'

const t = words('en')
const stage = await sharedStage()
const { shop, member } = stage

const button = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true })

/** Has the page read the figures of now, as it does every 20 seconds. */
const lookAgain = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))

test('an open contest page stops selling at the end, by the server’s clock and without a request', async () => {
  await shop.newOffer({ slug: 'ends-soon', end_date: new Date(Date.now() + 6_000) })
  const { page } = await member(undefined, { language: 'en' })
  await page.goto('/offers/ends-soon')
  await page
    .getByRole('button', { name: t('offers.buy.add') })
    .first()
    .waitFor()
  await page.route('**/api/offers/**', (route) => route.abort())
  await button(page, t('offers.card.ended')).waitFor()
  expect(await page.getByRole('button', { name: t('offers.buy.add') }).count()).toBe(0)
  expect(await page.getByRole('status').allTextContents()).toContain(t('offers.detail.endedTitle'))
})

test.runIf(isExtended)(
  'an open contest page and list learn that tickets are sold out and that the organiser stopped a contest',
  async () => {
    const [offerId] = await Promise.all([
      shop.newOffer({ slug: 'sells-out', title_en: 'Sells out', total_tickets: 1 }),
      shop.newOffer({ slug: 'stopped', title_en: 'Is stopped' }),
    ])
    const { page, context } = await member(undefined, { language: 'en' })
    const list = await context.newPage()
    await list.goto('/offers')
    await awake(list)
    await page.goto('/offers/sells-out')
    await page
      .getByRole('button', { name: t('offers.buy.add') })
      .first()
      .waitFor()
    await shop.paidOrder(1, 'buyer@buyer.test', offerId)
    await shop.pool.query(
      `UPDATE offers SET state = 'cancelled', cancelled_at = now(), cancelled_why = 'La voiture est volée.' WHERE slug = 'stopped'`,
    )
    await lookAgain(page)
    await button(page, t('offers.card.soldOut')).waitFor()
    await lookAgain(list)
    const card = (title: string) => list.getByRole('article', { name: title })
    await card('Sells out').getByText(t('offers.card.soldOut')).waitFor()
    await card('Is stopped').getByText(t('offers.card.cancelled')).waitFor()
    await page.goto('/offers/stopped')
    await page.getByText(t('offers.detail.cancelledTitle')).waitFor()
    await page.getByText('La voiture est volée.').waitFor()
  },
)

import { beforeAll, describe, expect, test } from 'vitest'
import { awake, newVisitor } from '../support/browser.ts'
import { sharedStage } from '../support/stage.ts'
import { member } from '../support/visits.ts'
import { answerWith, seeToast } from '../support/walk.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const { shop, browser } = await sharedStage()

beforeAll(async () => {
  await shop.newOffer({ slug: 'the-car', title: 'La voiture' })
})

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)

  test('offers that cannot be loaded: "Error: " and why, the list empty, and another try [spec 8.19]', async () => {
    const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 1440, language })
    const { page } = visitor
    await page.goto('/')
    await awake(page)
    await answerWith(page, '/api/offers/', { status: 500 }, 1)
    await page.getByRole('link', { name: t('home.hero.action') }).click()
    await page.getByText(t('offers.error', { message: t('errors.unexpected') }), { exact: true }).waitFor()
    expect(await page.getByRole('list', { name: t('offers.title') }).count()).toBe(0)
    await page.getByRole('button', { name: t('offers.retry') }).click()
    await page.getByRole('list', { name: t('offers.title') }).waitFor()
    await visitor.close()
  })

  test.each([
    ['an empty list', []],
    ['anything but a list', { offers: 'many' }],
  ])('%s of offers says that there are none at the moment [spec 7.13, 8.40]', async (_, body) => {
    const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 1440, language })
    const { page } = visitor
    await page.goto('/')
    await awake(page)
    await answerWith(page, '/api/offers/', { status: 200, body })
    await page.getByRole('link', { name: t('home.hero.action') }).click()
    await page.getByText(t('offers.empty'), { exact: true }).waitFor()
    await visitor.close()
  })

  test('an offer that does not exist, and one that cannot be loaded [spec 8.5, 8.17, 8.18]', async () => {
    const visitor = await member(browser, shop, { language })
    const { page } = visitor
    await page.goto('/offers/nowhere')
    await page.getByRole('heading', { name: t('errors.offer.notFound') }).waitFor()
    await answerWith(page, '/api/offers/the-car/', 'cut', 1)
    await page.goto('/offers/the-car')
    await page.getByText(t('errors.network')).waitFor()
    await page.getByRole('button', { name: t('offers.retry') }).click()
    await page
      .getByRole('button', { name: t('offers.buy.add') })
      .first()
      .waitFor()
    await visitor.close()
  })

  test('no tickets, tickets that cannot be loaded, and a download that fails [spec 8.39, 8.43, 8.52]', async () => {
    const visitor = await member(browser, shop, { language })
    const { customer, page } = visitor
    await page.goto('/profile/participations')
    await page.getByText(t('tickets.empty'), { exact: true }).waitFor()

    const order = await customer.order(await shop.newOffer(), 1)
    await shop.paypal.approve(order.body['order_id'] as string, 'buyer@buyer.test')
    const [ticket] = (await customer.capture(order.body['order_id'] as string)).body['tickets']
    const number = ticket.ticket_number as string
    await answerWith(page, '/api/tickets/user/', { status: 500 }, 1)
    await page.reload()
    await page.getByText(t('tickets.errorTitle')).waitFor()
    await page.getByText(t('errors.unexpected')).waitFor()
    await page.getByRole('button', { name: t('tickets.retry') }).click()

    await answerWith(page, '/api/tickets/*/download/', { status: 500 }, 1)
    await page.getByRole('button', { name: t('tickets.download', { number }) }).click()
    await seeToast(page, t('tickets.downloadError', { number }), t('errors.unexpected'))
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: t('tickets.download', { number }) }).click()
    await downloading
    await seeToast(page, t('tickets.downloaded', { number }))
    await visitor.close()
  })
})

import pino from 'pino'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { makeRenditions } from '#features/pictures/server/index.ts'
import { refundCancelledOffers } from '#features/purchase/refunds/server/index.ts'
import { formatEur } from '#i18n/format.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { hasFocus, press, seeToast } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { isExtended } from '../support/tier.ts'
import { words } from '../support/words.ts'
import { languageName } from '#i18n/language-name.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const { shop, visit } = stage
const open = consoleOf(stage)

/** So many days ahead at noon, as a field for a time takes it. */
const START = Date.now()
const noonIn = (days: number): string =>
  `${new Date(START + days * 86_400_000).toISOString().slice(0, 10)}T12:00`

const field = (page: Page, name: string) => page.locator(`#contest-${name}`)

async function look(page: Page): Promise<void> {
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)
}

const photo = async (name: string, background: string) => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await sharp({ create: { width: 900, height: 600, channels: 3, background } })
    .jpeg()
    .toBuffer(),
})

// In the short form, first-draw.e2e.ts goes through the same screens as far as the award.
test.runIf(isExtended)(
  'the first day of somebody who has read nothing, on a phone in Dutch: from a draft to its cancellation, and who did what',
  async ({ annotate }) => {
    const t = words('nl')
    const eur = (amount: string) => formatEur(amount, 'nl')
    const { email, password, name: operator } = await shop.newStaff('owner')
    const { page, faults } = await visit('/admin/', { width: 360, language: 'nl' })
    const dialog = page.getByRole('dialog')
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    const toScreen = async (name: Parameters<typeof t>[0]): Promise<void> => {
      await press(page, t('console.frame.openMenu'))
      await dialog.getByRole('link', { name: t(name), exact: true }).click()
      await dialog.waitFor({ state: 'hidden' })
      // A screen reader goes on at the name of the screen.
      await expect.poll(() => hasFocus(page.locator('main h1'))).toBe(true)
    }
    const confirmPassword = async (): Promise<void> => {
      const typed = page.getByLabel(t('console.stepUp.password'))
      await expect.poll(() => hasFocus(typed)).toBe(true)
      await typed.fill(password)
      await press(page, t('console.common.confirm'))
    }
    const save = async (): Promise<void> => {
      await press(page, t('consoleContests.editor.save'))
      await page.getByText(t('consoleContests.editor.saved'), { exact: true }).waitFor()
    }

    await annotate('The operator signs in and makes a contest from nothing')
    await page.getByLabel(t('console.signIn.email')).fill(email)
    await page.getByLabel(t('console.signIn.password'), { exact: true }).fill(password)
    await press(page, t('console.signIn.submit'))
    await heading(t('console.today.title'))

    await toScreen('console.nav.offers')
    await page.getByRole('link', { name: t('consoleContests.list.new') }).click()
    const titled = (language: 'fr' | 'nl'): string =>
      t('consoleContests.named', {
        field: t('consoleContests.fields.title'),
        language: languageName(language, 'nl'),
      })
    await page.getByLabel(titled('fr')).fill('Été en Renault 4')
    await page.getByLabel(titled('nl')).fill('Zomer in een Renault 4')
    await press(page, t('consoleContests.create.submit'))
    await heading('Zomer in een Renault 4')
    expect(await field(page, 'slug').inputValue()).toBe('ete-en-renault-4')
    const left = (count: number): Promise<void> =>
      page.getByText(t('consoleContests.checklist.left', { count }), { exact: true }).waitFor()
    await left(9)
    await look(page)

    await annotate('The operator completes what the checklist asks for, with two pictures')
    // The checklist is below everything on a phone; a link of it leads to the field in its language.
    await page.getByRole('link', { name: t('consoleContests.checklist.count', { count: 9 }) }).click()
    const english = languageName('en', 'nl')
    const item = t('consoleContests.checklist.items.titles')
    await page
      .getByRole('link', { name: t('consoleContests.checklist.inLanguages', { item, languages: english }) })
      .click()
    await expect.poll(() => hasFocus(field(page, 'title_en'))).toBe(true)
    await field(page, 'title_en').fill('Summer in a Renault 4')
    await field(page, 'description_en').fill('A small car for long roads.')
    for (const [language, text] of [
      ['nl', 'Een kleine auto voor lange wegen.'],
      ['fr', 'Une petite voiture pour les longues routes.'],
    ] as const) {
      await page
        .getByRole('button', { name: languageName(language, 'nl') })
        .first()
        .click()
      await field(page, language === 'fr' ? 'description' : 'description_nl').fill(text)
    }
    await field(page, 'ticket_price').fill('4,90')
    await page.getByText('5,93').first().waitFor()
    await field(page, 'total_tickets').fill('10.000')
    await field(page, 'prize_value').fill('12500')
    await field(page, 'prize_year').fill('1975')
    await field(page, 'prize_zero_to_100').fill('32,55')
    await field(page, 'end_date').fill('2027-03-28T02:30')
    await press(page, t('consoleContests.editor.save'))
    await page.getByText(t('consoleContests.faults.timeSkipped')).waitFor()
    await page.getByText(t('consoleContests.faults.zeroTo100')).waitFor()
    await field(page, 'prize_zero_to_100').fill('32,5 s')
    await field(page, 'end_date').fill(noonIn(20))
    await field(page, 'draw_at').fill(noonIn(22))
    await save()
    await left(2)

    const pictures = page.locator('#contest-pictures')
    await pictures
      .locator('input[type=file][multiple]')
      .setInputFiles([await photo('voor.jpg', '#356'), await photo('achter.jpg', '#653')])
    await expect.poll(() => pictures.locator('ol > li').count()).toBe(2)
    for (const [index, text] of ['Renault 4, voorkant', 'Renault 4, achterkant'].entries())
      for (const language of LANGUAGES)
        await pictures.locator('ol > li').nth(index).getByLabel(languageName(language, 'nl')).fill(text)
    await pictures.getByRole('heading').first().click()
    await pictures.getByText(t('consolePictures.status.saved')).waitFor()
    // As the worker does.
    await makeRenditions({ db: shop.db, log: pino({ level: 'silent' }) })
    await left(0)

    await annotate('The operator sees the contest before anybody else, and publishes it')
    const languages = page.getByRole('group', { name: t('consoleContests.preview.language'), exact: true })
    await languages.getByRole('button', { name: languageName('en', 'nl') }).click()
    await page.frameLocator('iframe').getByText('A small car for long roads.').waitFor()
    await press(page, t('consoleContests.publish.button'))
    await dialog.getByText(t('consoleContests.publish.visibleNow')).waitFor()
    await look(page)
    await press(page, t('consoleContests.publish.confirmNow'))
    await seeToast(page, t('consoleContests.publish.doneNow'))
    // The button that had the focus is gone.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
    const visitor = await visit('/offers', { language: 'nl' })
    await visitor.page.getByRole('heading', { name: 'Zomer in een Renault 4' }).waitFor()

    await annotate('Two people buy, and one of them writes a message')
    const { rows } = await shop.pool.query(`SELECT id FROM offers WHERE slug = 'ete-en-renault-4'`)
    const { customer, ours, captureId } = await shop.paidOrder(3, undefined, rows[0].id)
    await shop.paidOrder(1, undefined, rows[0].id)
    await shop.anonymous('POST', '/api/v1.0/email/send', {
      user_id: 'volant',
      service_id: 'volant',
      template_id: 'contact-nl',
      template_params: {
        user_name: 'Jo Peeters',
        user_email: customer.email,
        message: 'Eén ticket te veel!',
      },
    })
    await toScreen('console.nav.today')
    await page.getByText(eur('23.72')).first().waitFor()

    await annotate('The operator replies to the message')
    await page.getByRole('link', { name: t('console.today.messages', { count: 1 }) }).click()
    await page.getByRole('link', { name: 'Jo Peeters' }).click()
    await page.getByText('Eén ticket te veel!').waitFor()
    const text = page.getByLabel(t('consoleMessages.answer.text'), { exact: true })
    await press(page, t('consoleMessages.answer.send'))
    await page.getByText(t('consoleMessages.refusals.gap')).waitFor()
    await text.fill((await text.inputValue()).replaceAll(/\[\[.*?\]\]/g, 'We betalen je dat ticket terug.'))
    await press(page, t('consoleMessages.answer.send'))
    await seeToast(page, t('consoleMessages.answer.sent'))

    await annotate('The operator finds the order by what the receipt of PayPal says, and refunds a ticket')
    const number = shownOrderNumber(ours.number)
    await press(page, t('console.frame.palette'))
    await dialog.getByRole('combobox').fill(captureId.toLowerCase())
    await page.getByRole('option', { name: number }).click()
    await heading(t('consoleOrders.order.title', { number }))
    await page.getByText(t('consoleOrders.timeline.events.captured')).waitFor()
    await look(page)
    await press(page, t('consoleOrders.order.refund'))
    await dialog.getByRole('radio', { name: t('consoleOrders.refund.lines') }).check()
    await dialog.getByRole('spinbutton').fill('1')
    await dialog.getByLabel(t('consoleOrders.refund.note')).fill('Eén ticket te veel')
    await press(page, t('consoleOrders.refund.preview'))
    await dialog.getByText(t('consoleOrders.refund.emails.ticketsRefunded')).waitFor()
    await look(page)
    await press(page, t('consoleOrders.refund.confirm', { amount: eur('5.93') }))
    await confirmPassword()
    await page.getByText(t('consoleOrders.order.partly'), { exact: true }).waitFor()
    await page.getByText(t('consoleOrders.timeline.refunds.completed', { amount: eur('5.93') })).waitFor()
    await expect
      .poll(() => hasFocus(page.getByRole('button', { name: t('consoleOrders.order.refund') })))
      .toBe(true)

    await annotate('The operator registers two postcards of one person')
    await toScreen('console.nav.post')
    const status = page.locator('main form [role=status]')
    for (const [name, birth] of [
      ['Anna Peeters', '12041985'],
      ['Ana Peeters', '12/04/1985'],
    ] as const) {
      await page.getByLabel(t('consolePost.desk.name')).fill(name)
      await page.getByLabel(t('consolePost.desk.birth')).fill(birth)
      await page.getByLabel(t('consolePost.desk.address'), { exact: true }).fill('Kerkstraat 5')
      await page.getByLabel(t('consolePost.desk.postcode')).fill('1000')
      await page.getByLabel(t('consolePost.desk.city')).fill('Brussel')
      if (name === 'Anna Peeters') {
        await press(page, t('consolePost.desk.submit'))
        await status.getByText('Anna Peeters heeft nummer').waitFor({ state: 'attached' })
      } else await press(page, t('consolePost.similar.isSame'))
    }
    await status.getByText(t('consolePost.reasons.duplicate')).waitFor()

    await annotate('The operator asks to cancel the contest')
    await toScreen('console.nav.offers')
    await page.getByRole('link', { name: 'Zomer in een Renault 4' }).click()
    await page.getByRole('link', { name: t('consoleContests.publish.jump') }).click()
    await press(page, t('consoleContests.cancel.button'))
    await dialog.getByText(eur('17.79')).waitFor()
    await dialog.getByText(t('consoleContests.cancel.needsApproval')).waitFor()
    await dialog.getByLabel(t('consoleContests.cancel.reason')).fill('De auto is beschadigd.')
    await look(page)
    await press(page, t('consoleContests.cancel.ask'))
    await confirmPassword()
    await page.getByRole('link', { name: t('consoleContests.cancel.openApproval') }).waitFor()

    await annotate('A second person approves, and every cent goes back')
    const fr = words('fr')
    const { page: second, faults: secondFaults } = await open('/approvals', { language: 'fr' })
    await second.getByText('De auto is beschadigd.').first().waitFor()
    await second.getByText(formatEur('17.79', 'fr')).waitFor()
    await seeAccessible(second)
    await press(second, fr('console.approvals.approve'))
    await second
      .getByText(fr('console.approvals.state.approved', { name: '' }).trim())
      .first()
      .waitFor()
    expect(secondFaults).toEqual([])
    // As the worker does.
    await refundCancelledOffers(shop.checkout)
    await page.reload()
    await page.getByText(t('consoleContests.cancel.complete', { when: '' }).slice(0, 20)).waitFor()
    await look(page)

    await annotate('The operator reads who did what')
    await toScreen('console.nav.audit')
    const actions = page.locator('tbody tr')
    for (const [action, who] of [
      ['offers_create', operator],
      ['offers_publish', operator],
      ['messages_answer', operator],
      ['orders_refund', operator],
      ['post_register', operator],
      ['approvals_ask', operator],
    ] as const)
      await actions
        .filter({ hasText: t(`console.codes.actions.${action}`) })
        .filter({ hasText: who })
        .first()
        .waitFor()
    await press(page, t('console.audit.verify'))
    await page.getByText(/De keten is intact/).waitFor()
    // Refusals that the day led into on purpose.
    expect(faults.filter((fault) => !/status of (?:400|401|403|409)/.test(fault))).toEqual([])
  },
)

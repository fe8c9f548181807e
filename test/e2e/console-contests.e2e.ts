import pino from 'pino'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { makeRenditions } from '#features/pictures/server/index.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const { shop, visit } = stage
const open = consoleOf(stage)

/** So many days ahead at noon, as a field for a time takes it. */
const noonIn = (days: number): string =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T12:00`

const field = (page: Page, name: string) => page.locator(`#contest-${name}`)

async function save(page: Page, t: ReturnType<typeof words>): Promise<void> {
  await page.getByRole('button', { name: t('consoleContests.editor.save'), exact: true }).click()
  await page.getByText(t('consoleContests.editor.saved'), { exact: true }).waitFor()
}

test('somebody makes a contest from nothing on a phone in Dutch and publishes it, and a visitor sees it', async () => {
  const t = words('nl')
  const { page, faults } = await open('/offers', { role: 'manager', width: 360, language: 'nl' })
  await page.getByRole('link', { name: t('consoleContests.list.new') }).click()
  const titled = (language: 'fr' | 'nl' | 'en'): string =>
    t('consoleContests.named', {
      field: t('consoleContests.fields.title'),
      language: t(`consoleContests.languages.${language}`),
    })
  await page.getByLabel(titled('fr')).fill('Été en Renault 4')
  await page.getByLabel(titled('nl')).fill('Zomer in een Renault 4')
  await page.getByRole('button', { name: t('consoleContests.create.submit') }).click()
  await page.getByRole('heading', { level: 1, name: 'Zomer in een Renault 4' }).waitFor()
  expect(await field(page, 'slug').inputValue()).toBe('ete-en-renault-4')
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)

  const left = (count: number): Promise<void> =>
    page.getByText(t('consoleContests.checklist.left', { count }), { exact: true }).waitFor()
  await left(7)

  // A link of the checklist leads to the field in its language.
  const english = t('consoleContests.languages.en')
  await page
    .getByRole('link', {
      name: t('consoleContests.checklist.inLanguages', {
        item: t('consoleContests.checklist.items.titles'),
        languages: english,
      }),
    })
    .click()
  await expect
    .poll(() => field(page, 'title_en').evaluate((input) => input === document.activeElement))
    .toBe(true)
  await field(page, 'title_en').fill('Summer in a Renault 4')
  await field(page, 'description_en').fill('A small car for long roads.')
  await page
    .getByRole('button', { name: t('consoleContests.languages.nl') })
    .first()
    .click()
  await field(page, 'description_nl').fill('Een kleine auto voor lange wegen.')
  await page
    .getByRole('button', { name: t('consoleContests.languages.fr') })
    .first()
    .click()
  await field(page, 'description').fill('Une petite voiture pour les longues routes.')
  await save(page, t)
  await left(5)

  await field(page, 'ticket_price').fill('4,90')
  await page.getByText('5,93').first().waitFor()
  await field(page, 'total_tickets').fill('10.000')
  await field(page, 'end_date').fill('2027-03-28T02:30')
  await page.getByRole('button', { name: t('consoleContests.editor.save'), exact: true }).click()
  await page.getByText(t('consoleContests.faults.timeSkipped')).waitFor()
  await field(page, 'end_date').fill(noonIn(20))
  await field(page, 'draw_at').fill(noonIn(21))
  await save(page, t)
  await left(1)

  const photo = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#356' } })
    .jpeg()
    .toBuffer()
  await page
    .locator('#contest-pictures input[type=file]')
    .first()
    .setInputFiles({ name: 'auto.jpg', mimeType: 'image/jpeg', buffer: photo })
  for (const language of ['fr', 'nl', 'en'] as const)
    await page
      .locator('#contest-pictures')
      .getByLabel(t(`consolePictures.alt.${language}`))
      .fill('Renault 4')
  await page.locator('#contest-pictures').getByRole('heading').first().click()
  await page.locator('#contest-pictures').getByText(t('consolePictures.status.saved')).waitFor()
  // As the worker does.
  await makeRenditions({ db: shop.db, log: pino({ level: 'silent' }) })
  await left(0)
  await seeAccessible(page)

  await page.getByRole('button', { name: t('consoleContests.publish.button') }).click()
  await page.getByRole('dialog').getByText(t('consoleContests.publish.visibleNow')).waitFor()
  await seeAccessible(page)
  await page.getByRole('button', { name: t('consoleContests.publish.confirmNow') }).click()
  await page.getByText(t('consoleContests.publish.doneNow')).waitFor()
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)
  expect(faults).toEqual([])

  const visitor = await visit('/offers', { language: 'nl' })
  await visitor.page.getByRole('heading', { name: 'Zomer in een Renault 4' }).waitFor()
})

test('two people change the same contest: fields of one join the other, and the same field is asked for', async () => {
  const t = words('en')
  const id = await shop.newOffer({ state: 'draft' })
  const [first, second] = await Promise.all([open(`/offers/${id}`), open(`/offers/${id}`, { width: 1024 })])
  await field(first.page, 'title').fill('Titre un')
  await field(first.page, 'description').fill('Description une')
  await save(first.page, t)

  await field(second.page, 'title').fill('Titre deux')
  await field(second.page, 'title_nl').fill('Titel twee')
  await second.page.getByRole('button', { name: t('consoleContests.editor.save'), exact: true }).click()
  await second.page.getByText(t('consoleContests.conflict.title')).waitFor()
  await seeAccessible(second.page)
  await second.page.getByText('Titre un', { exact: true }).waitFor()
  expect(await field(second.page, 'title').inputValue()).toBe('Titre deux')
  expect(await field(second.page, 'description').inputValue()).toBe('Description une')
  const titled = t('consoleContests.named', {
    field: t('consoleContests.fields.title'),
    language: t('consoleContests.languages.fr'),
  })
  await second.page
    .getByRole('button', { name: t('consoleContests.conflict.takeTheirsOf', { field: titled }) })
    .click()
  expect(await field(second.page, 'title').inputValue()).toBe('Titre un')
  await save(second.page, t)

  // Only another field: it is stored at once, and both changes are there.
  await field(first.page, 'draw_terms').fill('Devant huissier')
  await save(first.page, t)
  expect(await field(first.page, 'title_nl').inputValue()).toBe('Titel twee')
  const { rows } = await shop.pool.query(
    'SELECT title, title_nl, description, draw_terms FROM offers WHERE id = $1',
    [id],
  )
  expect(rows).toEqual([
    {
      title: 'Titre un',
      title_nl: 'Titel twee',
      description: 'Description une',
      draw_terms: 'Devant huissier',
    },
  ])
})

test('what is not saved is asked about, kept, and offered again', async () => {
  const t = words('en')
  const id = await shop.newOffer({ state: 'draft', title_en: 'Kept contest' })
  const { page } = await open(`/offers/${id}`)
  await field(page, 'title_en').fill('Typed and not saved')
  await page.getByRole('link', { name: t('consoleContests.editor.back') }).click()
  await page.getByRole('dialog', { name: t('consoleContests.leave.title') }).waitFor()
  await page.getByRole('button', { name: t('consoleContests.leave.leave') }).click()
  await page.getByRole('link', { name: 'Kept contest' }).click()
  await page.getByRole('button', { name: t('consoleContests.kept.restore') }).click()
  expect(await field(page, 'title_en').inputValue()).toBe('Typed and not saved')
  await save(page, t)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Typed and not saved' }).waitFor()
  expect(await page.getByRole('button', { name: t('consoleContests.kept.restore') }).count()).toBe(0)
})

test('terms of a contest that somebody has entered are text, and its words can still change', async () => {
  const t = words('en')
  const { offerId } = await shop.paidOrder()
  const { page } = await open(`/offers/${offerId}`)
  await page
    .getByText(t('consoleContests.editor.lockedEntered', { when: '' }).slice(0, 20))
    .first()
    .waitFor()
  expect(await field(page, 'ticket_price').count()).toBe(0)
  expect(await field(page, 'slug').count()).toBe(0)
  await page.getByText(t('consoleContests.sales.pace')).waitFor()
  await field(page, 'description_en').fill('Still being written')
  await save(page, t)
  await seeAccessible(page)
})

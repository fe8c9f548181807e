import type { FrameLocator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { paths } from '#client/paths.ts'
import { formatDateTime } from '#i18n/format.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { press, seeToast } from '../support/page-control.ts'
import { postcard } from '../support/postcards.ts'
import { openStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'
import { languageName } from '#i18n/language-name.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const { shop } = stage
const open = consoleOf(stage)

/** So many days ahead at noon, as a field for a time takes it. */
const START = Date.now()
const noonIn = (days: number): string =>
  `${new Date(START + days * 86_400_000).toISOString().slice(0, 10)}T12:00`

const field = (page: Page, name: string) => page.locator(`#contest-${name}`)

async function save(page: Page, t: ReturnType<typeof words>): Promise<void> {
  await page.getByRole('button', { name: t('consoleContests.editor.save'), exact: true }).click()
  await page.getByText(t('consoleContests.editor.saved'), { exact: true }).waitFor()
}

test.runIf(isExtended)(
  'a draft is scheduled, taken back, duplicated and deleted; an unsold contest is cancelled at once',
  async () => {
    const t = words('en')
    const id = await shop.newOffer({
      state: 'draft',
      title_en: 'Scheduled contest',
      description: 'Une',
      description_nl: 'Een',
      description_en: 'One',
      prize_value_cents: 3_500_000,
      draw_at: new Date(Date.now() + 5 * 86_400_000),
      end_date: new Date(Date.now() + 2 * 86_400_000),
      pictures: ['fastback-front'],
    })
    const { page, faults } = await open(`/offers/${id}`, { role: 'manager' })
    const publish = async (confirm: 'confirmNow' | 'confirmScheduled'): Promise<void> => {
      await press(page, t('consoleContests.publish.button'))
      await press(page, t(`consoleContests.publish.${confirm}`))
    }
    await field(page, 'opens_at').fill(noonIn(1))
    await save(page, t)
    await publish('confirmScheduled')
    await seeToast(page, t('consoleContests.publish.doneScheduled'))
    await page.getByText(t('consoleContests.publish.opensAt', { when: '' }).slice(0, -2)).waitFor()
    await press(page, t('consoleContests.publish.unschedule'))
    await seeToast(page, t('consoleContests.publish.unscheduled'))

    await press(page, t('consoleContests.actions.duplicate'))
    await page.getByRole('dialog').getByLabel(t('consoleContests.actions.shift')).fill('7')
    await press(page, t('consoleContests.actions.duplicateTitle'))
    await seeToast(page, t('consoleContests.actions.duplicated'))
    await expect.poll(() => page.url()).not.toMatch(new RegExp(`/${id}$`))
    await expect.poll(() => field(page, 'opens_at').inputValue()).toBe(noonIn(8))
    await press(page, t('consoleContests.actions.remove'))
    await press(page, t('consoleContests.actions.removeTitle'))
    await page.getByRole('heading', { level: 1, name: t('consoleContests.list.title') }).waitFor()

    await page.getByRole('link', { name: 'Scheduled contest' }).click()
    await field(page, 'opens_at').fill('')
    await save(page, t)
    await publish('confirmNow')
    await seeToast(page, t('consoleContests.publish.doneNow'))
    await press(page, t('consoleContests.cancel.button'))
    await page.getByLabel(t('consoleContests.cancel.reason')).fill('Made twice')
    await press(page, t('consoleContests.cancel.confirm'))
    await seeToast(page, t('consoleContests.cancel.done'))
    await page.getByText(t('consoleContests.cancel.why', { reason: 'Made twice' })).waitFor()
    await seeAccessible(page)
    const { rows } = await shop.pool.query('SELECT state FROM offers ORDER BY id DESC LIMIT 1')
    expect(rows).toEqual([{ state: 'cancelled' }])
    expect(faults).toEqual([])
  },
)

/** What a page of the shop says, line by line, without what changes from second to second. */
async function saidBy(page: Page | FrameLocator, t: ReturnType<typeof words>): Promise<string[]> {
  const main = page.locator('main')
  await main.locator('h1').waitFor()
  const lines = (await main.innerText()).split('\n').filter((line) => line.trim() !== '')
  const opened = t('draws.steps.opened.name')
  const countdown = t('offers.countdown.label')
  return [
    ...lines.filter(
      (line, at) => !/\d\d:\d\d:\d\d/.test(line) && ![opened, countdown].includes(lines[at - 1] ?? ''),
    ),
    ...(await main
      .locator('img')
      .evaluateAll((pictures) => pictures.map((one) => one.getAttribute('alt') ?? ''))),
    ...(await main.locator('option').allTextContents()),
  ]
}

test('the preview shows what the pages show once the contest is published, and buys nothing', async ({
  annotate,
}) => {
  const id = await shop.newOffer({
    state: 'draft',
    title_nl: 'Blauwe cabrio',
    title_en: 'Blue convertible',
    description: 'Une voiture.\n\nBleue.',
    description_nl: 'Een auto.\n\nBlauw.',
    description_en: 'A car.\n\nBlue.',
    prize_value_cents: 3_500_000,
    max_per_person: 3,
    question: 'Deux et deux ?',
    question_nl: 'Twee en twee?',
    question_en: 'Two and two?',
    choices: ['3', '4'],
    correct_choice: '4',
    draw_terms: 'Essence non comprise.',
    draw_terms_nl: 'Zonder brandstof.',
    draw_terms_en: 'Fuel is not included.',
    end_date: new Date(Date.now() + 20 * 86_400_000),
    draw_at: new Date(Date.now() + 25 * 86_400_000),
    pictures: ['fastback-front', 'fastback-rear'],
  })

  await annotate('The manager opens the preview in the windows of three screens')
  const en = words('en')
  const { page, faults, staff } = await open(`/offers/${id}`, { role: 'manager' })
  const shown = page.frameLocator('iframe')
  const choose = (name: string): Promise<void> => press(page, name)

  // Three widths, the windows of three screens.
  const size = () => shown.locator('html').evaluate(() => [innerWidth, innerHeight])
  for (const [width, height] of [
    [768, 1024],
    [1440, 900],
    [360, 640],
  ] as const) {
    await choose(en('consoleContests.preview.pixels', { width }))
    await expect.poll(size).toEqual([width, height])
  }

  await annotate('The preview shows every page in every language')
  const previewed = new Map<string, string[]>()
  for (const language of TESTED_LANGUAGES) {
    await choose(languageName(language, 'en'))
    for (const one of ['offer', 'list', 'draw'] as const) {
      await choose(en(`consoleContests.preview.pages.${one}`))
      const heading = {
        offer: 'offers.detail.all',
        list: 'offers.title',
        draw: 'draws.terms.title',
      } as const
      await shown
        .locator('main')
        .getByText(words(language)(heading[one]))
        .first()
        .waitFor({ state: 'attached' })
      previewed.set(`${one} ${language}`, await saidBy(shown, words(language)))
      // Another page in the frame takes no focus from the console.
      expect(await page.evaluate(() => document.activeElement?.localName)).toBe('button')
    }
  }

  await annotate('The preview takes a right answer and sells nothing')
  const last = words(TESTED_LANGUAGES.at(-1)!)
  await choose(en('consoleContests.preview.pages.offer'))
  await shown.locator('select', { has: page.locator('option[value="4"]') }).selectOption('4')
  await shown.getByText(last('offers.buy.rightAnswer')).waitFor()
  await shown.getByText(last('offers.buy.perPerson', { max: 3 })).waitFor()
  await page.locator('iframe').evaluate((frame) => frame.scrollIntoView({ block: 'center' }))
  for (let more = 0; more < 2; more += 1)
    await shown.getByRole('button', { name: last('offers.buy.more') }).click()
  expect(await shown.getByRole('button', { name: last('offers.buy.more') }).isDisabled()).toBe(true)
  await shown
    .getByRole('button', { name: last('offers.buy.add') })
    .filter({ visible: true })
    .click()
  await shown.getByText(en('consoleContests.preview.noSale')).first().waitFor()
  await shown.getByRole('link', { name: last('offers.detail.all') }).click()
  expect(await shown.locator('main h1').innerText()).not.toBe(last('offers.title'))

  await annotate('The preview shows what is typed once it is saved')
  await field(page, 'title_en').fill('Green convertible')
  await page.getByText(en('consoleContests.preview.stored')).waitFor()
  await save(page, en)
  await choose(languageName('en', 'en'))
  await shown.getByRole('heading', { level: 1, name: 'Green convertible' }).waitFor()
  await field(page, 'title_en').fill('Blue convertible')
  await save(page, en)
  await seeAccessible(page)

  await annotate('The manager publishes the contest')
  const { rows } = await shop.pool.query('SELECT version, slug FROM offers WHERE id = $1', [id])
  expect(
    await staff.post(`/api/staff/offers/${id}/publish/`, { version: rows[0].version, when: 'now' }),
  ).toMatchObject({ status: 200 })
  const { slug } = rows[0]

  await annotate('A buyer sees what the preview showed')
  for (const language of TESTED_LANGUAGES) {
    const t = words(language)
    const buyer = await stage.member(paths.offer(slug), { language, width: 360 })
    await buyer.page.getByText(t('offers.buy.perPerson', { max: 3 })).waitFor()
    expect(await saidBy(buyer.page, t)).toEqual(previewed.get(`offer ${language}`))
    await buyer.page.goto(paths.draw(slug))
    // The page of the draw also has what the log brings.
    const drawn = await saidBy(buyer.page, t)
    // A draft is published at the instant of its preview.
    const today = formatDateTime(new Date(), shop.config.timeZone).slice(0, 10)
    for (const line of previewed.get(`draw ${language}`)!.filter((one) => !one.startsWith(today)))
      expect(
        drawn.filter((one) => one.startsWith(line)),
        line,
      ).not.toEqual([])
    await buyer.page.goto(paths.offers())
    const listed = await saidBy(buyer.page, t)
    for (const line of previewed.get(`list ${language}`)!) expect(listed).toContain(line)
  }
  expect(faults).toEqual([])
})

test.runIf(isExtended)(
  'two people change the same contest: fields of one join the other, and the same field is asked for',
  async () => {
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
    await second.page.getByRole('button', { name: t('consoleContests.conflict.decide') }).click()
    expect(await second.page.evaluate(() => document.activeElement?.id)).toBe('contest-conflicts')
    await second.page.getByText('Titre un', { exact: true }).waitFor()
    expect(await field(second.page, 'title').inputValue()).toBe('Titre deux')
    expect(await field(second.page, 'description').inputValue()).toBe('Description une')
    const titled = t('consoleContests.named', {
      field: t('consoleContests.fields.title'),
      language: languageName('fr', 'en'),
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
      'SELECT titles, descriptions, draw_terms_texts FROM offers WHERE id = $1',
      [id],
    )
    expect(rows).toEqual([
      {
        titles: expect.objectContaining({ fr: 'Titre un', nl: 'Titel twee' }),
        descriptions: expect.objectContaining({ fr: 'Description une' }),
        draw_terms_texts: { fr: 'Devant huissier' },
      },
    ])
  },
)

test('a contest begins with a title, and has no more tickets than a draw can take', async () => {
  const t = words('nl')
  const { page } = await open('/offers/new', { language: 'nl', width: 360 })
  await page.getByRole('button', { name: t('consoleContests.create.submit') }).click()
  await page.getByText(t('console.common.required')).waitFor()
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('La moto')
  await page.keyboard.press('Enter')
  await page.getByText(t('consoleContests.create.done')).waitFor()
  await field(page, 'total_tickets').fill('1000000000')
  await page.getByRole('button', { name: t('consoleContests.editor.save'), exact: true }).click()
  await page.getByText(t('consoleContests.faults.totalTooHigh')).waitFor()
})

test('what is not saved is asked about, kept, and offered again', async () => {
  const t = words('en')
  const id = await shop.newOffer({ state: 'draft', title_en: 'Kept contest' })
  const { page } = await open(`/offers/${id}`)
  // On a desk, where the three languages stand side by side, too.
  const counted = t('consoleContests.editor.missingIn', {
    language: languageName('nl', 'en'),
    texts: t('consoleContests.editor.missing', { count: 1 }),
  })
  await page.getByRole('listitem').filter({ hasText: counted, visible: true }).waitFor()
  await page.getByRole('group', { name: t('consoleContests.fields.choices') }).waitFor()
  await page.getByText(t('consoleContests.editor.choicesHint')).waitFor()
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

test('once somebody has entered, terms are text, and words and pictures change by two people before everybody’s eyes', async ({
  annotate,
}) => {
  const t = words('en')
  const offerId = await shop.newOffer({
    draw_at: new Date(Date.now() + 5 * 86_400_000),
    title_nl: 'Blauwe wagen',
    description_nl: 'Een blauwe wagen.',
    pictures: ['fastback-front'],
  })
  await shop.paidOrder(1, undefined, offerId)
  const clerk = await shop.newStaff('postal')
  for (let card = 0; card < 2; card += 1)
    expect((await clerk.post('/api/staff/post/entries/', postcard(offerId))).status).toBe(201)

  await annotate('The owner opens a contest that people have entered')
  const { page, faults } = await open(`/offers/${offerId}`)
  await page
    .getByText(t('consoleContests.editor.lockedEntered', { when: '' }).slice(0, 20))
    .first()
    .waitFor()
  expect(await field(page, 'ticket_price').count()).toBe(0)
  expect(await field(page, 'slug').count()).toBe(0)
  await page
    .getByText(/^€4\.90/)
    .first()
    .waitFor()
  await page.getByText(t('consoleContests.sales.pace')).waitFor()
  await page.getByText(t('console.common.paidAndPost', { paid: 1, post: 2 }), { exact: true }).waitFor()
  await page.getByText(t('console.change.notice')).waitFor()

  await annotate('The owner asks for another description, withdraws it and asks again')
  const dialog = page.getByRole('dialog')
  const ask = async (): Promise<void> => {
    await dialog.getByLabel(t('console.common.reason')).fill('A slip of the pen')
    await dialog.getByRole('button', { name: t('console.change.ask') }).click()
    await seeToast(page, t('console.change.asked'))
  }
  const rewrite = async (): Promise<void> => {
    await field(page, 'description_nl').fill('Een rode wagen.')
    await press(page, t('console.change.ask'))
    await dialog.getByText('Een blauwe wagen.').waitFor()
    await seeAccessible(page)
    await ask()
    await page.getByText(t('console.change.why', { reason: 'A slip of the pen' })).waitFor()
  }
  await rewrite()
  expect(await field(page, 'description_nl').inputValue()).toBe('Een blauwe wagen.')
  await seeAccessible(page)
  await press(page, t('console.change.withdraw'))
  await dialog.getByLabel(t('console.common.reason')).fill('Not yet')
  await dialog.getByRole('button', { name: t('console.change.withdraw') }).click()
  await seeToast(page, t('console.change.withdrawn'))
  await expect.poll(() => page.getByText(t('console.change.withdraw')).count()).toBe(0)
  await rewrite()

  await annotate('A second person sees both texts and approves')
  const second = await open('/approvals', { role: 'manager', language: 'nl', width: 360 })
  const nl = words('nl')
  await second.page.getByText('Een rode wagen.').first().waitFor()
  await second.page.getByText('Een blauwe wagen.').first().waitFor()
  expect(await sidewaysScroll(second.page)).toBe(0)
  await seeAccessible(second.page)
  const approve = async (): Promise<void> => {
    await press(second.page, nl('console.approvals.approve'))
    await seeToast(second.page, nl('console.common.done'))
  }
  await approve()

  await annotate('The owner asks for other words of a picture, and the second person approves')
  await page.reload()
  const alt = page.locator('#contest-pictures').getByLabel(languageName('nl', 'en'))
  await alt.fill('Een rode wagen van voren')
  await page.getByText(t('console.change.gathered')).waitFor()
  await page
    .locator('#contest-pictures')
    .getByRole('button', { name: t('console.change.ask') })
    .click()
  await ask()
  expect(await alt.inputValue()).not.toBe('Een rode wagen van voren')
  await second.page.reload()
  await second.page.getByText('Een rode wagen van voren').waitFor()
  await approve()
  await page.reload()
  await page.getByText(t('console.change.title')).waitFor()
  await seeAccessible(page)

  await annotate('The owner sees the same two parts in the list')
  const { rows } = await shop.pool.query('SELECT slug FROM offers WHERE id = $1', [offerId])
  await page.goto(`/admin/offers?q=${rows[0].slug}`)
  await page.getByText(t('console.common.paidAndPost', { paid: 1, post: 2 }), { exact: true }).waitFor()

  await annotate('A reader sees the changes on the page of the draw')
  const reader = await stage.visit(paths.draw(rows[0].slug), { language: 'nl', width: 360 })
  await reader.page.getByText(nl('draws.changes.notice')).waitFor()
  await reader.page.getByRole('link', { name: nl('draws.changes.see') }).click()
  const changes = reader.page.getByRole('region', { name: nl('draws.changes.title') })
  for (const text of ['Een blauwe wagen.', 'Een rode wagen.', 'Een rode wagen van voren'])
    await changes.getByText(text, { exact: true }).waitFor()
  expect(await changes.getByRole('listitem').count()).toBeGreaterThanOrEqual(2)
  expect(await sidewaysScroll(reader.page)).toBe(0)
  await seeAccessible(reader.page)

  await annotate('A member sees the changes on the page of the contest')
  // The contest's own page names both changes beside the description, and leads to them; so does what the server renders.
  const fr = words('fr')
  const member = await stage.member(paths.offer(rows[0].slug), { language: 'fr', width: 360 })
  const note = member.page.getByRole('listitem').filter({ has: member.page.locator('time') })
  expect(await note.allTextContents()).toEqual([
    expect.stringMatching(new RegExp(`· ${fr('offers.changes.pictures')}$`)),
    expect.stringMatching(new RegExp(`· ${fr('offers.changes.description')}$`)),
  ])
  expect(await sidewaysScroll(member.page)).toBe(0)
  await seeAccessible(member.page)
  const html = await (await fetch(`${shop.config.publicUrl}${paths.offer(rows[0].slug)}`)).text()
  expect(html.replaceAll('<!-- -->', '')).toContain(`· ${fr('offers.changes.description')}</li>`)
  await member.page.getByRole('link', { name: fr('offers.changes.see') }).click()
  const shown = member.page.getByRole('heading', { name: fr('draws.changes.title') })
  await expect.poll(() => shown.evaluate((heading) => heading.getBoundingClientRect().top)).toBeLessThan(640)
  expect([...faults, ...reader.faults, ...member.faults]).toEqual([])
})

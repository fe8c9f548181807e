import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Language } from '#shared/languages.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { type Visitor, sidewaysScroll } from '../support/browser.ts'
import { typeIntoPalette } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { postcard } from '../support/postcards.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const { shop, visit } = await openStage()

type Options = { role?: StaffRole; width?: number; language?: Language }

/** Opens a screen for a clerk who is signed in. */
async function open(path: string, { role = 'postal', ...options }: Options = {}) {
  const staff = await shop.newStaff(role)
  const visitor: Visitor = await visit(undefined, options)
  const [name = '', value = ''] = staff.cookie.split('=')
  const { hostname } = new URL(shop.config.publicUrl)
  await visitor.context.addCookies([
    { name, value, domain: hostname, path: '/api/staff/', httpOnly: true, sameSite: 'Strict' },
  ])
  await visitor.page.goto(`/admin${path}`)
  await visitor.page.locator('main h1').first().waitFor()
  return { ...visitor, staff }
}

/** Like words, with the number where the text has one. */
const plateOf = async (page: Page): Promise<string> =>
  (await page.locator('main form [role=status] [aria-hidden=true]').nth(1).textContent()) ?? ''

const QUESTION = { question: 'Which?', choices: ['This', 'That'], correct_choice: 'This' }

test('the desk asks for the answer in the language of the clerk', async () => {
  const offerId = await shop.newOffer({ ...QUESTION, question: 'Laquelle ?', question_nl: 'Welke?' })
  const { page } = await open('/post', { language: 'nl' })
  const t = words('nl')
  await page.getByLabel(t('consolePost.desk.contest')).selectOption({ value: String(offerId) })
  await page.getByText('Welke?', { exact: true }).waitFor()
})

test('a clerk registers a bag with the keyboard alone, each card in a few keys, and prints its letters', async ({
  annotate,
}) => {
  const t = words('fr')
  const offerId = await shop.newOffer({
    ...QUESTION,
    title: 'La bicyclette',
    end_date: new Date(Date.now() + 3_600_000),
  })

  await annotate('The clerk opens the desk from the palette')
  const { page, faults, staff } = await open('/', { language: 'fr' })
  await typeIntoPalette(page, t, 'courrier')
  await page.getByRole('option', { name: t('console.nav.post'), exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: t('consolePost.desk.title') }).waitFor()
  await page.getByLabel(t('consolePost.desk.contest')).selectOption({ value: String(offerId) })

  /** Types a card from field to field, as it is written. */
  async function type(name: string, birth: string, street: string, answer: string): Promise<void> {
    await page.getByLabel(t('consolePost.desk.name')).focus()
    for (const text of [name, birth, street, '', '1000', 'Bruxelles', undefined]) {
      if (text) await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.type(answer)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
  }

  await annotate('The clerk registers a card')
  await type('Anne Dupont', '12041985', '12 rue de la Paix', 'This')
  const status = page.locator('main form [role=status]')
  await status.getByText('Anne Dupont a le numéro').waitFor({ state: 'attached' })
  // The next card begins where the first one began.
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.id))
    .toBe(await page.getByLabel(t('consolePost.desk.name')).getAttribute('id'))
  const first = await plateOf(page)
  const [stored] = (await shop.pool.query('SELECT * FROM postal_entries WHERE offer_id = $1', [offerId])).rows
  expect(stored).toMatchObject({
    status: 'entered',
    name: 'Anne Dupont',
    date_of_birth: '1985-04-12',
    ticket_number: Number(first),
    registered_by: staff.id,
    language: 'fr',
    country: 'BE',
  })

  await annotate('The clerk registers a card with a wrong answer')
  await type('Karel Peeters', '1/2/1960', '5 Kerkstraat', 'That')
  await status.getByText(t('consolePost.reasons.wrong_answer')).waitFor()
  await expect
    .poll(() => page.getByRole('list').filter({ hasText: 'Karel' }).getByRole('listitem').count())
    .toBe(2)
  await seeAccessible(page)

  await annotate('The clerk prints the letters')
  await shop.pool.query('DELETE FROM staff_step_ups')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: t('consolePost.desk.print') }).click()
  // So many names and addresses leave after a step-up only.
  await page.getByLabel(t('console.stepUp.password')).fill(staff.password)
  await page.getByRole('button', { name: t('console.common.confirm') }).click()
  expect((await download).suggestedFilename()).toMatch(/^courriers.*\.pdf$/)
  await page.getByRole('button', { name: t('consolePost.desk.printAgain') }).waitFor()
  // The browser reports the response that asks for the step-up.
  expect(faults.filter((fault) => !fault.includes('403'))).toEqual([])
})

test.runIf(isExtended)(
  'somebody similar is shown beside the card, on a phone in Dutch; the clerk decides',
  async () => {
    const t = words('nl')
    const offerId = await shop.newOffer({ end_date: new Date(Date.now() + 1_800_000) })
    const clerk = await shop.newStaff('postal')
    const card = postcard(offerId, { date_of_birth: '1985-04-12' })
    const { body: before } = await clerk.post('/api/staff/post/entries/', card)
    const { page, faults } = await open('/post', { width: 360, language: 'nl' })
    await page.getByLabel(t('consolePost.desk.contest')).selectOption({ value: String(offerId) })
    const fill = async (name: string): Promise<void> => {
      await page.getByLabel(t('consolePost.desk.name')).fill(name)
      await page.getByLabel(t('consolePost.desk.birth')).fill('12/04/1985')
      await page.getByLabel(t('consolePost.desk.address'), { exact: true }).fill(card.address[0]!)
      await page.getByLabel(t('consolePost.desk.postcode')).fill(card.postcode)
      await page.getByLabel(t('consolePost.desk.city')).fill('Brussel')
    }
    await fill('Bernard Dupont')
    // While the clerk types, before anything is sent.
    const heading = page.getByRole('heading', { name: t('consolePost.similar.title') })
    await heading.waitFor()
    await page.getByRole('cell', { name: 'Anne Dupont' }).waitFor()
    expect(await sidewaysScroll(page)).toBe(0)
    await seeAccessible(page)
    await page.getByRole('button', { name: t('consolePost.desk.submit') }).click()
    await page.getByRole('alert').getByText(t('consolePost.refusals.similar')).waitFor()
    await expect.poll(() => heading.evaluate((one) => one === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: t('consolePost.similar.isOther') }).click()
    await page
      .locator('main form [role=status]')
      .getByText('Bernard Dupont heeft nummer')
      .waitFor({ state: 'attached' })

    await fill('Ane Dupont')
    await page
      .getByRole('button', { name: t('consolePost.similar.isSame') })
      .first()
      .click()
    await page.locator('main form [role=status]').getByText(t('consolePost.reasons.duplicate')).waitFor()
    const { rows } = await shop.pool.query(
      'SELECT name, refusal, duplicate_of, other_than FROM postal_entries WHERE offer_id = $1 ORDER BY registered_at',
      [offerId],
    )
    expect(rows.slice(1)).toEqual([
      { name: 'Bernard Dupont', refusal: null, duplicate_of: null, other_than: [before['id']] },
      { name: 'Ane Dupont', refusal: 'duplicate', duplicate_of: before['id'], other_than: [] },
    ])
    expect(faults.filter((fault) => !fault.includes('status of 409'))).toEqual([])
  },
)

describe('Every screen of the post', () => {
  test.each(
    sized({
      short: [['nl', 360]],
      extended: [
        ['nl', 360],
        ['fr', 1440],
      ],
    } as const),
  )('has no error, no accessibility fault and no sideways scroll: %s, %i pixels', async (language, width) => {
    const clerk = await shop.newStaff('postal')
    const offerId = await shop.newOffer({ ...QUESTION, total_tickets: 1_000, postal_reserve_percent: 2 })
    const { body: entry } = await clerk.post(
      '/api/staff/post/entries/',
      postcard(offerId, { answer: 'This' }),
    )
    await clerk.post(
      '/api/staff/post/entries/',
      postcard(offerId, { answer: 'That', email: 'a@person.test' }),
    )
    const { page, faults } = await open('/post', { language, width, role: 'owner' })
    // The screens without filters are in console-screens.e2e.ts, too.
    const found = '/post/entries?search=dupont&status=refused'
    for (const path of sized({
      short: [found],
      extended: ['/post', '/post/entries', found, `/post/entries/${entry['id']}`],
    })) {
      await page.goto(`/admin${path}`)
      await page.locator('main h1').first().waitFor()
      expect(await sidewaysScroll(page), path).toBe(0)
      await seeAccessible(page, {}, ['dark', 'light'])
    }
    // Wrong input is told beside its field.
    const t = words(language)
    await page.goto('/admin/post')
    await page.getByLabel(t('consolePost.desk.name')).fill('12')
    await page.getByLabel(t('consolePost.desk.birth')).fill('1985')
    await page.keyboard.press('Enter')
    await page.getByText(t('consolePost.faults.day')).waitFor()
    await page.getByLabel(t('consolePost.desk.birth')).fill('12041985')
    await page.keyboard.press('Enter')
    await page.getByText(t('consolePost.faults.noLetters')).waitFor()
    await seeAccessible(page)
    expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
  })
})

test('a card is corrected on its page, and a second person is asked to void it', async () => {
  const t = words('fr')
  const say = (name: string) => t(`consolePost.change.${name}` as Parameters<typeof t>[0])
  const card = postcard(await shop.newOffer(), { name: 'Anne Dupond', address: ['1 rue Basse'] })
  const clerk = await shop.newStaff('postal')
  await clerk.post('/api/staff/post/entries/', card)
  const { page, faults } = await open(`/post/entries/${card.id}`, {
    role: 'support',
    width: 360,
    language: 'fr',
  })
  await page.getByRole('button', { name: say('correct') }).click()
  const dialog = page.getByRole('dialog')
  const name = dialog.getByLabel(say('fields.name'), { exact: true })
  const hasFocus = (): Promise<boolean> => name.evaluate((one) => one === document.activeElement)
  expect(await hasFocus()).toBe(true)
  await name.fill('')
  await dialog.getByLabel(t('console.common.reason')).fill('Mal lu')
  await dialog.getByRole('button', { name: say('store'), exact: true }).click()
  await dialog.getByRole('alert').getByText(t('console.common.checkFields')).waitFor()
  await expect.poll(hasFocus).toBe(true)
  await name.fill('Anne Dupont')
  await seeAccessible(page)
  await dialog.getByRole('button', { name: say('store'), exact: true }).click()
  await page.getByText('Mal lu').waitFor()
  await page.getByText('Anne Dupont', { exact: true }).waitFor()

  await page.getByRole('button', { name: say('void') }).click()
  await dialog.getByText(say('toldBy.letter')).waitFor()
  await dialog.getByLabel(say('ground')).selectOption('duplicate')
  await dialog.getByLabel(t('console.common.reason')).fill('Deux cartes')
  await seeAccessible(page)
  await dialog.getByRole('button', { name: say('ask') }).click()
  await page.getByRole('link', { name: say('openApproval') }).waitFor()
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)
  expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
})

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { sidewaysScroll } from '../support/browser.ts'
import { insertDraw } from '../support/draws.ts'
import { layoutShifts } from '../support/layout-shifts.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { holdBack } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'
import type { WinnerPage } from '#features/draws/winners.contract.ts'
import { isExtended } from '../support/tier.ts'

const { shop, visit, member } = await openStage({
  env: { COMPANY_NUMBER: 'SC123456', OPERATOR_NAME: 'Ada Vermeulen', OPERATOR_WORDS: 'Come and see.' },
})
const t = words('en')

const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000 + 30_000)

/** What the data of the books says. */
async function noteCheck(broken: string[], unknown: string[]): Promise<void> {
  await shop.db
    .insertInto('invariant_checks')
    .values({ took_ms: 12, broken, unknown, checked_at: new Date('2030-01-02T03:04:00Z') })
    .execute()
}

test('a stranger finds the contest in front, the winners, proofs to repeat, and who runs the shop', async ({
  annotate,
}) => {
  await annotate('Nothing is claimed without data')
  await shop.newOffer({ slug: 'in-front', title_en: 'The one in front', end_date: inDays(2) })
  const bare = await visit('/')
  const region = (page: Page, name: string) => page.getByRole('region', { name })
  expect(await region(bare.page, t('winners.title')).count()).toBe(0)
  expect(await bare.page.getByText(t('homeBelow.fair.books.title')).count()).toBe(0)
  expect(await bare.page.getByText(t('homeBelow.fair.check.title')).count()).toBe(0)
  await bare.page.goto('/winners')
  await bare.page.getByText(t('winners.empty')).waitFor()

  await annotate('A draw and a check of the books have taken place')
  const offer = { title_en: 'A car that was won' }
  const { draw, claim } = await insertDraw(shop, { slug: 'was-won', stage: 'drawn', offer })
  await noteCheck([], [])
  const number = String(draw.results[0]!.number).padStart(2, '0')
  const { page, faults } = await visit('/', { width: 360 })

  await annotate('The first contest begins on the first screen of a phone')
  const front = region(page, 'The one in front')
  const banner = await page.getByRole('complementary', { name: t('frame.policy.title') }).boundingBox()
  const begin = await front.boundingBox()
  expect(banner!.y - begin!.y).toBeGreaterThan(100)
  await front
    .getByText(t('home.featured.left', { time: t('offers.countdown.days', { days: 2, hours: 0 }) }))
    .waitFor()
  expect(await front.getByRole('link', { name: t('home.featured.action') }).getAttribute('href')).toBe(
    '/draws/in-front',
  )

  await annotate('The wall names nobody who has not agreed, then whoever has')
  const wall = region(page, t('winners.title'))
  await wall.getByText(t('winners.plate', { number })).waitFor({ state: 'attached' })
  await wall.getByText(t('winners.unnamed')).waitFor()
  await claim()
  await expect
    .poll(async () => {
      await page.reload()
      return await wall.innerText()
    })
    .toContain(t('winners.named', { name: 'Ada', place: 'Namur' }))
  await wall.getByRole('link', { name: t('winners.checkOf', { title: 'A car that was won' }) }).waitFor()

  await annotate('One tap repeats the draw in this browser, without its code before')
  const loaded = (): Promise<number> =>
    page.evaluate(
      () =>
        performance.getEntriesByType('resource').filter(({ name }) => /worker|evidence/.test(name)).length,
    )
  expect(await loaded()).toBe(0)
  const check = page.getByRole('link', { name: t('homeBelow.fair.check.action') })
  // Until its code is there it is a link to the page that checks.
  await expect
    .poll(() => check.evaluate((link) => Object.keys(link).some((name) => name.startsWith('__reactProps'))))
    .toBe(true)
  await check.click()
  await page.getByText(t('verifyReport.verdict.passed.shop')).last().waitFor()
  await page.getByText(/^Checked in this browser, 9 steps in [\d.]+ s: log and list/).waitFor()
  expect(await loaded()).toBeGreaterThan(0)

  await annotate('The books say when they were checked, and what is wrong')
  const books = page.locator('[data-books]')
  expect(await books.innerText()).toBe(t('homeBelow.fair.books.passed', { checks: 15 }))
  await page.getByText('02/01/2030 04:04').waitFor()
  for (const [state, broken, unknown] of [
    ['unknown', [], ['I5']],
    ['failed', ['I1'], []],
  ] as const) {
    await shop.db.deleteFrom('invariant_checks').execute()
    await noteCheck([...broken], [...unknown])
    await expect
      .poll(async () => {
        await page.reload()
        return await books.innerText()
      })
      .toBe(t(`homeBelow.fair.books.${state}`, { checks: 15, passed: 14 }))
  }

  await annotate('The face of the shop leads to the register')
  const register = 'https://find-and-update.company-information.service.gov.uk/company/SC123456'
  const fair = region(page, t('homeBelow.fair.title'))
  await fair.getByText('Come and see.').waitFor()
  await fair.getByText('Ada Vermeulen').waitFor()
  for (const area of [fair, page.getByRole('contentinfo')])
    expect(await area.locator(`a[href="${register}"]`).count()).toBe(1)
  expect(await page.getByText(t('homeBelow.operator.invented')).count()).toBe(0)

  await annotate('The page of all winners is reached from the wall and the footer')
  const footer = page.getByRole('contentinfo').getByRole('link', { name: t('frame.menu.winners') })
  expect(await footer.getAttribute('href')).toBe('/winners')
  await wall.getByRole('link', { name: t('winners.all') }).click()
  await page.getByRole('heading', { level: 1, name: t('winners.title') }).waitFor()
  await page.getByRole('heading', { level: 2, name: 'A car that was won' }).waitFor()
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)
  await page.goBack()
  await wall.waitFor()
  await seeAccessible(page)
  expect(faults).toEqual([])

  await annotate('Only widths of words move, by a few pixels, when the fonts come late')
  for (const path of ['/', '/draws']) {
    const { page: late } = await visit(undefined, { width: 412 })
    const come = await holdBack(late, '/fonts/*')
    await late.goto(path, { waitUntil: 'commit' })
    await late.getByText('A car that was won').first().waitFor()
    come()
    await late.evaluate(async () => void (await document.fonts.ready))
    const { score, moved } = await layoutShifts(late)
    expect(score, moved.join('\n')).toBeLessThan(0.003)
  }
})

test.runIf(isExtended)(
  'a page that names another number than the files is caught by its own check',
  async () => {
    await insertDraw(shop, {
      slug: 'lied-about',
      stage: 'drawn',
      drawsIn: -7_200,
      offer: { title_en: 'Lied about' },
    })
    const { page } = await visit('/contact')
    const found = (await shop.anonymous('GET', '/api/winners/?limit=3')).body as unknown as WinnerPage
    const items = found.items.map((won) => ({ ...won, number: (won.number % 50) + 1 }))
    await page.route('**/api/winners/*', (route) => route.fulfill({ json: { ...found, items } }))
    await page
      .getByRole('complementary')
      .getByRole('link', { name: t('frame.menu.home') })
      .click()
    const check = page.getByRole('link', { name: t('homeBelow.fair.check.action') })
    // Until its code is there it is a link to the page that checks.
    await expect
      .poll(() => check.evaluate((link) => Object.keys(link).some((name) => name.startsWith('__reactProps'))))
      .toBe(true)
    await check.click()
    await page.getByText(t('homeBelow.fair.check.other')).last().waitFor()
  },
)

test.runIf(isExtended)('members go from the contest in front to its guarded page', async () => {
  await shop.newOffer({ slug: 'next', end_date: inDays(1) })
  const { page } = await member('/')
  const link = page.getByRole('link', { name: t('home.featured.action') }).filter({ visible: true })
  expect(await link.getAttribute('href')).toMatch(/^\/offers\//)
})

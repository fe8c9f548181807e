import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatDateTime } from '#i18n/format.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { awake, settled, sidewaysScroll } from '../support/browser.ts'
import { type DrawStage, insertDraw } from '../support/draws.ts'
import {
  COLOUR_RULES,
  announcements,
  layoutFaults,
  listen,
  smallTargets,
  violations,
} from '../support/page-checks.ts'
import { PICTURES } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const { shop, visit, member } = await openStage()
const t = words('en')

const STAGES: readonly DrawStage[] = [
  'open',
  'closed',
  'listed',
  'sealed',
  'drawn',
  'alternate',
  'awarded',
  'cancelled',
]
const CAR = {
  title: 'Gran Turismo',
  title_en: 'Gran Turismo',
  title_nl: 'Gran Turismo',
  pictures: PICTURES,
}
const made = new Map<DrawStage, Awaited<ReturnType<typeof insertDraw>>>()

beforeAll(async () => {
  for (const stage of STAGES)
    made.set(
      stage,
      await insertDraw(shop, {
        slug: `car-${stage}`,
        stage,
        isPublicChain: stage === 'open',
        offer: { ...CAR, max_per_person: 5, draw_terms: 'Essence non comprise.' },
      }),
    )
})

/** What is wrong with the look of a page, in both colour schemes. */
async function faultsOf(page: Page): Promise<string[]> {
  const light = await violations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await violations(page, { runOnly: COLOUR_RULES })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark, ...(await layoutFaults(page)), ...(await smallTargets(page))]
}

const VIEWS = sized({
  short: [{ language: 'fr', width: 360 }],
  extended: LANGUAGES.flatMap((language) => [360, 1440].map((width) => ({ language, width }))),
} as const)

const WALK = [
  '/draws',
  ...sized({
    short: ['/draws/car-open', '/draws/car-drawn', '/draws/car-sealed/live', '/draws/car-drawn/live'],
    extended: STAGES.flatMap((stage) => [`/draws/car-${stage}`, `/draws/car-${stage}/live`]),
  }),
]

describe.each(VIEWS)('in $language, $width pixels wide', ({ language, width }) => {
  test('the list, the pages of draws and their live pages have no fault', async () => {
    const { page, faults } = await visit(undefined, { language, width, reducedMotion: 'reduce' })
    const found: string[] = []
    for (const path of WALK) {
      await page.goto(path)
      await settled(page)
      found.push(...(await faultsOf(page)).map((line) => `${path}: ${line}`))
      await page.setViewportSize({ width: 320, height: 900 })
      if ((await sidewaysScroll(page)) > 0) found.push(`${path}: scrolls sideways at 320 pixels`)
      await page.setViewportSize({ width, height: 900 })
    }
    expect([...found, ...faults]).toEqual([])
  })
})

test('without scripts the list, a draw and the live page can be read', async () => {
  const { page } = await visit(undefined, { javaScriptEnabled: false })
  const { draw } = made.get('drawn')!
  const winner = String(draw.results[0]!.number).padStart(2, '0')
  await page.goto('/draws')
  const list = await page.locator('main').innerText()
  for (const stage of ['open', 'sealed', 'drawn', 'cancelled'] as const)
    expect(list).toContain(t(`draws.states.${stage}`))
  await page.goto('/draws/car-drawn')
  const text = await page.locator('main').innerText()
  for (const part of [draw.listHash, draw.results[0]!.randomness, draw.results[0]!.value, draw.root()])
    expect(text).toContain(part)
  expect(text).toContain(t('draws.plate', { number: winner }))
  const files = await page
    .locator('main a[href^="/draws/car-drawn/"]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
  expect(files).toEqual(
    expect.arrayContaining(
      [
        'list.txt',
        'provisional.txt',
        'log.txt',
        'checkpoints.txt',
        'checkpoint',
        'terms.txt',
        'car-drawn-evidence.zip',
      ].map((name) => `/draws/car-drawn/${name}`),
    ),
  )
  await page.goto('/draws/car-drawn/live')
  expect(await page.locator('main').innerText()).toContain(draw.listHash)
  expect(await page.locator('nav').count()).toBe(0)
})

test('an instant is shown in the shop’s zone, in UTC and in the reader’s zone', async () => {
  const { draw } = made.get('open')!
  const at = new Date(draw.terms.closes * 1000).toISOString()
  const { page, context } = await visit()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' })
  await page.goto('/draws/car-open')
  await settled(page)
  const steps = page.locator('section', { has: page.locator('#steps') })
  for (const shown of [
    formatDateTime(at, 'Europe/Brussels'),
    `${at.slice(0, 19).replace('T', ' ')} UTC`,
    formatDateTime(at, 'America/New_York'),
  ])
    expect(await steps.innerText()).toContain(shown)
})

test('the odds are what is true: at most before the end, exact once the list is sealed', async () => {
  const { page } = await visit('/draws/car-open')
  const region = page.getByRole('region', { name: t('draws.takePart.label') })
  expect(await region.innerText()).toContain(t('draws.odds.open', { total: 50, now: 11 }))
  const action = region.getByRole('link', { name: t('draws.takePart.action') })
  expect(await action.getAttribute('href')).toBe('/offers/car-open')
  await page.goto('/draws/car-sealed')
  expect(await region.innerText()).toContain(t('draws.odds.sealed', { valid: 10 }))
  expect(await action.count()).toBe(0)
})

test('the live page follows the draw by itself: digit after digit, announced once', async () => {
  const live = await insertDraw(shop, { slug: 'on-air', stage: 'sealed', drawsIn: 40, closesBefore: 3000 })
  const visitor = await visit(undefined, { reducedMotion: 'no-preference' })
  const { page, context, faults } = visitor
  await listen(context)
  await page.goto('/draws/on-air/live')
  await awake(page)
  const text = () => page.locator('main').innerText()
  expect(await text()).toContain(live.draw.listHash)
  const announced = async () =>
    (await announcements(page)).filter((one) => one.includes(t('draws.facts.winner')))
  expect(await announced()).toEqual([])
  await live.advance('draw')
  const { number, randomness, value } = live.draw.results[0]!
  const digits = String(number).padStart(2, '0')
  // Before a digit settles, what it is made of is there.
  await page.getByText(randomness).waitFor()
  await expect.poll(announced).toEqual([t('draws.plate', { number: digits })])
  for (const part of [randomness, value]) expect(await text()).toContain(part)
  // The page asks less often once the number is there.
  for (const move of sized({ short: [], extended: ['award'] })) {
    await live.advance(move)
    await page.getByText(t('draws.states.awarded')).waitFor()
  }
  expect(await announced()).toHaveLength(1)
  expect(faults).toEqual([])
})

test.runIf(isExtended)('an open page of a draw follows its states without a reload', async () => {
  const next = await insertDraw(shop, { slug: 'soon', stage: 'sealed', drawsIn: 30, closesBefore: 3000 })
  const { page } = await visit('/draws/soon')
  await page.evaluate(() => Object.assign(window, { isSame: true }))
  await next.advance('draw')
  const number = String(next.draw.results[0]!.number).padStart(2, '0')
  await page.getByText(t('draws.plate', { number })).waitFor()
  expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
})

test('participations show what the draw brought, with a link to verify it', async () => {
  const customer = await shop.newCustomer()
  const { draw } = await insertDraw(shop, { slug: 'mine', stage: 'drawn', owner: customer, offer: CAR })
  const { page } = await member('/profile/participations', { customer })
  const card = page.getByRole('article')
  const number = String(draw.results[0]!.number).padStart(2, '0')
  await card.getByText(t('tickets.outcome.won', { number })).waitFor()
  expect(await card.innerText()).toContain(t('tickets.status.expired'))
  // A picture that comes moves what stands beside it.
  await settled(page)
  await card.getByRole('link', { name: t('tickets.verify') }).click()
  await page.waitForURL(({ pathname }) => pathname === '/draws/mine')
  await page.getByRole('heading', { level: 1 }).waitFor()
})

test('home, menu, footer and an ended contest lead to the draws', async () => {
  const { page } = await visit('/')
  await page.getByRole('tab', { name: t('home.tabs.draw.label') }).click()
  const check = page.getByRole('link', { name: t('home.tabs.draw.page') })
  expect(await check.getAttribute('href')).toMatch(/^\/draws\/[a-z-]+$/)
  for (const area of ['complementary', 'contentinfo'] as const)
    expect(
      await page
        .getByRole(area)
        .getByRole('link', { name: t('frame.menu.draws') })
        .count(),
    ).toBe(1)
  await page
    .getByRole('contentinfo')
    .getByRole('link', { name: t('frame.menu.draws') })
    .click()
  await page.getByRole('heading', { level: 1, name: t('draws.title') }).waitFor()
  await page.goto('/offers')
  await awake(page)
  const links = page.getByRole('main').getByRole('link', { name: t('offers.card.draw') })
  expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toContain(
    '/draws/car-drawn',
  )
})

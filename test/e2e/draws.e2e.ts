import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { fragmentOf } from '#draw-protocol/draw.test-support.ts'
import { stopSelling } from '#features/offers/server/index.ts'
import { formatDateTime, formatDay } from '#i18n/format.ts'
import { transact } from '#platform/transaction.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { awake, settled, sidewaysScroll } from '../support/browser.ts'
import { DRAW_STAGES, type DrawStage, insertDraw } from '../support/draws.ts'
import {
  COLOUR_RULES,
  announcements,
  layoutFaults,
  listen,
  seeAccessible,
  smallTargets,
  violations,
} from '../support/page-checks.ts'
import { logIn } from '../support/page-control.ts'
import { PICTURES } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const { shop, visit, member } = await openStage()
const t = words('en')

const CAR = {
  title: 'Gran Turismo',
  title_en: 'Gran Turismo',
  title_nl: 'Gran Turismo',
  pictures: PICTURES,
}
const made = new Map<DrawStage, Awaited<ReturnType<typeof insertDraw>>>()

beforeAll(async () => {
  for (const stage of DRAW_STAGES)
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
    extended: DRAW_STAGES.flatMap((stage) => [`/draws/car-${stage}`, `/draws/car-${stage}/live`]),
  }),
]

describe.each(VIEWS)('in $language, $width pixels wide', ({ language, width }) => {
  test.runIf(isExtended)('the list, the pages of draws and their live pages have no fault', async () => {
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

/** What checks draws without this site; test/http/authorisation.test.ts says that they are served. */
const VERIFIERS = ['/draw-v1.md', '/draws/verify', '/verify-draw.py', '/verify.html']
const verifiersOn = async (page: Page): Promise<string[]> => {
  const links = await page
    .locator('main a')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
  return VERIFIERS.filter((path) => links.includes(path))
}

test.runIf(isExtended)('without scripts the list, a draw and the live page can be read', async () => {
  const { page } = await visit(undefined, { javaScriptEnabled: false })
  const { draw } = made.get('drawn')!
  const winner = String(draw.results[0]!.number).padStart(2, '0')
  await page.goto('/draws')
  const list = await page.locator('main').innerText()
  for (const stage of ['open', 'sealed', 'drawn', 'cancelled'] as const)
    expect(list).toContain(t(`draws.states.${stage}`))
  await page.goto('/draws/car-drawn')
  expect(await page.locator('main').innerText()).toContain(t('draws.plate', { number: winner }))
  // Nobody meets a hash who did not open what is for auditors.
  expect(await page.locator('main').innerText()).not.toContain(draw.listHash)
  const details = page.locator('main details', { hasText: t('draws.proof.files') })
  await details.locator('summary').first().click()
  const text = await details.innerText()
  for (const part of [draw.listHash, draw.results[0]!.randomness, draw.results[0]!.value, draw.root()])
    expect(text).toContain(part)
  const files = await page
    .locator('main a[href^="/draws/car-drawn/"]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
  expect(await verifiersOn(page)).toEqual(VERIFIERS)
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
  expect(await page.locator('main').innerText()).toContain(winner)
  await page.getByRole('img', { name: t('liveDraw.code') }).waitFor()
  expect(await page.locator('nav').count()).toBe(0)
})

test.runIf(isExtended)(
  'an instant is shown in the shop’s zone, in UTC and in the reader’s zone',
  async () => {
    const { draw } = made.get('open')!
    const at = new Date(draw.terms.closes * 1000).toISOString()
    const { page } = await visit('/draws/car-open', { timeZone: 'America/New_York' })
    await settled(page)
    const steps = page.locator('section', { has: page.locator('#steps') })
    for (const shown of [
      formatDateTime(at, 'Europe/Brussels'),
      `${at.slice(0, 19).replace('T', ' ')} UTC`,
      formatDateTime(at, 'America/New_York'),
    ])
      expect(await steps.innerText()).toContain(shown)
  },
)

test.runIf(isExtended)(
  'the odds are what is true: at most before the end, exact once the list is sealed',
  async () => {
    const { page } = await visit('/draws/car-open')
    const region = page.getByRole('region', { name: t('draws.takePart.label') })
    expect(await region.innerText()).toContain(t('draws.odds.open', { total: 50, now: 11 }))
    const action = region.getByRole('link', { name: t('draws.takePart.action') })
    expect(await action.getAttribute('href')).toBe('/login?next=%2Foffers%2Fcar-open')
    await page.goto('/draws/car-sealed')
    expect(await page.locator('main').innerText()).toContain(t('draws.odds.sealed', { valid: 10 }))
    expect(await region.count()).toBe(0)
    expect(await page.getByRole('combobox', { name: t('offers.price.country') }).count()).toBe(0)
  },
)

test('a stranger sees the prize of a running contest, what it costs and when it is drawn, and takes part by the login', async () => {
  const { draw } = made.get('open')!
  const text = await pageText('car-open')
  const { page, faults } = await visit('/draws/car-open', { width: 360 })
  for (const shown of [
    t('contest.prize.value'),
    '€35,000.00',
    t('offers.detail.left', { count: 40 }),
    t('contest.calendar'),
    t('draws.odds.open', { total: 50, now: 11 }),
  ])
    expect(text).toContain(shown)
  const main = page.getByRole('main')
  const calendar = main.getByRole('link', { name: t('contest.calendar') })
  const response = await page.request.get((await calendar.getAttribute('href')) ?? '')
  expect(await response.text()).toContain('SUMMARY:Draw: ')
  // The question waits for whoever is logged in; proofs wait until somebody opens them.
  expect(await main.getByRole('combobox').count()).toBe(1)
  const proofs = main.locator('details', { hasText: t('draws.proof.files') })
  const hash = proofs.getByText(draw.root(), { exact: true })
  expect(await hash.isVisible()).toBe(false)
  await proofs.locator('summary').first().click()
  await hash.waitFor()
  const action = main.getByRole('link', { name: t('draws.takePart.action'), exact: true })
  expect((await action.boundingBox())?.y).toBeLessThan(740)
  await action.click()
  await page.waitForURL(/\/login\?next=%2Foffers%2Fcar-open$/)
  const customer = await shop.newCustomer()
  await logIn(page, t, customer)
  await page.waitForURL(/\/offers\/car-open$/)
  expect(faults).toEqual([])
})

/** What of a live page is out of sight or too small to read in a stream of 720 lines. */
const tooLargeOrSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollHeight, clientWidth } = document.documentElement
    const texts = [...document.querySelectorAll('main :is(p, dt, code, h1)')].filter(
      (one) => one.textContent !== '' && !one.matches('.sr-only, .needs-scripts'),
    )
    return [
      ...(scrollHeight > window.innerHeight ? [`scrolls: ${scrollHeight} pixels high`] : []),
      ...texts
        .filter((one) => Number.parseFloat(getComputedStyle(one).fontSize) < 0.0239 * clientWidth)
        .map((one) => `small: ${one.textContent}`),
      ...[...document.querySelectorAll('code')]
        .filter((one) => one.getClientRects().length > 1)
        .map((one) => `wraps: ${one.textContent}`),
    ]
  })

/** With an address, a title, counts and countdowns that are long. */
const LONG = ['open', 'listed', 'sealed', 'drawn'] as const
const LONG_SLUG = 'karst-4-expedition-avec-tente-de-toit-auvent-et-refrigerateur-de-35-l'
const LONG_TITLE = {
  title: 'Karst 4 Expédition avec tente de toit, auvent et réfrigérateur de 35 litres',
  title_nl: 'Karst 4 Expeditie met daktent, luifel en een koelkast van 35 liter',
  title_en: 'Karst 4 Expedition with a roof tent, an awning and a fridge of 35 litres',
}

beforeAll(async () => {
  for (const stage of LONG)
    await insertDraw(shop, {
      slug: `${LONG_SLUG}-${stage}`,
      stage,
      total: 9999,
      numbers: [9876, 4321, 2468],
      ...(stage !== 'drawn' && { drawsIn: 29 * 86_400 }),
      offer: { ...CAR, ...LONG_TITLE },
    })
  // Thousands of entries would take long to insert.
  await shop.pool.query(`
    ALTER TABLE draw_lists DISABLE TRIGGER USER;
    UPDATE draw_lists SET valid = 7654 FROM offers WHERE offer_id = id AND slug LIKE '${LONG_SLUG}-%';
    ALTER TABLE draw_lists ENABLE TRIGGER USER`)
}, 60_000)

test.runIf(isExtended).each(
  sized({
    short: [[1280, 720]],
    extended: [
      [1280, 720],
      [1920, 1080],
    ],
  }) as [number, number][],
)(
  'the live page fits a window of %i by %i pixels in every state, and is read in a stream',
  async (width, height) => {
    const slugs = ['open', 'listed', 'sealed', 'drawn', 'alternate', 'cancelled'].map(
      (stage) => `car-${stage}`,
    )
    const found: string[] = []
    const all = [...slugs, ...LONG.map((stage) => `${LONG_SLUG}-${stage}`)]
    for (const [at, language] of LANGUAGES.entries()) {
      const { page } = await visit(undefined, { language, width, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height })
      // In the short form each state has one of the languages.
      for (const slug of all.filter((_, index) => isExtended || index % LANGUAGES.length === at)) {
        await page.goto(`/draws/${slug}/live`)
        await settled(page)
        found.push(...(await tooLargeOrSmall(page)).map((line) => `${language} ${slug}: ${line}`))
      }
    }
    expect(found).toEqual([])
  },
)

/** What a phone opens that has scanned a ticket of a contest. */
const scanned = (stage: DrawStage, number: number): string => {
  const { slug, draw } = made.get(stage)!
  return `/draws/${slug}${fragmentOf(draw, number)}`
}

/** What the page says first of a scanned ticket, which is in the first screen of a phone. */
async function firstSaid(page: Page, head: string): Promise<void> {
  const said = page.locator(`[data-head=${head}] h2`)
  await said.waitFor()
  const { top, bottom, left } = await said.evaluate((one) => one.getBoundingClientRect().toJSON())
  expect([top >= 0, bottom < 640, left >= 0]).toEqual([true, true, true])
}

test('a scanned ticket says first whether it won, and its secret is sent nowhere', async () => {
  const { slug, draw } = made.get('drawn')!
  const { number } = draw.results[0]!
  const { page, context, faults } = await visit(undefined, { width: 360 })
  const sent: string[] = []
  context.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.setViewportSize({ width: 360, height: 640 })
  await page.goto(scanned('drawn', number))
  await firstSaid(page, 'won')
  const claim = page.getByRole('link', { name: t('drawTicket.claim') })
  expect(await claim.getAttribute('href')).toBe(`/claim?contest=${slug}&lang=en`)
  await seeAccessible(page, {}, ['light', 'dark'])
  // Whoever goes to a part of the page still has the ticket.
  await page.getByText(t('drawTicket.how')).click()
  await page.getByRole('link', { name: t('drawTicket.whole') }).click()
  await page.waitForURL(/#verify$/)
  await page.locator('[data-head=won]').waitFor()
  await page.goBack()
  // Another language is another document, with the same ticket.
  await page.setViewportSize({ width: 1440, height: 900 })
  await page
    .getByRole('combobox', { name: t('frame.language') })
    .and(page.locator(':visible'))
    .selectOption('nl')
  await page.waitForURL(/lang=nl#/)
  await page.getByText(words('nl')('drawTicket.heads.won')).waitFor()
  expect(faults).toEqual([])
  // The same page with other links: of terms that are not those, and of a number that is in no log.
  const [loser] = draw.rows.map((row) => row.number).filter((one) => one !== number)
  const follow = (hash: string) => page.evaluate((to) => (window.location.hash = to), hash.slice(1))
  await follow(fragmentOf(made.get('open')!.draw, loser!))
  await page.locator('[data-head=otherTerms]').waitFor()
  await follow(fragmentOf(draw, loser!))
  await page.locator('[data-head=lost]').waitFor()
  await follow(fragmentOf(draw, 49))
  await page.locator('[data-ticket=absent]').waitFor()
  // A contest whose log is not there yet has the section, too.
  await shop.newOffer({ slug: 'no-log', draw_at: new Date(Date.now() + 99 * 3_600_000) })
  await page.goto(`/draws/no-log${fragmentOf(draw, 49)}`)
  await page.locator('[data-ticket=absent]').waitFor()
  const secrets = [number, 49].flatMap((one) => fragmentOf(draw, one).split('.').slice(1, 3))
  for (const secret of secrets) expect(sent.filter((one) => one.includes(secret))).toEqual([])
  expect(sent.some((one) => one.includes(`leaf?number=${number}`))).toBe(true)
})

test.runIf(isExtended)(
  'an open ticket follows its draw, outlives a network that is away, and says so',
  async () => {
    const next = await insertDraw(shop, {
      slug: 'followed',
      stage: 'sealed',
      drawsIn: 45,
      closesBefore: 3000,
    })
    made.set('sealed', next)
    const { number } = next.draw.rows[0]!
    const { page, context } = await visit(scanned('sealed', number), { width: 360 })
    await page.locator('[data-head=in]').waitFor()
    await page.evaluate(() => Object.assign(window, { isSame: true }))
    await context.route(/\/leaf\?/, (route) => route.abort())
    await next.advance('draw')
    await page.getByText(t('drawTicket.stale', { time: '' }).split(':')[0]!.slice(0, 30)).waitFor()
    await context.unroute(/\/leaf\?/)
    const won = next.draw.results[0]!.number === number
    await page.locator(`[data-head=${won ? 'won' : 'lost'}]`).waitFor()
    expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
  },
)

test.runIf(isExtended)(
  'a browser remembers the register, and shows what contradicts it with both checkpoints',
  async () => {
    const { page, faults } = await visit('/draws/car-drawn', { width: 360 })
    const line = page.locator('[data-watch]')
    await page.getByText(t('drawWatch.first')).waitFor()
    await insertDraw(shop, { slug: 'grown', stage: 'open' })
    await page.reload()
    await page.locator('[data-watch=newer]').waitFor()
    expect(await line.innerText()).toContain(
      t('drawWatch.same', { date: formatDay(new Date().toISOString().slice(0, 10)) }),
    )
    expect(faults).toEqual([])
    // As if the shop had shown this browser another register before.
    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem('draw_register') ?? '') as { key: string }
      const other = kept.key.replace(/.{8}=*$/, 'AAAAAAAA')
      localStorage.setItem('draw_register', JSON.stringify({ ...kept, key: other }))
    })
    await page.reload()
    // A key that signs nothing was not kept by this page: the browser begins anew, without a word.
    await page.getByText(t('drawWatch.first')).waitFor()
    await page.route('**/draws/checkpoint', async (route) => {
      const response = await route.fetch()
      const [origin, size, ...rest] = (await response.text()).split('\n')
      await route.fulfill({ response, body: [origin, Number(size) + 1, ...rest].join('\n') })
    })
    await page.reload()
    const alert = page.getByRole('alert').filter({ hasText: t('drawWatch.alert.title') })
    await alert.getByText(t('drawWatch.alert.demonstration')).waitFor()
    const downloads: string[] = []
    for (const name of ['kept', 'now'] as const) {
      const download = page.waitForEvent('download')
      await alert.getByRole('button', { name: t(`drawWatch.alert.${name}`) }).click()
      downloads.push((await download).suggestedFilename())
    }
    expect(downloads).toEqual(['checkpoint-kept.txt', 'checkpoint-now.txt'])
    await seeAccessible(page, {}, ['light', 'dark'])
  },
)

test('one press verifies the draw, and the focus stays with it', async () => {
  const { page, faults } = await visit('/draws/car-drawn')
  await awake(page)
  const section = page.locator('section', { has: page.locator('#verify') })
  await section.getByRole('link', { name: t('draws.proof.verify') }).press('Enter')
  await section.locator('[data-verdict=passed]').waitFor()
  expect(await section.evaluate((one) => one.contains(document.activeElement))).toBe(true)
  const program = section.getByRole('link', { name: t('verify.without.get', { name: 'verify-draw.py' }) })
  expect(await program.getAttribute('href')).toBe('/verify-draw.py')
  expect(faults).toEqual([])
})

/** What a page of a draw says as the server renders it. */
async function pageText(slug: string): Promise<string> {
  const page = await fetch(`${shop.config.publicUrl}/draws/${slug}?lang=en`)
  const html = (await page.text()).replace(/^[^]*<main/, '<main').replace(/<\/main>[^]*$/, '')
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}

test('a winner’s name and place stand beside the number once the prize is claimed, and nothing is counted down', async () => {
  const { draw, claim } = await insertDraw(shop, { slug: 'named', stage: 'drawn', offer: CAR })
  await claim()
  const text = await pageText('named')
  const number = String(draw.results[0]!.number).padStart(2, '0')
  for (const part of [t('draws.plate', { number }), 'Ada, Namur', t('draws.result.claimed')])
    expect(text).toContain(part)
  expect(text).not.toContain(t('draws.next.claim'))
})

test('a forfeiture is told with its reason and its files', async () => {
  const { draw } = made.get('alternate')!
  const text = await pageText('car-alternate')
  const number = String(draw.results[0]!.number).padStart(2, '0')
  for (const part of [
    t('draws.result.forfeited', { number }),
    t('draws.result.reason', { reason: t('draws.reasons.unclaimed') }),
    t('draws.result.forfeiture', { number }),
    t('draws.result.statement'),
  ])
    expect(text).toContain(part)
})

test('a contest without an entry, or that is cancelled, promises no odds', async () => {
  await insertDraw(shop, { slug: 'empty-closed', stage: 'closed', numbers: [] })
  expect(await pageText('car-closed')).toContain(t('draws.facts.odds'))
  for (const slug of ['empty-closed', 'car-cancelled'])
    expect(await pageText(slug)).not.toContain(t('draws.facts.odds'))
})

test('a cancelled contest names no draw and no entry by post, and one without a log no log', async () => {
  const slug = 'never-published'
  const cancelled = { state: 'cancelled' as const, cancelled_at: new Date(), cancelled_why: 'Le lot manque.' }
  await shop.newOffer({ slug, draw_at: new Date(Date.now() + 99 * 3_600_000), ...cancelled })
  const texts = await Promise.all(['car-cancelled', slug].map(pageText))
  for (const absent of [t('draws.terms.draw'), 'An entry by post'])
    for (const text of texts) expect(text).not.toContain(absent)
  expect(texts.map((text) => text.includes(t('draws.steps.opened.text')))).toEqual([true, false])
})

test('the odds of a provisional list are those of its numbers', async () => {
  expect(await pageText('car-listed')).toContain(t('draws.odds.closed', { sold: 10 }))
  expect(await pageText(`${LONG_SLUG}-listed`)).toContain(t('draws.odds.closed', { sold: 7654 }))
})

test.each([
  ['list', 'closed', 700],
  ['seal', 'listed', 300],
  ['beacon', 'sealed', -600],
] as const)('a late %s is told, and no countdown stands still', async (delay, stage, drawsIn) => {
  await insertDraw(shop, { slug: `late-${delay}`, stage, drawsIn, closesBefore: 2000 })
  const text = await pageText(`late-${delay}`)
  expect(text).toContain(t(`draws.delays.${delay}`))
  expect(text).not.toContain('00:00:00')
})

test('the live page follows the draw by itself: digit after digit, announced once', async () => {
  const slug = `${LONG_SLUG}-on-air`
  const live = await insertDraw(shop, {
    slug,
    stage: 'sealed',
    drawsIn: 4,
    closesBefore: 3000,
    offer: LONG_TITLE,
  })
  const visitor = await visit(undefined, { reducedMotion: 'no-preference' })
  const { page, context, faults } = visitor
  await listen(context)
  // As in a window that another one covers, whose picture a stream shows.
  await page.addInitScript(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }))
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(`/draws/${slug}/live?pace=0.3`)
  await awake(page)
  const text = () => page.locator('main').innerText()
  expect(await text()).not.toContain(live.draw.listHash)
  const announced = async () =>
    (await announcements(page)).filter((one) => one.includes(t('draws.facts.winner')))
  expect(await announced()).toEqual([])
  // A result from before its round would be none.
  await page.getByText(t('draws.awaited.draw')).waitFor()
  expect(await text()).not.toContain('00:00:00')
  await live.advance('draw')
  const { number, randomness, value } = live.draw.results[0]!
  const digits = String(number).padStart(2, '0')
  await expect.poll(announced).toEqual([t('draws.plate', { number: digits })])
  await page.locator('[data-check=demonstration]').waitFor()
  expect(await text()).toContain(t('liveDraw.checks.demonstration', { number: digits }))
  expect(await tooLargeOrSmall(page)).toEqual([])
  // A key shows what the number was made of, and hides it again.
  await page.keyboard.press('h')
  for (const part of [live.draw.listHash, randomness, value]) expect(await text()).toContain(part)
  await page.keyboard.press('h')
  expect(await text()).not.toContain(randomness)
  // The page asks less often once the number is there.
  for (const move of sized({ short: [], extended: ['award'] })) {
    await live.advance(move)
    await page.getByText(t('draws.states.awarded')).waitFor()
  }
  expect(await announced()).toHaveLength(1)
  expect(faults).toEqual([])
})

test.runIf(isExtended)(
  'a stream shows two languages, holds the number back for its delay, and says both',
  async ({ annotate }) => {
    const slug = 'on-stream'
    const stream = await insertDraw(shop, {
      slug,
      stage: 'sealed',
      drawsIn: 4,
      closesBefore: 3000,
      offer: CAR,
    })
    const { page, faults } = await visit(undefined, { language: 'fr', reducedMotion: 'reduce' })
    const [fr, nl] = [words('fr'), words('nl')]
    await page.setViewportSize({ width: 1280, height: 720 })
    const see = (part: string) => page.getByText(part).first().waitFor()

    await annotate('At zero the page says in both languages what it waits for')
    await page.goto(`/draws/${slug}/live?second=nl&hold=6&pace=99`)
    await awake(page)
    for (const translate of [fr, nl]) {
      await see(translate('draws.awaited.draw'))
      await see(translate('liveDraw.held', { hold: 6 }))
    }
    await see(fr('liveDraw.wrong', { names: 'pace' }))
    expect(await page.locator('main').innerText()).not.toContain('00:00:00')
    // The line about the address is no part of a stream.
    await page.goto(`/draws/${slug}/live?second=nl&hold=6`)
    await see(nl('draws.awaited.draw'))
    expect(await tooLargeOrSmall(page)).toEqual([])

    await annotate('The number comes after the hold, also for a page that is opened meanwhile')
    await stream.advance('draw')
    const number = String(stream.draw.results[0]!.number).padStart(2, '0')
    const opened = await fetch(`${shop.config.publicUrl}/draws/${slug}/live?hold=120`)
    expect((await opened.text()).replace(/<script[^]*$/, '')).not.toContain(fr('draws.plate', { number }))
    await page.waitForResponse(
      async (response) =>
        response.url().includes(`/api/draws/${slug}/`) && (await response.text()).includes('"drawn":{'),
    )
    await see(nl('draws.awaited.draw'))
    await page.locator('[data-check=demonstration]').waitFor()
    for (const translate of [fr, nl]) await see(translate('liveDraw.checks.demonstration', { number }))
    expect(await tooLargeOrSmall(page)).toEqual([])

    await annotate('Over another picture nothing of the document paints')
    await page.goto(`/draws/${slug}/live?overlay=1&second=nl`)
    await page.locator('[data-check=demonstration]').waitFor({ state: 'attached' })
    expect(await tooLargeOrSmall(page)).toEqual([])
    const grounds = await page.evaluate(() =>
      [document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor),
    )
    expect(grounds).toEqual(['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)'])
    expect(await page.locator('main img').count()).toBe(1)
    expect(faults).toEqual([])
  },
)

test('the winner’s plate and name are in the first screen of a phone', async () => {
  const { draw, claim } = await insertDraw(shop, { slug: 'first-screen', stage: 'drawn', offer: CAR })
  await claim()
  const { page } = await visit(undefined, { width: 360 })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/draws/first-screen')
  await settled(page)
  const number = String(draw.results[0]!.number).padStart(2, '0')
  for (const part of [page.getByText(number, { exact: true }).first(), page.getByText('Ada, Namur')]) {
    const box = await part.boundingBox()
    expect(box && box.y + box.height).toBeLessThan(740)
  }
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

test.runIf(isExtended)('participations show what the draw brought, with a link to verify it', async () => {
  const customer = await shop.newCustomer()
  const { draw } = await insertDraw(shop, { slug: 'mine', stage: 'drawn', owner: customer, offer: CAR })
  const { page } = await member('/profile/participations', { customer })
  const card = page.getByRole('article')
  const number = String(draw.results[0]!.number).padStart(2, '0')
  await card.getByText(t('tickets.won.title')).waitFor()
  await card.getByText(t('tickets.outcome.won', { number })).waitFor()
  await card.locator('summary').click()
  const proof = card.getByRole('link', { name: `${t('tickets.proof')} ${number}` })
  expect(await proof.getAttribute('href')).toMatch(/^\/draws\/mine#/)
  expect(await card.innerText()).toContain(t('tickets.status.expired'))
  // A picture that comes moves what stands beside it.
  await settled(page)
  // Not only to the draw: to the proof of the ticket.
  await card.getByRole('link', { name: t('tickets.verify') }).click()
  await page.waitForURL(({ pathname, hash }) => pathname === '/draws/mine' && hash.startsWith('#'))
  await page.locator('[data-ticket]').waitFor()
})

test.runIf(isExtended)('home, menu, footer and an ended contest lead to the draws', async () => {
  // Nothing is drawn before what should have been drawn already.
  await insertDraw(shop, { slug: 'the-next', stage: 'sealed', drawsIn: -3_600, closesBefore: 3_000 })
  const { page } = await visit('/')
  await page.getByRole('tab', { name: t('homeBelow.tabs.draw.label') }).click()
  const next = page.getByRole('link', { name: t('homeBelow.tabs.draw.page') })
  expect(await next.getAttribute('href')).toBe('/draws/the-next')
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
  expect(await verifiersOn(page)).toEqual(VERIFIERS)
  await page.goto('/offers')
  await awake(page)
  const links = page.getByRole('main').getByRole('link', { name: t('offers.card.draw') })
  expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toContain(
    '/draws/car-drawn',
  )
})

// The last one: it stops the sale of every contest.
test.runIf(isExtended)(
  'a contest whose sale is stopped says so, ends when it said, and may still sell all tickets',
  async () => {
    await insertDraw(shop, { slug: 'halted', stage: 'open', offer: { title_en: 'Halted' } })
    await transact(shop.db, (trx) => stopSelling(trx, 'restored'))
    const text = await pageText('halted')
    for (const part of [t('draws.takePart.stopped'), t('draws.odds.open', { total: 50, now: 11 })])
      expect(text).toContain(part)
    expect(text).not.toContain(t('draws.takePart.ended'))
    const { page } = await visit('/draws/halted')
    await page
      .getByRole('region', { name: t('draws.takePart.label') })
      .getByText(t('draws.next.closes'))
      .waitFor()
  },
)

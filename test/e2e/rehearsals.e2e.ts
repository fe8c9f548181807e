import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startDrandEmulator } from '../../emulators/drand/server.ts'
import { LIVE_BOUNDS } from '#features/draws/live.rules.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { field, press, seeToast } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const beacon = await startDrandEmulator({ port: 0 })
afterAll(() => beacon.close())
const stage = await openStage({
  host: 'localhost',
  env: { BEACON_URLS: beacon.url, BEACON_CHAIN: JSON.stringify(beacon.chain), LIMITS_FACTOR: '1000' },
})
const { shop, visit } = stage
const openConsole = consoleOf(stage)

const newContest = () =>
  shop.newOffer({
    total_tickets: 50,
    draw_at: new Date(Date.now() + 90_000_000),
    title_nl: 'Cabrio',
    title_en: 'Roadster',
  })

/** The banner in words, the watermark beside it, and nothing for search engines. */
async function seeMarks(page: Page, t: ReturnType<typeof words>): Promise<void> {
  await page.getByText(t('draws.rehearsal.text')).first().waitFor()
  const mark = page.locator('.watermark[aria-hidden=true]')
  expect(await mark.count()).toBe(1)
  expect(await mark.evaluate((element) => getComputedStyle(element).pointerEvents)).toBe('none')
  expect(await mark.getAttribute('data-words')).toContain(t('draws.rehearsal.word'))
  expect(await page.title()).toContain(t('draws.rehearsal.title', { title: '' }).trim())
  expect(await page.locator('meta[name=robots]').getAttribute('content')).toBe('noindex')
  expect(await page.locator('script[type="application/ld+json"]').count()).toBe(0)
}

test('staff rehearse a draw in the console, and the live page counts down and shows the number', async () => {
  const t = words('nl')
  const id = await newContest()
  const seen = await openConsole(`/draws/${id}`, { language: 'nl', width: 360 })
  const { page } = seen
  await field(page, t('consoleDraws.rehearsal.seconds')).fill('50')
  await page.keyboard.press('Enter')
  await seeToast(page, t('consoleDraws.rehearsal.made'))
  await page.getByText(t('consoleDraws.rehearsal.invented', { entries: 50 })).waitFor()
  expect(await sidewaysScroll(page)).toBe(0)
  const hrefOf = async (name: 'live' | 'page') =>
    (await page.getByRole('link', { name: t(`consoleDraws.rehearsal.${name}`) }).getAttribute('href')) ?? ''
  const number = await page.locator('dd .font-plate').innerText()

  // The address of the live page is built beside it, with a comma as keyboards have it.
  const preview = page.getByRole('link', { name: t('consoleDraws.stream.previewRehearsal') })
  const pace = field(page, t('consoleDraws.stream.pace'))
  await pace.fill('11')
  await page.getByText(t('consoleDraws.stream.outOfBounds', LIVE_BOUNDS.pace)).waitFor()
  expect(await preview.count()).toBe(0)
  await pace.fill('0,5')
  await field(page, t('consoleDraws.stream.second')).selectOption('fr')
  const address = new URL((await preview.getAttribute('href')) ?? '', shop.config.publicUrl)
  expect(`${address.pathname}${address.search}`).toBe(
    (await hrefOf('live')).replace('?', '?lang=nl&') + '&second=fr&pace=0.5',
  )

  const { page: live, faults } = await visit(await hrefOf('live'), { language: 'nl', width: 360 })
  await seeMarks(live, t)
  const main = live.locator('main')
  expect(await main.innerText()).toContain(t('draws.next.draw'))
  expect(await main.innerText()).not.toContain(t('draws.plate', { number }))
  // Sooner than the countdown ends.
  await field(page, t('consoleDraws.rehearsal.seconds')).fill('0')
  await press(page, t('consoleDraws.rehearsal.again'))
  await seeToast(page, t('consoleDraws.rehearsal.againDone'))
  await live.getByText(t('draws.plate', { number })).waitFor()
  await seeAccessible(live)
  expect(await sidewaysScroll(live)).toBe(0)

  await live.goto(await hrefOf('page'))
  await seeMarks(live, t)
  expect(await live.getByRole('region', { name: t('draws.takePart.label') }).count()).toBe(0)
  await live.getByRole('link', { name: t('draws.proof.verify') }).click()
  await live.locator('[data-verdict=passed]').waitFor()
  expect(await live.locator('[data-verdict]').innerText()).toContain(t('verifyReport.remarks.rehearsal'))
  expect(await sidewaysScroll(live)).toBe(0)

  // The page of the draw itself knows nothing of it.
  await live.goto(new URL(await hrefOf('page'), shop.config.publicUrl).pathname)
  expect(await live.locator('main').innerText()).not.toContain(t('draws.rehearsal.word'))
  expect(await live.locator('script[type="application/ld+json"]').count()).toBeGreaterThan(0)
  expect(faults).toEqual([])

  // A new one takes its place.
  const old = await hrefOf('live')
  await page.getByRole('checkbox', { name: t('consoleDraws.rehearsal.alternate') }).check()
  await press(page, t('consoleDraws.rehearsal.renew'))
  await page.getByText(t('consoleDraws.rehearsal.numbers')).waitFor()
  await seeAccessible(page)
  const response = await live.goto(old)
  expect(response?.status()).toBe(404)
  await live.getByText(t('draws.notFound')).waitFor()
  expect(seen.faults).toEqual([])
})

test('a rehearsal that cannot be made says why', async () => {
  const t = words('fr')
  const id = await newContest()
  const { page } = await openConsole(`/draws/${id}`, { language: 'fr' })
  beacon.behave('error')
  await press(page, t('consoleDraws.rehearsal.make'))
  await page.getByText(t('consoleDraws.rehearsal.refusals.beaconSilent')).waitFor()
  beacon.behave('honest')
  await page.goto(`/admin/draws/${await shop.newOffer()}`)
  await press(page, t('consoleDraws.rehearsal.make'))
  await page.getByText(t('consoleDraws.rehearsal.refusals.incomplete')).waitFor()
})

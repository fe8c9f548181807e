import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { columnsOf, member, visit } from '../support/visits.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const VIDEO_URL = 'https://video.example/live'

const t = words('en')

const { shop, browser } = await openStage({ env: { VIDEO_URL, PARTNER_EMAIL: 'garages@volant.example' } })

beforeAll(async () => {
  await shop.newOffer({ slug: 'ouverte', title: 'Ouverte' })
})

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name })
const panel = (page: Page) => page.getByRole('tabpanel')

/** Text as it is read: hard and narrow spaces count as spaces, the no-break hyphen as a hyphen. */
const plain = (text: string | null): string =>
  (text ?? '').replaceAll('‑', '-').replaceAll(/\s+/g, ' ').trim()

test('titles itself "{brand} - Gagnez Votre Voiture de Rêve" in French [spec 2.40]', async () => {
  const { body } = await shop.app.inject({ url: '/' })
  expect(body).toContain('<title>Volant - Gagnez Votre Voiture de Rêve</title>')
})

test('title and description of the registration are French [spec 2.34, 2.101]', async () => {
  const { body } = await shop.app.inject({ url: '/register' })
  expect(body).toContain('<title>Inscription | Volant</title>')
  expect(body).toMatch(/<meta name="description" content="Créez votre compte gratuitement/)
  expect(body).toMatch(/<meta name="keywords" content="concours voiture/)
})

test('the hero says what the specification quotes and leads to the offers [spec 1.13, 2.1, 2.19-2.21]', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/')
  expect(await page.locator('main h1').textContent()).toBe('Win Your Dream Car.')
  await page.getByText('Secure your ticket. Change your life.', { exact: true }).waitFor()
  const action = page.getByRole('link', { name: 'See Our Offers' })
  expect(await action.getAttribute('href')).toBe('/offers')
  await close()
})

test('the first screen leads to how it works, and says whom one can believe', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/')
  await awake(page)
  const steps = page.getByRole('heading', { name: t('home.tabs.title') })
  await page.getByRole('link', { name: t('home.hero.how') }).click()
  await expect.poll(async () => (await steps.boundingBox())?.y ?? Infinity).toBeLessThan(300)
  const fair = page.getByRole('region', { name: t('home.fair.title') })
  expect(await fair.getByRole('listitem').count()).toBe(6)
  expect(await fair.getByRole('link').getAttribute('href')).toMatch(/terms-and-conditions#free-entry$/)
  await close()
})

test.each(TESTED_LANGUAGES)(
  'on a phone the facts of the first screen stand above the policy banner (%s)',
  async (language) => {
    const { page, close } = await visit(browser, shop, { width: 360, height: 780, language })
    await page.goto('/')
    await awake(page)
    const say = words(language)
    const banner = await page.getByRole('complementary', { name: say('frame.policy.title') }).boundingBox()
    for (const fact of ['winner', 'numbers', 'draw'] as const) {
      const place = await page.getByText(say(`home.hero.facts.${fact}`), { exact: true }).boundingBox()
      expect((place?.y ?? Infinity) + (place?.height ?? 0), fact).toBeLessThanOrEqual(banner?.y ?? 0)
    }
    await close()
  },
)

test('the car drives in 400 ms after the page, and stands still for who wants no motion [spec 2.18, 9.23]', async () => {
  const { page, close } = await visit(browser, shop, { reducedMotion: 'no-preference' })
  await page.goto('/')
  const motion = () =>
    page.getByRole('img', { name: t('home.hero.alt') }).evaluate((car) => {
      const { animationName, animationDelay } = getComputedStyle(car)
      return [animationName, animationDelay]
    })
  expect(await motion()).toEqual(['drive-in', '0.4s'])
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect((await motion())[0]).toBe('none')
  await close()
})

describe('the three tabs', () => {
  test('have the words that the specification quotes, in French [spec 2.22, 2.23, 2.26, 2.28]', async () => {
    const { page, close } = await visit(browser, shop, { language: 'fr' })
    await page.goto('/')
    await awake(page)
    const headings = (await page.locator('main h2').allTextContents()).map(plain)
    expect(headings).toContain('Une Collection de Rêve... à Gagner !')
    const told: string[][] = []
    for (const name of [/Inscription facile/, /Croisez les doigts/, /Tirage en direct/]) {
      await tab(page, name).click()
      const link = panel(page).getByRole('link').filter({ visible: true })
      const words = [
        await panel(page).locator('> div > div > span').first().textContent(),
        await link.textContent(),
      ]
      told.push(words.map((text) => plain(text).replace(/ \(.*\)$/, '')))
    }
    expect(told).toEqual([
      ['Prêt à gagner ?', 'Je tente ma chance'],
      ['À vous de jouer', 'Je découvre les offres'],
      ['Moment clé', 'Voir le tirage'],
    ])
    expect(await page.getByRole('tab').count()).toBe(3)
    await close()
  })

  test('lead a visitor to the registration, the offers and the video channel in a new tab [spec 2.24, 2.27, 2.29, 2.30]', async () => {
    const { page, context, close } = await visit(browser, shop)
    await page.goto('/')
    await awake(page)
    const link = panel(page).getByRole('link').filter({ visible: true })
    expect(await link.getAttribute('href')).toBe('/register')
    await tab(page, t('home.tabs.choose.label')).click()
    expect(await link.getAttribute('href')).toBe('/offers')
    expect(await link.getAttribute('target')).toBeNull()
    await tab(page, t('home.tabs.draw.label')).click()
    expect(await link.getAttribute('href')).toBe(VIDEO_URL)
    const opened = context.waitForEvent('page')
    await link.click()
    await opened
    expect(new URL(page.url()).pathname).toBe('/')
    await close()
  })

  test('lead who is signed in to the offers instead of the registration [spec 2.25]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/')
    await awake(page)
    const link = panel(page).getByRole('link').filter({ visible: true })
    expect(await link.getAttribute('href')).toBe('/offers')
    expect(await link.textContent()).toBe(t('home.tabs.register.button'))
    await close()
  })

  test('tell the three steps: signing up is free, an answer and tickets, a live draw [spec 1.12, 2.31]', async () => {
    const { body } = await shop.app.inject({ url: '/?lang=en' })
    expect(body).toContain('signing up is free')
    expect(body).toContain('The right answer lets you buy tickets.')
    expect(body).toContain('is drawn live on our video channel')
  })
})

test('Our Car Collection has three cards that only show: in 1, 2 or 3 columns [spec 1.15-1.19, 7.45]', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/')
  const collection = page.getByRole('region', { name: 'Our Car Collection' })
  await collection
    .getByText(
      'Discover our diverse range of exceptional vehicles, each offering a unique driving experience.',
      { exact: true },
    )
    .waitFor()
  const cards = collection.getByRole('listitem')
  expect(await cards.getByRole('heading').allTextContents()).toEqual([
    'Sports Cars',
    'Electric Vehicles',
    'Everyday Cars',
  ])
  for (const card of await cards.all()) {
    expect(await card.locator('p').textContent()).not.toBe('')
    expect(await card.locator('img').getAttribute('src')).toMatch(/^\/media\/category-/)
  }
  expect(await collection.locator('a, button, [role=button], [tabindex]').count()).toBe(0)
  for (const [width, columns] of [
    [360, 1],
    [800, 2],
    [1440, 3],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await expect
      .poll(() => columnsOf(page, 'section:has(h2:text-is("Our Car Collection")) ul'), {
        message: `${width} pixels`,
      })
      .toBe(columns)
  }
  await close()
})

test.each(['fr', 'nl', 'en'])(
  'the marketing copy names the makes of the specification (%s) [spec 1.11]',
  async (lang) => {
    const { page, close } = await visit(browser, shop)
    await page.goto(`/?lang=${lang}`)
    const copy = await page.getByRole('main').innerText()
    for (const make of ['Ford Mustang', 'Audi TT', 'Bentley Continental', 'BMW']) expect(copy).toContain(make)
    await close()
  },
)

test('brands and garages are invited to become partners [spec 1.14, 2.32]', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/')
  await page.getByRole('heading', { name: t('home.partners.title') }).waitFor()
  const action = page.getByRole('link', { name: t('home.partners.action') })
  expect(await action.getAttribute('href')).toMatch(/^mailto:garages@volant\.example|^\/contact/)
  await close()
})

test.each([
  ['fr', 'La page que vous recherchez n’existe pas.'],
  ['nl', 'De pagina die je zoekt, bestaat niet.'],
  ['en', 'The page you are looking for does not exist.'],
])('any other path says so in %s, and leads home [spec 2.15, 2.16]', async (language, text) => {
  const { body, statusCode } = await shop.app.inject({ url: `/no/such/page?lang=${language}` })
  expect(statusCode).toBe(404)
  expect(body.replaceAll(/&#x27;|'/g, '’')).toContain(`>${text}<`)
  expect(body).toMatch(/<main.*<a [^>]*href="\/"/s)
})

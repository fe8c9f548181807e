import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { motion, seeAccessible, smallTargets } from '../support/page-checks.ts'
import {
  addButton,
  respondWith,
  arrive,
  hasFocus,
  holdBack,
  keepTokens,
  openContest,
  seeTitle,
  seeToast,
  toast,
} from '../support/page-control.ts'
import { awake, settled } from '../support/browser.ts'
import { insertDraw } from '../support/draws.ts'
import { END_SHOWN, PICTURES, SOCIAL_URL, VIDEO_URL, fillShowroom } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended, sized } from '../support/tier.ts'

const OFFLINE = 'Unable to connect to the server. Please check your internet connection.'

const t = words('en')

const env = { VIDEO_URL, SOCIAL_URL, PARTNER_EMAIL: 'garages@volant.example' }
const { shop, visit, member } = await openStage({ env })

beforeAll(() => fillShowroom(shop))

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name })
const panel = (page: Page) => page.getByRole('tabpanel')
const panelLink = (page: Page) => panel(page).getByRole('link').filter({ visible: true })
const card = (page: Page, name: string) => page.getByRole('article', { name })
const details = (page: Page, title: string) =>
  page.getByRole('link', { name: t('offers.card.viewDetailsOf', { title }) })
const follow = (page: Page, name: string) => page.locator('aside').getByRole('link', { name }).click()
const quantity = (page: Page) => page.getByRole('textbox', { name: t('offers.buy.quantity') })

/** Expects an accessible page on which nothing moves and every target is large. */
async function isCalm(page: Page): Promise<void> {
  await seeAccessible(page)
  expect([...(await motion(page)), ...(await smallTargets(page))]).toEqual([])
}

/** Text as it is read: hard and narrow spaces count as spaces, the no-break hyphen as a hyphen. */
const plain = (text: string | null): string =>
  (text ?? '').replaceAll('‑', '-').replaceAll(/\s+/g, ' ').trim()

describe('the home page', () => {
  test('has the title and the words of the specification, and leads to the offers [spec 1.13, 2.1, 2.19-2.21, 2.40]', async () => {
    const { body } = await shop.app.inject({ url: '/' })
    expect(body).toContain('<title>Volant - Gagnez Votre Voiture de Rêve</title>')
    const { page } = await visit('/')
    expect(await page.locator('main h1').textContent()).toBe('Win Your Dream Car.')
    await page.getByText('Secure your ticket. Change your life.', { exact: true }).waitFor()
    const action = page.getByRole('link', { name: 'See Our Offers' })
    expect(await action.getAttribute('href')).toBe('/offers')
  })

  test.runIf(isExtended).each([
    ['after a link has led there', true],
    ['reached by scrolling', false],
  ])('keeps what is pressed below before its code is there, %s', async (_, isLed) => {
    const { page } = await visit('/offers')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/below-[^/]*\.js/, async (route) => {
      await released
      await route.continue()
    })
    await page.goto('/')
    await awake(page)
    const steps = page.getByRole('heading', { name: t('homeBelow.tabs.title') })
    const top = async (): Promise<number> => (await steps.boundingBox())?.y ?? Infinity
    if (isLed) {
      await page.getByRole('link', { name: t('home.hero.how') }).click()
      await page.waitForFunction(() => window.scrollY > 500)
    }
    const second = page.getByRole('tab').nth(1)
    await second.click()
    expect(await second.getAttribute('aria-selected')).toBe('false')
    const before = await top()
    release()
    await expect.poll(() => second.getAttribute('aria-selected')).toBe('true')
    expect(await top()).toBe(before)
  })

  test.runIf(isExtended)('says why it is fair, and invites partners [spec 1.14, 2.32]', async () => {
    const { page } = await visit('/')
    const fair = page.getByRole('region', { name: t('homeBelow.fair.title') })
    expect(await fair.getByRole('listitem').count()).toBe(6)
    expect(await fair.getByRole('listitem').getByRole('link').getAttribute('href')).toMatch(
      /terms-and-conditions#free-entry$/,
    )
    await page.getByRole('heading', { name: t('homeBelow.partners.title') }).waitFor()
    const action = page.getByRole('link', { name: t('homeBelow.partners.action') })
    expect(await action.getAttribute('href')).toMatch(/^mailto:garages@volant\.example|^\/contact/)
  })

  test.runIf(isExtended)(
    'moves the car in after 400 ms, and not for visitors who want less motion [spec 2.18, 9.23]',
    async () => {
      const { page } = await visit('/', { reducedMotion: 'no-preference' })
      const motion = () =>
        page.getByRole('img', { name: t('home.hero.alt') }).evaluate((car) => {
          const { animationName, animationDelay } = getComputedStyle(car)
          return [animationName, animationDelay]
        })
      expect(await motion()).toEqual(['drive-in', '0.4s'])
      await page.emulateMedia({ reducedMotion: 'reduce' })
      expect((await motion())[0]).toBe('none')
    },
  )

  test.runIf(isExtended)(
    'has three tabs with the words of the specification, in French [spec 2.22, 2.23, 2.26, 2.28]',
    async () => {
      const { page } = await visit('/', { language: 'fr' })
      const headings = (await page.locator('main h2').allTextContents()).map(plain)
      expect(headings).toContain('Une Collection de Rêve... à Gagner !')
      const texts: string[][] = []
      for (const name of [/Inscription facile/, /Croisez les doigts/, /Tirage en direct/]) {
        await tab(page, name).click()
        const title = await panel(page).locator('> div > div > span').first().textContent()
        const both = [title, await panelLink(page).textContent()]
        texts.push(both.map((text) => plain(text).replace(/ \(.*\)$/, '')))
      }
      expect(texts).toEqual([
        ['Prêt à gagner ?', 'Je tente ma chance'],
        ['À vous de jouer', 'Je découvre les offres'],
        ['Moment clé', 'Voir le tirage'],
      ])
      expect(await page.getByRole('tab').count()).toBe(3)
    },
  )

  test.runIf(isExtended)(
    'leads a visitor to the registration, the offers and the video channel in a new tab [spec 2.24, 2.27, 2.29, 2.30]',
    async () => {
      const { page, context } = await visit('/')
      const link = panelLink(page)
      await awake(page)
      const href = () => link.getAttribute('href')
      await expect.poll(href).toBe('/register')
      await tab(page, t('homeBelow.tabs.choose.label')).click()
      await expect.poll(href).toBe('/offers')
      expect(await link.getAttribute('target')).toBeNull()
      await tab(page, t('homeBelow.tabs.draw.label')).click()
      await expect.poll(href).toBe(VIDEO_URL)
      const opened = context.waitForEvent('page')
      await link.click()
      await opened
      expect(new URL(page.url()).pathname).toBe('/')
    },
  )

  test.runIf(isExtended)(
    'leads a customer to the offers instead of the registration [spec 2.25]',
    async () => {
      const { page } = await member('/')
      expect(await panelLink(page).getAttribute('href')).toBe('/offers')
      expect(await panelLink(page).textContent()).toBe(t('homeBelow.tabs.register.button'))
    },
  )

  test('explains the steps: registration is free, an answer and tickets, a live draw [spec 1.12, 2.31]', async () => {
    const { body } = await shop.app.inject({ url: '/?lang=en' })
    expect(body).toContain('signing up is free')
    expect(body).toContain('The right answer lets you buy tickets.')
    expect(body).toContain('is drawn live on our video channel')
  })

  test.runIf(isExtended)(
    'shows Our Car Collection as three cards without controls, in 1, 2 or 3 columns [spec 1.15-1.19, 7.45]',
    async () => {
      const { page } = await visit('/')
      const collection = page.getByRole('region', { name: 'Our Car Collection' })
      const intro =
        'Discover our diverse range of exceptional vehicles, each offering a unique driving experience.'
      await collection.getByText(intro, { exact: true }).waitFor()
      const cards = collection.getByRole('listitem')
      const titles = await cards.getByRole('heading').allTextContents()
      expect(titles).toEqual(['Sports Cars', 'Electric Vehicles', 'Everyday Cars'])
      for (const one of await cards.all()) {
        expect(await one.locator('p').textContent()).not.toBe('')
        expect(await one.locator('img').getAttribute('src')).toMatch(/^\/media\/category-/)
      }
      expect(await collection.locator('a, button, [role=button], [tabindex]').count()).toBe(0)
      await hasColumns(
        page,
        'section:has(h2:text-is("Our Car Collection")) ul',
        [360, 1],
        [800, 2],
        [1440, 3],
      )
    },
  )

  test.each(LANGUAGES)('names the makes of the specification: %s [spec 1.11]', async (language) => {
    const { body } = await shop.app.inject({ url: `/?lang=${language}` })
    for (const make of ['Ford Mustang', 'Audi TT', 'Bentley Continental', 'BMW'])
      expect(plain(body)).toContain(make)
  })
})

/** Expects so many columns at each width. */
async function hasColumns(page: Page, grid: string, ...expected: [width: number, columns: number][]) {
  for (const [width, columns] of expected) {
    await page.setViewportSize({ width, height: 800 })
    const shown = () =>
      page.locator(grid).evaluate((list) => getComputedStyle(list).gridTemplateColumns.split(' ').length)
    await expect.poll(shown, { message: `${width} pixels` }).toBe(columns)
  }
}

test('the registration has a French title, description and keywords [spec 2.34, 2.101]', async () => {
  const { body } = await shop.app.inject({ url: '/register' })
  expect(body).toContain('<title>Créer mon compte | Volant</title>')
  expect(body).toMatch(/<meta name="description" content="Créez votre compte gratuitement/)
  expect(body).toMatch(/<meta name="keywords" content="concours voiture/)
})

test.each([
  ['fr', 'La page que vous recherchez n’existe pas.'],
  ['nl', 'De pagina die je zoekt, bestaat niet.'],
  ['en', 'The page you are looking for does not exist.'],
])('an unknown path gets 404 in %s, with a link home [spec 2.15, 2.16]', async (language, text) => {
  const { body, statusCode } = await shop.app.inject({ url: `/no/such/page?lang=${language}` })
  expect(statusCode).toBe(404)
  expect(body.replaceAll(/&#x27;|'/g, '’')).toContain(`>${text}<`)
  expect(body).toMatch(/<main.*<a [^>]*href="\/"/s)
})

describe('the list of offers', () => {
  test('shows picture, title, price, tickets sold of all, end date and button of each offer [spec 2.2, 2.42, 2.44-2.49, 2.52, 3.6, 6.2]', async () => {
    const { page } = await visit('/offers')
    expect(await page.locator('main h1').textContent()).toBe('Available offers')
    const open = card(page, 'Open car')
    expect(await open.locator('img').getAttribute('src')).toMatch(/^\/media\/roadster-front-/)
    await open.getByText('€4.90', { exact: true }).waitFor()
    await open.getByText('€43,900.00', { exact: true }).waitFor()
    await open.getByText(t('offers.card.sold', { sold: 15, total: 20 }), { exact: true }).waitFor()
    await open.getByText('1-in-20 chance per ticket', { exact: true }).waitFor()
    expect(await card(page, 'Ended car').getByText('chance per ticket').count()).toBe(0)
    expect(await open.locator('time').textContent()).toContain(END_SHOWN)
    await open.getByText(t('offers.card.viewDetails')).waitFor()
    expect(await card(page, 'Simple car').locator('img').count()).toBe(0)
  })

  test('is titled "Concours Automobiles" in French, and falls back to the French title of a car [spec 2.3, 2.39, 2.45, 3.11]', async () => {
    const french = await shop.app.inject({ url: '/offers' })
    expect(french.body).toContain('<title>Concours Automobiles | Volant</title>')
    const dutch = await shop.app.inject({ url: '/offers?lang=nl' })
    expect(dutch.body).toMatch(/lang="fr"[^>]*>Ouverte</)
  })

  test.runIf(isExtended)(
    'disables the button of an offer that has ended or is out of stock, and has 1, 2 or 4 columns [spec 2.43, 2.50, 2.51, 9.25]',
    async () => {
      const { page } = await visit('/offers')
      for (const [name, label, links] of [
        ['Full car', 'Out of stock', ['/draws/complete', '/login?next=%2Foffers%2Fcomplete']],
        ['Ended car', 'Offer ended', ['/draws/finie', '/login?next=%2Fdraws%2Ffinie', '/draws/finie']],
      ] as const) {
        const button = card(page, name).getByRole('button', { name: label })
        expect(await button.isDisabled(), name).toBe(true)
        // Hearts, which lead to the login, come late.
        const found = card(page, name).locator('a:not([aria-hidden])')
        await expect
          .poll(() => found.evaluateAll((all) => all.map((one) => one.getAttribute('href'))))
          .toEqual(links)
      }
      await hasColumns(page, 'ul[aria-label="Available offers"]', [360, 1], [1000, 2], [1440, 4])
    },
  )

  test.runIf(isExtended)(
    'leads a visitor to the login and a customer to the offer [spec 2.53, 2.54, 6.6]',
    async () => {
      const visitor = await visit('/offers')
      await details(visitor.page, 'Open car').click()
      await arrive(visitor.page, '/login')
      const { page } = await member('/offers')
      await details(page, 'Open car').click()
      await arrive(page, '/offers/ouverte')
    },
  )

  test.runIf(isExtended)(
    'leads by title and picture to the public page, and whoever is logged in to the offer',
    async () => {
      const links = async (page: Page, name: string) =>
        await card(page, name)
          .locator('a:has(picture), :is(h2, h3) a')
          .evaluateAll((found) => found.map((one) => one.getAttribute('href')))
      const { page } = await visit('/offers')
      expect(await links(page, 'Open car')).toEqual(['/draws/ouverte', '/draws/ouverte'])
      await page.getByRole('link', { name: 'Open car', exact: true }).click()
      await arrive(page, '/draws/ouverte')
      const signedIn = await member('/offers')
      await expect
        .poll(() => links(signedIn.page, 'Open car'))
        .toEqual(['/offers/ouverte', '/offers/ouverte'])
      expect(await links(signedIn.page, 'Ended car')).toContain('/draws/finie')
    },
  )

  test.runIf(isExtended).each([
    ['a visitor', visit, '/api/draws/ouverte/', 'draws.takePart.label'],
    ['a member', member, '/api/offers/ouverte/', 'offers.gallery.label'],
  ] as const)(
    'a press on a card shows its title and picture while the page is on its way: %s',
    async (who, open, path, part) => {
      const { page, faults } = await open('/offers', { width: 360 })
      const heading = page.getByRole('heading', { level: 1, name: 'Open car' })
      const isComing = page.getByText(t('offers.detail.loading'))
      const follow = () => card(page, 'Open car').getByRole('link', { name: 'Open car', exact: true }).click()
      const release = await holdBack(page, path)
      await awake(page)
      await follow()
      await isComing.waitFor({ state: 'attached' })
      expect(await page.title()).toContain('Open car')
      // The list may not have had its picture yet.
      await expect
        .poll(() => page.locator('main img').evaluate((one: HTMLImageElement) => one.naturalWidth))
        .toBeGreaterThan(0)
      await expect.poll(() => hasFocus(heading)).toBe(true)
      await seeAccessible(page)
      release()
      await page.getByRole('region', { name: t(part, { title: 'Open car' }) }).waitFor()
      await expect.poll(() => hasFocus(heading)).toBe(true)
      await page.goBack()
      await arrive(page, '/offers')
      await settled(page)
      expect(faults).toEqual([])

      await respondWith(page, path, { status: 500 })
      const refuse = await holdBack(page, path)
      await follow()
      await isComing.waitFor({ state: 'attached' })
      refuse()
      await seeTitle(page, t(who === 'a member' ? 'offers.detail.errorTitle' : 'pages.error.title'))
    },
  )

  test.runIf(isExtended)(
    'is sorted and filtered by its address, also without scripts and after going back',
    async ({ annotate }) => {
      const titles = (page: Page) => page.locator('main article :is(h2, h3)').allTextContents()
      const OVER = ['Full car', 'Ended car']

      await annotate('What is over stands apart, below a heading of its own')
      const { page } = await visit('/offers')
      expect(await titles(page)).toEqual(['Open car', 'Simple car', ...OVER])
      expect(
        await page
          .getByRole('list', { name: t('offers.list.over') })
          .getByRole('heading')
          .count(),
      ).toBe(2)

      await annotate('A choice changes the address and the list, without a request for it')
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const sort = page.getByLabel(t('offers.list.sort'))
      await sort.selectOption(t('offers.list.sorts.price'))
      await expect.poll(() => titles(page)).toEqual(['Simple car', 'Open car', ...OVER])
      expect(new URL(page.url()).search).toBe('?sort=price')
      await page.getByLabel(t('offers.list.price')).selectOption('low')
      await expect.poll(() => titles(page)).toEqual(['Simple car'])
      expect(new URL(page.url()).search).toBe('?sort=price&price=low')
      expect(asked).not.toContain('/api/offers/')
      await seeAccessible(page)

      await annotate('Going back, and coming back from a contest, finds the list as it was')
      await page.goBack()
      await expect.poll(() => titles(page)).toEqual(['Simple car', 'Open car', ...OVER])
      await page.getByRole('link', { name: 'Open car', exact: true }).click()
      await arrive(page, '/draws/ouverte')
      await page.goBack()
      await expect.poll(() => titles(page)).toEqual(['Simple car', 'Open car', ...OVER])
      expect(await sort.inputValue()).toBe('price')

      await annotate('A form does the same where no script runs, and search engines know one address')
      const still = await visit(undefined, { javaScriptEnabled: false })
      await still.page.goto('/offers')
      await still.page.getByLabel(t('offers.list.sort')).selectOption('value')
      await still.page.getByLabel(t('offers.list.price')).selectOption('middle')
      await still.page.getByRole('button', { name: t('offers.list.apply') }).click()
      await still.page.waitForURL(/\?price=middle&sort=value$/)
      expect((await titles(still.page))[0]).toBe('Open car')
      const { body } = await shop.app.inject({ url: '/offers?sort=price&price=high&lang=en' })
      expect(body).toMatch(/rel="canonical" href="[^"?]*\/offers\?lang=en"/)
      expect(body).toContain(t('offers.list.none'))
    },
  )

  test.runIf(isExtended)(
    'shows that it loads, shows only an error and a retry when offline, then loads [spec 2.55, 2.56, 8.19]',
    async () => {
      const { page } = await visit('/')
      const release = await holdBack(page, '/api/offers/')
      await follow(page, 'Offers')
      await page.getByText('Loading offers...').waitFor()
      await seeAccessible(page)
      release()
      await card(page, 'Open car').waitFor()
      await follow(page, 'Home')
      await page.getByRole('heading', { name: 'Win Your Dream Car.' }).waitFor()
      await page.context().setOffline(true)
      await follow(page, 'Offers')
      await page.getByText(`Error: ${OFFLINE}`, { exact: true }).waitFor()
      await seeAccessible(page)
      expect(await page.getByRole('article').count()).toBe(0)
      expect(await page.getByText(t('offers.intro')).count()).toBe(0)
      await page.context().setOffline(false)
      await page.getByRole('button', { name: t('offers.retry') }).click()
      await card(page, 'Open car').waitFor()
    },
  )

  const EMPTY = ['an empty list', []] as const
  const NO_LIST = ['anything but a list', { offers: 'many' }] as const

  test.runIf(isExtended).each(sized({ short: [EMPTY], extended: [EMPTY, NO_LIST] }))(
    'says that there is no offer when the API responds with %s [spec 2.57, 7.13, 8.40]',
    async (_, body) => {
      const { page } = await visit('/')
      await respondWith(page, '/api/offers/', { status: 200, body })
      await page.getByRole('link', { name: t('home.hero.action') }).click()
      await page.getByText('No offers available at the moment', { exact: true }).waitFor()
      await seeAccessible(page)
    },
  )
})

describe('the page of an offer', () => {
  test('shows title, description, price, tickets, one winner, end, and where the draw is shown [spec 1.3, 1.9, 1.10, 2.30, 2.61-2.66, 6.10, 9.5]', async () => {
    const { page } = await member('/offers/ouverte')
    await seeTitle(page, 'Open car')
    await page.getByText('Good car.', { exact: true }).waitFor()
    await page.getByText('€4.90', { exact: true }).first().waitFor()
    const facts = page.getByRole('region', { name: t('offers.detail.facts') })
    await facts.getByText(t('offers.detail.soldOf', { sold: 15, total: 20 }), { exact: true }).waitFor()
    await facts.getByText(t('offers.detail.winner'), { exact: true }).waitFor()
    await facts.getByText(t('offers.detail.odds', { total: 20 }), { exact: true }).waitFor()
    expect(await facts.locator('time').first().textContent()).toContain(END_SHOWN)
    const links = facts.locator('a[target=_blank]')
    const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(hrefs).toEqual([VIDEO_URL, SOCIAL_URL])
  })

  test.runIf(isExtended)(
    'shows one picture per view with thumbnails on its right, and enlarges it to the whole window [spec 2.58-2.60, 9.26]',
    async () => {
      const { page, faults } = await member('/offers/ouverte', { reducedMotion: 'reduce' })
      const gallery = page.getByRole('region', { name: t('offers.gallery.label', { title: 'Open car' }) })
      await gallery.waitFor()
      const track = gallery.locator('ul').first()
      const widths = await track.evaluate((list) => [
        list.clientWidth,
        ...[...list.children].map((slide) => (slide as HTMLElement).offsetWidth),
      ])
      expect(new Set(widths).size).toBe(1)
      const view = await track.boundingBox()
      const thumbnails = gallery.getByRole('button', { name: /^Show picture/ })
      expect(await thumbnails.count()).toBe(PICTURES.length)
      const beside = await thumbnails.first().boundingBox()
      expect(beside?.x).toBeGreaterThanOrEqual((view?.x ?? 0) + (view?.width ?? 0))
      const slide = (index: number) =>
        gallery.getByText(t('offers.gallery.slide', { index, count: 3 }), { exact: true })
      await thumbnails.nth(2).click()
      await slide(3).waitFor()
      await gallery.getByRole('button', { name: t('offers.gallery.previous') }).click()
      await slide(2).waitFor()

      await page.getByRole('button', { name: t('offers.gallery.enlarge', { index: 2, count: 3 }) }).click()
      const box = await page.locator('.yarl__container').boundingBox()
      expect([box?.width, box?.height]).toEqual([1440, 900])
      await isCalm(page)
      expect(faults).toEqual([])
      expect(await page.getByRole('button', { name: t('offers.gallery.zoomOut') }).isDisabled()).toBe(true)
      await page.keyboard.press('Escape')
      await page.locator('.yarl__container').waitFor({ state: 'detached' })
    },
  )

  test('asks its question in a drop-down, and only the right answer can be added [spec 1.6, 1.7, 2.67, 4.17, 5.45]', async () => {
    const { page } = await member('/offers/ouverte')
    const question = page.getByRole('combobox', { name: 'Deux et deux ?' })
    await question.waitFor()
    const choices = await question.locator('option').allTextContents()
    expect(choices).toEqual([t('offers.buy.choose'), '3', '4', '22'])
    expect(await addButton(page, t).isDisabled()).toBe(true)
    await question.selectOption('22')
    expect(await addButton(page, t).isDisabled()).toBe(true)
    await seeAccessible(page)
    await question.selectOption('4')
    expect(await addButton(page, t).isEnabled()).toBe(true)
    // One press does the same, and the keyboard does not pass each answer twice.
    const chip = (answer: string) => page.getByRole('button', { name: answer, exact: true })
    expect(await chip('4').getAttribute('aria-pressed')).toBe('true')
    await chip('3').click()
    expect(await question.inputValue()).toBe('3')
    expect(await addButton(page, t).isDisabled()).toBe(true)
    expect(await chip('3').getAttribute('tabindex')).toBe('-1')
    await seeAccessible(page)
    await page.goto('/offers/simple')
    await addButton(page, t).waitFor()
    expect(await page.getByRole('combobox').filter({ visible: true }).count()).toBe(2) // the language and the country of the VAT
    expect(await addButton(page, t).isEnabled()).toBe(true)
  })

  test.runIf(isExtended)(
    'limits the quantity to 1 and the tickets that remain, and shows the total on its button [spec 2.68, 2.69, 5.42, 5.43, 9.3, 9.4]',
    async () => {
      const { page } = await member('/offers/ouverte')
      await addButton(page, t).waitFor()
      const fewer = page.getByRole('button', { name: t('offers.buy.fewer') })
      const more = page.getByRole('button', { name: t('offers.buy.more') })
      expect(await quantity(page).inputValue()).toBe('1')
      expect(await fewer.isDisabled()).toBe(true)
      expect(await addButton(page, t).textContent()).toContain('€4.90')
      await more.click()
      expect(await addButton(page, t).textContent()).toContain('€9.80')
      await quantity(page).fill('99')
      await quantity(page).press('Enter')
      expect(await quantity(page).inputValue()).toBe('5')
      await page.getByText('Maximum: 5 tickets left.').first().waitFor()
      expect(await more.isDisabled()).toBe(true)
      for (const none of ['0', '1e2', '2,5', '-3']) {
        await quantity(page).fill(none)
        await quantity(page).blur()
        expect(await quantity(page).inputValue()).toBe('5')
        await page
          .getByText(t('offers.buy.notWhole', { quantity: 5 }))
          .first()
          .waitFor()
      }
      await quantity(page).fill('1')
      await quantity(page).blur()
      expect(await fewer.isDisabled()).toBe(true)
    },
  )

  test('has picture, price, question and quantity on the first screen of a phone, and a picture of 60 % on a desktop', async () => {
    const { page } = await member('/offers/ouverte', { width: 360 })
    await page.setViewportSize({ width: 360, height: 740 })
    const gallery = page.getByRole('region', { name: t('offers.gallery.label', { title: 'Open car' }) })
    const price = page.getByRole('main').getByText('€4.90', { exact: true }).first()
    const bottom = (await page.getByRole('region', { name: t('offers.buy.barLabel') }).boundingBox())?.y ?? 0
    const parts = [gallery, price, page.getByRole('combobox', { name: 'Deux et deux ?' }), quantity(page)]
    for (const part of parts) {
      const box = await part.boundingBox()
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(bottom)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    const widths = await gallery.evaluate((section) => [
      section.querySelector('ul')!.clientWidth,
      section.closest('article')!.querySelector('h1')!.getBoundingClientRect().width,
    ])
    expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeGreaterThanOrEqual(0.6)
  })

  test.runIf(isExtended)('offers quantities with price and odds, at most what is left', async () => {
    const { page } = await member('/offers/ouverte')
    const chips = page.getByRole('group', { name: t('contest.buy.quick') }).getByRole('button')
    await chips.first().waitFor()
    // 15 of 20 are sold; the odds are those of all 20.
    expect((await chips.allTextContents()).map(plain)).toEqual([
      '1 ticket,€5.93, 1 in 20',
      '5 tickets,€29.65, 1 in 4',
    ])
    await chips.nth(1).click()
    expect(await quantity(page).inputValue()).toBe('5')
    expect(await chips.nth(1).getAttribute('aria-pressed')).toBe('true')
  })

  test.runIf(isExtended)('leads with one press to the cart, and shows other contests that run', async () => {
    const { page } = await member('/offers/simple')
    const related = page.locator('section', { has: page.locator('#related') })
    await related.getByRole('article', { name: 'Open car' }).waitFor()
    expect(await related.getByRole('article', { name: /Full|Ended/ }).count()).toBe(0)
    await page.getByRole('button', { name: t('contest.buy.now') }).click()
    await arrive(page, '/cart')
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Simple/i })
      .first()
      .waitFor()
  })

  test.runIf(isExtended)(
    'shows first who has won a contest that was drawn, and the way to the proofs',
    async () => {
      const { draw, claim } = await insertDraw(shop, { slug: 'gagnee', stage: 'drawn' })
      await claim()
      const { page } = await member('/offers/gagnee')
      const outcome = page.getByRole('region', { name: t('contest.outcome.title') })
      await outcome.getByText('Ada, Namur').waitFor()
      await outcome.getByText(String(draw.results[0]!.number).padStart(2, '0')).first().waitFor()
      const proofs = outcome.getByRole('link', { name: t('contest.outcome.see') })
      expect(await proofs.getAttribute('href')).toBe('/draws/gagnee')
      expect((await outcome.boundingBox())?.y).toBeLessThan(
        (await page.getByRole('button', { name: 'Offer ended' }).first().boundingBox())?.y ?? 0,
      )
      expect(await page.getByLabel(t('offers.price.country')).count()).toBe(0)
      await seeAccessible(page)
    },
  )

  test.runIf(isExtended)(
    'shows "Adding to cart..." while it adds, then links to the cart; each press is a call with a key of its own [spec 4.16, 8.46]',
    async () => {
      const { page, faults } = await member('/offers/simple', { width: 360, reducedMotion: 'reduce' })
      const added = () => page.waitForRequest(/add_item/)
      const first = added()
      const release = await holdBack(page, '/api/cart/*/add_item/')
      await addButton(page, t).click()
      const busy = page.getByRole('button', { name: t('offers.buy.adding') }).filter({ visible: true })
      await busy.waitFor()
      expect(await busy.isDisabled()).toBe(true)
      release()
      await page.getByText('Added to cart', { exact: true }).first().waitFor()
      await isCalm(page)
      // Its styles come from a file: the policy forbids those of the library.
      const shown = page.locator('[data-sonner-toast]')
      expect(await shown.evaluate((one) => getComputedStyle(one).position)).toBe('absolute')
      expect(await page.locator('style').count()).toBe(0)
      const next = page.getByRole('link', { name: t('offers.buy.seeCart', { count: 1 }) })
      expect(await next.filter({ visible: true }).getAttribute('href')).toBe('/cart')
      const second = added()
      await addButton(page, t).click()
      const keys = (await Promise.all([first, second])).map((call) => call.headers()['idempotency-key'])
      expect(keys).toEqual([expect.stringMatching(/./), expect.not.stringMatching(keys[0] ?? '')])
      expect(faults).toEqual([])
    },
  )

  test.runIf(isExtended)(
    'has a cart button with the number of tickets below 768 px, once the cart is not empty [spec 2.70, 9.24]',
    async () => {
      const { page, customer } = await member('/offers/simple', { width: 767 })
      const bar = page.getByRole('region', { name: t('offers.buy.barLabel') })
      await bar.waitFor()
      expect(await bar.getByRole('link', { name: /See cart/ }).count()).toBe(0)
      await customer.add(await shop.newOffer(), 3)
      await page.reload()
      const seeCart = bar.getByRole('link', { name: t('offers.buy.seeCart', { count: 3 }) })
      await seeCart.waitFor()
      expect(await seeCart.getAttribute('href')).toBe('/cart')
      await page.setViewportSize({ width: 768, height: 900 })
      await seeCart.waitFor({ state: 'hidden' })
    },
  )

  test.each([
    ['complete', 'Out of stock'],
    ['finie', 'Offer ended'],
  ])('of %s sells nothing and shows "%s" [spec 4.12-4.15]', async (slug, label) => {
    const { page } = await member(`/offers/${slug}`)
    const button = page.getByRole('button', { name: label }).filter({ visible: true })
    await button.waitFor()
    expect(await button.isDisabled()).toBe(true)
    expect(await quantity(page).count()).toBe(0)
    await seeAccessible(page)
  })

  test.runIf(isExtended)(
    'shows that it loads, that it does not exist, and why it cannot be loaded [spec 2.71-2.73, 8.5, 8.17, 8.18]',
    async () => {
      const { body } = await shop.app.inject({ url: '/offers/simple?lang=en' })
      expect(body).toContain(t('offers.detail.loading'))
      const { page } = await member('/offers/nowhere')
      await page.getByRole('heading', { name: 'Offer not found' }).waitFor()
      await seeAccessible(page)
      await page.goto('/offers/simple')
      await addButton(page, t).waitFor()
      await follow(page, 'Offers')
      // The page of the offer has cards, too.
      await page.getByRole('heading', { level: 1, name: t('offers.title') }).waitFor()
      await card(page, 'Open car').waitFor()
      await page.context().setOffline(true)
      await details(page, 'Open car').click()
      await page.getByText(OFFLINE, { exact: true }).waitFor()
      await seeAccessible(page)
      await page.context().setOffline(false)
      await page.getByRole('button', { name: t('offers.retry') }).click()
      await page.getByRole('heading', { name: 'Open car' }).waitFor()
    },
  )
})

describe.each(TESTED_LANGUAGES)('a refused addition to the cart, in %s', (language) => {
  const say = words(language)

  test.runIf(isExtended)(
    'shows below the question that the server calls the answer wrong [spec 8.12]',
    async () => {
      const slug = `answer-${language}`
      const question = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
      const offerId = await shop.newOffer({ slug, ...question })
      const { page } = await member(`/offers/${slug}`, { language })
      const select = page.getByRole('combobox', { name: question.question })
      await select.selectOption('4')
      await shop.changeOffer(offerId, { correct_choice: '3' })
      const responded = page.waitForResponse((response) => response.url().includes('/add_item/'))
      await addButton(page, say).click()
      expect(await (await responded).json()).toMatchObject({ detail: 'Mauvaise réponse.' })
      await page.getByRole('combobox', { description: say('offers.buy.wrongAnswer') }).waitFor()
      expect(await select.getAttribute('aria-invalid')).toBe('true')
      expect(await addButton(page, say).isDisabled()).toBe(true)
      expect(await page.locator('[data-sonner-toast]').count()).toBe(0)
    },
  )

  test.runIf(isExtended)(
    'shows the server’s own words, or a general text, in a toast [spec 8.15, 8.16]',
    async () => {
      const slug = `ended-${language}`
      const offerId = await shop.newOffer({ slug })
      const { page } = await member(`/offers/${slug}`, { language })
      await respondWith(page, '/api/cart/*/add_item/', { status: 500 }, 1)
      await addButton(page, say).click()
      await seeToast(page, say('offers.buy.addError'))
      await respondWith(page, '/api/cart/*/add_item/', 'cut', 2)
      await addButton(page, say).click()
      await seeToast(page, say('errors.network'))
      await shop.changeOffer(offerId, { end_date: new Date() })
      const responded = page.waitForResponse((response) => response.url().includes('/add_item/'))
      await addButton(page, say).click()
      const { detail } = (await (await responded).json()) as { detail: string }
      expect(detail).toMatch(/(Concours|Wedstrijd|Contest) \d+/)
      await toast(page, detail).first().waitFor()
    },
  )

  test.runIf(isExtended)(
    'asks a customer without a stored token to log in [spec 6.7, 6.8, 8.14]',
    async () => {
      const { page } = await member(undefined, { language })
      await openContest(page, '/offers/simple')
      await keepTokens(page, { access: null })
      await addButton(page, say).click()
      await arrive(page, '/login')
      await seeToast(page, say('offers.buy.authRequired'), say('offers.buy.authRequiredText'))
    },
  )
})

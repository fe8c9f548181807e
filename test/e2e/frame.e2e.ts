import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { paths } from '#client/paths.ts'
import { Policy } from '#features/policies/policies.contract.ts'
import { OFFLINE_HEADERS, offlinePage } from '#server/pages/plain-pages.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { awake, settled, startBrowser } from '../support/browser.ts'
import { seeAccessible, smallTargets } from '../support/page-checks.ts'
import {
  respondWith,
  arrive,
  askedWaits,
  holdBack,
  press,
  recordTimers,
  seeTitle,
} from '../support/page-control.ts'
import { openStage, stageOf } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended, sized } from '../support/tier.ts'

const ADMIN_URL = 'https://backend.example/admin/'
const POSTAL_ADDRESS = 'Free Entries, PO Box 77, Leeds'

const t = words('en')
const TOGGLE = t('frame.toggleSidebar')

const { shop, visit, member } = await openStage({
  env: {
    ADMIN_URL,
    POSTAL_ADDRESS,
    DEVELOPER_NAME: 'Ateliers Volant',
    DEVELOPER_URL: 'https://ateliers.example',
  },
})

beforeAll(() => shop.newOffer({ slug: 'ouverte', title: 'Ouverte' }))

const sidebar = (page: Page) => page.locator('aside.frame-sidebar')
const menu = (page: Page) => sidebar(page).getByRole('navigation', { name: t('frame.mainMenu') })

/** Names of the visible entries from top to bottom, groups among them. */
const entries = async (page: Page): Promise<string[]> => {
  const shown = menu(page).locator('[data-label], summary > span').filter({ visible: true })
  return await shown.allTextContents()
}

const cookie = async (page: Page) =>
  (await page.context().cookies()).find(({ name }) => name === 'sidebar_state')

describe('the sidebar', () => {
  test('shows a visitor the entries of the specification, in order, and the draws [spec 2.124, 6.18]', async () => {
    const { page } = await visit('/')
    expect(await entries(page)).toEqual(['Home', 'Offers', 'Draws', 'Contact', 'Rules', 'Login', 'Register'])
  })

  test('shows a customer their entries, the profile as a group that folds [spec 2.114, 2.120, 2.122, 6.18]', async () => {
    const { page } = await member('/offers')
    const group = ['My Participations', 'Favourites', 'My Data']
    const top = ['Home', 'Offers', 'Draws', 'Cart', 'Profile']
    const bottom = ['Contact', 'Rules', 'Logout']
    expect(await entries(page)).toEqual([...top, ...group, ...bottom])
    await menu(page).locator('summary').click()
    expect(await entries(page)).toEqual([...top, ...bottom])
  })

  const STAFF = [
    ['staff', 'support'],
    ['superusers', 'owner'],
  ] as const
  test.each(isExtended ? STAFF : STAFF.slice(1))(
    'shows %s the admin panel as well, in a new tab [spec 2.123, 3.17, 6.16, 6.17]',
    async (_, role) => {
      const customer = await shop.newCustomer()
      await shop.db.updateTable('users').set({ role }).where('id', '=', customer.id).execute()
      const { page } = await member('/offers', { customer })
      const link = menu(page).getByRole('link', { name: 'Admin Panel' })
      await link.waitFor()
      expect(await link.getAttribute('href')).toBe(ADMIN_URL)
      expect(await link.getAttribute('target')).toBe('_blank')
      expect((await entries(page)).at(-1)).toBe('Admin Panel')
    },
  )

  test.runIf(isExtended)(
    'counts the tickets in the cart beside its entry, and nothing when there are none [spec 2.121, 9.36]',
    async () => {
      const customer = await shop.newCustomer()
      const { page } = await member('/offers', { customer })
      await page.getByText('Welcome, buyer', { exact: false }).waitFor()
      expect(await menu(page).locator('[data-badge]').count()).toBe(0)
      await customer.add(await shop.newOffer(), 3)
      await customer.add(await shop.newOffer(), 4)
      await page.reload()
      const badge = menu(page).locator('[data-badge]')
      await badge.waitFor()
      expect(await badge.locator('[aria-hidden]').textContent()).toBe('7')
    },
  )

  test.runIf(isExtended)(
    'is 16rem wide, 3rem as icons, and remembers which in sidebar_state for 7 days [spec 2.128, 4.55, 4.56, 9.28, 9.29, 9.31]',
    async () => {
      const { page } = await member('/offers', { reducedMotion: 'reduce' })
      const width = async () => (await sidebar(page).boundingBox())?.width
      expect(await width()).toBe(256)
      await press(page, TOGGLE)
      await expect.poll(width).toBe(48)
      await seeAccessible(page)
      const kept = await cookie(page)
      expect(kept).toMatchObject({ value: 'false', sameSite: 'Lax', path: '/', secure: false })
      expect(Math.round(((kept?.expires ?? 0) * 1_000 - Date.now()) / 86_400_000)).toBe(7)
      await page.reload()
      expect(await width()).toBe(48)
    },
  )

  test.runIf(isExtended)(
    'starts as icons for visitors and wide for customers, before any module runs and after; then the cookie decides',
    async () => {
      const { page } = await visit(undefined, { reducedMotion: 'reduce' })
      const { page: members } = await member(undefined, { reducedMotion: 'reduce' })
      for (const [one, start, toggled] of [
        [page, 48, 256],
        [members, 256, 48],
      ] as const) {
        const width = async () => (await sidebar(one).boundingBox())?.width
        const release = await holdBack(one, '/assets/*.js')
        await one.goto('/offers', { waitUntil: 'commit' })
        await sidebar(one).waitFor()
        expect(await width()).toBe(start)
        release()
        await awake(one)
        expect(await width()).toBe(start)
        await press(one, TOGGLE)
        await expect.poll(width).toBe(toggled)
        await one.reload()
        expect(await width()).toBe(toggled)
      }
    },
  )

  test.runIf(isExtended)(
    'opens and closes by Ctrl+B and Cmd+B, but not while somebody types [spec 2.129, 9.32]',
    async () => {
      const { page } = await visit('/login')
      const state = () => page.locator('.frame').getAttribute('data-sidebar')
      await page.locator('main h1').focus()
      await page.keyboard.press('Control+b')
      expect(await state()).toBe('expanded')
      await page.keyboard.press('Meta+b')
      expect(await state()).toBe('collapsed')
      await page.getByLabel(t('accounts.email')).focus()
      await page.keyboard.press('Control+b')
      expect(await state()).toBe('collapsed')
    },
  )

  test.runIf(isExtended)('names its icons at once, other icons after 700 ms [spec 9.33, 9.34]', async () => {
    const { page } = await member()
    await recordTimers(page)
    const shown = () => page.locator('[popover]:popover-open').allTextContents()
    await page.goto('/offers')
    await awake(page)
    await page.getByRole('button', { name: TOGGLE }).hover()
    await expect.poll(shown).toEqual([TOGGLE])
    expect(await askedWaits(page)).toContain(700)
    await press(page, TOGGLE)
    // A page of its own: a tooltip that follows another one soon shows at once in any case.
    await page.reload()
    await awake(page)
    await askedWaits(page)
    await menu(page).getByRole('link', { name: 'Offers' }).hover()
    await expect.poll(shown).toEqual(['Offers'])
    const delays = await askedWaits(page)
    expect(delays).toContain(0)
    expect(delays).not.toContain(700)
  })

  test.runIf(isExtended)(
    'stands beside the page from 768 pixels on; below it is a sheet of 18rem, closed by Escape and by following an entry [spec 2.140, 9.24, 9.30]',
    async () => {
      const { page } = await visit('/offers', { width: 768 })
      await press(page, TOGGLE)
      expect(await sidebar(page).isVisible()).toBe(true)
      expect(await page.locator('dialog[open]').count()).toBe(0)
      await page.context().clearCookies({ name: 'sidebar_state' })
      await page.setViewportSize({ width: 767, height: 900 })
      await sidebar(page).waitFor({ state: 'hidden' })
      const sheet = page.getByRole('dialog', { name: t('frame.mainMenu') })
      await press(page, TOGGLE)
      await sheet.waitFor()
      await seeAccessible(page)
      expect((await sheet.boundingBox())?.width).toBeCloseTo(288)
      expect(await sheet.evaluate((dialog) => dialog.matches(':modal'))).toBe(true)
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      await press(page, TOGGLE)
      await sheet.getByRole('link', { name: 'Rules' }).click()
      await arrive(page, paths.terms())
      await sheet.waitFor({ state: 'hidden' })
      expect(await cookie(page)).toBeUndefined()
    },
  )

  test.runIf(isExtended)('offers three languages at its foot and keeps the choice [spec 2.125]', async () => {
    const { page } = await visit('/offers', { language: 'fr' })
    const language = sidebar(page).getByLabel(words('fr')('frame.language')).filter({ visible: true })
    const choices = language.locator('option')
    const values = await choices.evaluateAll((all) => all.map((one) => one.getAttribute('value')))
    expect(values).toEqual(['fr', 'nl', 'en'])
    await language.selectOption('nl')
    await page.waitForFunction(() => document.documentElement.lang === 'nl')
    await page.goto('/login')
    expect(await page.locator('html').getAttribute('lang')).toBe('nl')
  })
})

describe('the top bar', () => {
  test.runIf(isExtended)(
    'shows the path: titles of the menu, other segments decoded and capitalised [spec 2.130, 2.131]',
    async () => {
      const { page } = await member()
      const crumbs = () =>
        page
          .getByRole('navigation', { name: t('frame.breadcrumb') })
          .getByRole('listitem')
          .allTextContents()
      await page.goto('/profile/participations')
      await page.locator('main h1').waitFor()
      expect(await crumbs()).toEqual(['Home', 'Profile', 'My Participations'])
      await page.goto('/offers/%C3%A9lan-gt')
      expect(await crumbs()).toEqual(['Home', 'Offers', 'Élan-gt'])
    },
  )

  test.runIf(isExtended)(
    'welcomes a customer by username, and nobody after the logout [spec 2.132]',
    async () => {
      const { page, customer } = await member('/offers')
      const { body } = await customer.get('/api/user/profile/')
      await page.getByText(`Welcome, ${body['username']}`, { exact: true }).waitFor()
      // The profile is asked for as the page opens, and its response comes after the session has ended.
      const release = await holdBack(page, '/api/user/profile/')
      await page.goto('/logout')
      await arrive(page, '/login')
      release()
      await settled(page)
      expect(await page.getByText(/Welcome/).count()).toBe(0)
    },
  )
})

test.runIf(isExtended)(
  'links to places of a page lead there, one after the other and twice, and Back leads to where each was pressed',
  async () => {
    const { page } = await visit('/policies/terms-and-conditions')
    await settled(page)
    const links = page.getByRole('navigation', { name: t('policies.contents') }).getByRole('link')
    const places = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')!))
    expect(places.length).toBeGreaterThan(7)
    const isInView = (place: string): Promise<boolean> =>
      page.locator(place).evaluate((target) => {
        const { top } = target.getBoundingClientRect()
        return top >= 0 && top < innerHeight
      })
    for (const place of [1, 5, 2, 2, places.length - 1, 0].map((index) => places[index]!)) {
      // By the keyboard: a press by the mouse would scroll to the link first.
      await links.and(page.locator(`[href="${place}"]`)).evaluate((link: HTMLElement) => {
        link.focus({ preventScroll: true })
        link.click()
      })
      await expect.poll(() => isInView(place), { message: place }).toBe(true)
      await page.evaluate(() => window.scrollTo(0, 40))
    }
    await page.goBack()
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(40)
  },
)

test('every page states that only adults take part [spec 1.5, 5.50]', async () => {
  for (const path of ['/', '/offers', '/login', '/policies/terms-and-conditions']) {
    const { body } = await shop.app.inject({ url: `${path}?lang=en` })
    expect(body, path).toContain(t('frame.adultsOnly'))
  }
})

describe('the policy banner', () => {
  test.runIf(isExtended)(
    'is fixed to the foot of the home page and the cart alone, and leaves room below the page [spec 2.133-2.135]',
    async () => {
      const { page } = await member()
      const banner = page.getByRole('complementary', { name: t('frame.policy.title') })
      for (const path of ['/', '/cart']) {
        await page.goto(path)
        await page.locator('main h1').waitFor()
        expect(await banner.evaluate((element) => getComputedStyle(element).position), path).toBe('fixed')
        const foot = () => banner.evaluate((element) => Math.round(element.getBoundingClientRect().bottom))
        await expect.poll(foot).toBe(900)
        // Its height may change while its fonts load.
        const room = () =>
          banner.evaluate((element) => {
            const column = document.querySelector('.frame > div') as HTMLElement
            return parseFloat(getComputedStyle(column).paddingBottom) - element.getBoundingClientRect().height
          })
        await expect.poll(room).toBe(0)
      }
      await page.goto('/offers')
      expect(await banner.count()).toBe(0)
    },
  )

  test.runIf(isExtended)('can be dismissed for the page view only [spec 2.139]', async () => {
    const { page } = await visit('/')
    const banner = page.getByRole('complementary', { name: t('frame.policy.title') })
    await press(page, t('frame.policy.dismiss'))
    expect(await banner.count()).toBe(0)
    const column = page.locator('.frame > div')
    expect(await column.evaluate((element) => getComputedStyle(element).paddingBottom)).toBe('0px')
    await menu(page).getByRole('link', { name: 'Home' }).click()
    await banner.waitFor()
    await press(page, t('frame.policy.dismiss'))
    await menu(page).getByRole('link', { name: 'Offers' }).click()
    await arrive(page, '/offers')
    await menu(page).getByRole('link', { name: 'Home' }).click()
    await banner.waitFor()
  })

  // The other PDFs: policies.routes.test.ts.
  test.runIf(isExtended)('opens the rules of its language in a new tab [spec 2.136, 2.137]', async () => {
    const { page } = await visit('/', { language: 'nl' })
    const read = page.locator('.policy-banner').getByRole('link', { name: 'Lees' })
    expect(await read.getAttribute('href')).toBe('/terms-and-conditions-nl.pdf')
    expect(await read.getAttribute('target')).toBe('_blank')
  })
})

test('the footer has the copyright, the developer, who runs the shop, the ways to pay and the free entry [spec 2.126, 2.127]', async () => {
  const { page } = await visit('/login')
  const footer = page.getByRole('contentinfo')
  const year = await page.evaluate(() => new Date().getUTCFullYear())
  await footer.getByText(`© ${year} `, { exact: false }).waitFor()
  const credit = footer.getByRole('link', { name: 'Ateliers Volant' })
  expect(await credit.getAttribute('href')).toBe('https://ateliers.example')
  const { companyName, companyNumber, companyAddress } = shop.config
  const registered = t('frame.footer.registered', { place: 'in the United Kingdom' })
  const numbered = t('frame.footer.number', { name: 'Company number', number: companyNumber })
  for (const text of [companyName, registered, numbered, companyAddress])
    await footer.getByText(text).waitFor()
  const items = await footer.getByRole('listitem').allTextContents()
  expect(items).toEqual(expect.arrayContaining(['PayPal', 'Bancontact', 'iDEAL', 'eps']))
  await footer.getByRole('link', { name: t('frame.footer.freeEntry') }).click()
  await page.waitForURL('**/policies/terms-and-conditions#free-entry')
  await page.locator('h3#free-entry').waitFor()
})

test.runIf(isExtended)('a page whose data cannot be loaded shows an accessible error', async () => {
  const { page } = await visit('/offers')
  await respondWith(page, '/api/policies/terms/', { status: 503, body: {} })
  await menu(page).getByRole('link', { name: 'Rules' }).click()
  await seeTitle(page, t('pages.error.title'))
  await seeAccessible(page)
})

const offlineWorkerActive = (page: Page) =>
  expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => active?.state)))
    .toBe('activated')

/** The language that the offline page will have. */
const languageOffline = (page: Page) =>
  page.evaluate(async () => (await caches.match('/', { cacheName: 'page-language' }))?.text())

test.runIf(isExtended).each(TESTED_LANGUAGES)(
  'offline, a page that was never visited is our own, in the reader’s language, and loads once there is a connection: %s',
  async (language) => {
    const say = words(language)
    const { page, context } = await visit('/login', { language, offlineWorker: true })
    await offlineWorkerActive(page)
    await expect.poll(() => languageOffline(page)).toBe(language)
    await context.setOffline(true)
    await page.goto('/contact')
    await page.getByRole('heading', { name: say('errors.unreachable.title') }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    expect(await page.evaluate(() => caches.keys())).toEqual(['page-language'])
    await page.getByRole('link', { name: say('errors.unreachable.retry') }).click()
    await page.getByText(say('errors.unreachable.tickets'), { exact: true }).waitFor()
    // By itself.
    await context.setOffline(false)
    await seeTitle(page, say('contact.title'))

    // Not offline, which the tools of the check would end.
    const { page: same } = await visit(undefined, { language })
    const body = offlinePage(language, 'Volant')
    await same.route('**/contact', (route) => route.fulfill({ headers: OFFLINE_HEADERS, body }))
    await same.goto('/contact')
    await seeAccessible(same, {}, ['light', 'dark'])
    expect(await smallTargets(same)).toEqual([])
  },
)

// Chromium can lose the response to a navigation whose worker is replaced meanwhile.
test.runIf(isExtended)(
  'a change of language does not replace the offline worker, and no page is waited for without end',
  async () => {
    const browser = await startBrowser()
    onTestFinished(() => browser.close())
    const { page } = await stageOf(shop, browser).visit('/login', { offlineWorker: true })
    await offlineWorkerActive(page)
    for (let change = 0; change < sized({ short: 3, extended: 120 }); change += 1) {
      const language = LANGUAGES[change % LANGUAGES.length] ?? 'en'
      await page.goto(`/login?lang=${language}`)
      await expect.poll(() => languageOffline(page)).toBe(language)
      const workers = await page.evaluate(async () => {
        const all = await navigator.serviceWorker.getRegistrations()
        return all.map(({ installing, waiting, active }) => [installing, waiting, active?.scriptURL])
      })
      expect(workers).toEqual([[null, null, `${shop.config.publicUrl}/offline-worker.js`]])
    }
  },
)

test.runIf(isExtended)('a visitor logs in from the top bar on a phone', async () => {
  const { page } = await visit('/offers', { width: 390 })
  const login = page.getByRole('banner').getByRole('link', { name: t('frame.menu.login') })
  await login.click()
  await arrive(page, '/login')
  await login.waitFor({ state: 'detached' })
})

// Their heads: test/http/search-engines.test.ts.
test.each(LANGUAGES)(
  'the server renders the rules, with each section, the free entry and their PDF, and the accessibility statement: %s [spec 1.1, 1.25, 2.14, 2.116, 2.117, 5.51, 6.5, 9.19, 9.37]',
  async (language) => {
    const textOf = async (path: string) => (await shop.app.inject({ url: `${path}?lang=${language}` })).body
    const data = await shop.anonymous('GET', '/api/policies/terms/', undefined, { language })
    const policy = Policy.parse(data.body)
    const rules = await textOf(paths.terms())
    for (const part of [
      `<title>${policy.title} | Volant</title>`,
      ...policy.sections.flatMap(({ id }) => [`<h2 id="${id}"`, `href="#${id}"`]),
      'id="free-entry"',
      `href="${paths.termsPdf(language)}"`,
      `<dd>${POSTAL_ADDRESS}</dd>`,
      '16.06.2025',
    ])
      expect(rules).toContain(part)
    expect(rules.match(/<h1/g)).toHaveLength(1)
    expect(rules).toMatch(/aria-current="page"[^>]*href="\/policies\/terms-and-conditions"/)
    const statement = await textOf(paths.accessibility())
    const title = words(language)('pages.accessibility.title').replace("'", '&#x27;')
    expect(statement).toContain(`<title>${title} | Volant</title>`)
    for (const id of ['standard', 'measures', 'testing', 'shortcomings', 'report', 'enforcement'])
      expect(statement).toContain(`<h2 id="${id}"`)
  },
)

test.runIf(isExtended).each(TESTED_LANGUAGES)(
  'the accessibility statement is linked from every footer and from the rules, and links to the contact form: %s',
  async (language) => {
    const say = words(language)
    const { page, faults } = await visit(paths.login(), { language })
    const statement = page.locator('h2#shortcomings')
    await page
      .getByRole('contentinfo')
      .getByRole('link', { name: say('frame.menu.accessibility') })
      .click()
    await statement.waitFor()
    await page.goto(paths.terms())
    await awake(page)
    const link = { name: say('pages.accessibility.title'), exact: true }
    await page.locator('main').getByRole('link', link).click()
    await statement.waitFor()
    await page.getByRole('link', { name: say('policies.reportBarrier'), exact: true }).click()
    await seeTitle(page, say('contact.title'))
    expect(faults).toEqual([])
  },
)

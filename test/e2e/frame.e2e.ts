import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import type { Customer } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import {
  askedWaits,
  member,
  network,
  putIntoCart,
  recordCookies,
  recordTimers,
  visit,
  writtenCookies,
} from '../support/visits.ts'
import { words } from '../support/words.ts'

const ADMIN_URL = 'https://backend.example/admin/'

const t = words('en')
const TOGGLE = t('frame.toggleSidebar')
const BANNER = t('frame.policy.title')

const env = { ADMIN_URL, DEVELOPER_NAME: 'Ateliers Volant', DEVELOPER_URL: 'https://ateliers.example' }
const { shop, browser } = await openStage({ env })

beforeAll(async () => {
  await shop.newOffer({ slug: 'ouverte', title: 'Ouverte' })
})

const sidebar = (page: Page) => page.locator('aside.frame-sidebar')
const menu = (page: Page) => sidebar(page).getByRole('navigation', { name: t('frame.mainMenu') })

/** Names of the visible entries from top to bottom, groups among them. */
const entries = async (page: Page): Promise<string[]> => {
  const shown = menu(page).locator('[data-label], summary > span').filter({ visible: true })
  return await shown.allTextContents()
}

const cookie = async (page: Page) =>
  (await page.context().cookies()).find(({ name }) => name === 'sidebar_state')

async function staff(flags: { is_staff?: boolean; is_superuser?: boolean }): Promise<Customer> {
  const customer = await shop.newCustomer()
  await shop.db.updateTable('users').set(flags).where('id', '=', customer.id).execute()
  return customer
}

describe('the sidebar', () => {
  test('shows a visitor the entries of the specification, in its order [spec 2.124, 6.18]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/')
    expect(await entries(page)).toEqual(['Home', 'Offers', 'Contact', 'Rules', 'Login', 'Register'])
    await close()
  })

  test('shows a customer theirs, the profile as a group that folds [spec 2.114, 2.120, 2.122, 6.18]', async () => {
    const { page, close } = await member(browser, shop)
    await page.goto('/offers')
    await awake(page)
    const group = ['My Participations', 'My Data']
    const top = ['Home', 'Offers', 'Cart', 'Profile']
    const bottom = ['Contact', 'Rules', 'Logout']
    expect(await entries(page)).toEqual([...top, ...group, ...bottom])
    await menu(page).locator('summary').click()
    expect(await entries(page)).toEqual([...top, ...bottom])
    await close()
  })

  test.each([
    ['staff', { is_staff: true }],
    ['superusers', { is_superuser: true }],
  ])('shows %s the admin panel as well, in a new tab [spec 2.123, 3.17, 6.16, 6.17]', async (_, flags) => {
    const { page, close } = await member(browser, shop, { customer: await staff(flags) })
    await page.goto('/offers')
    const link = menu(page).getByRole('link', { name: 'Admin Panel' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(ADMIN_URL)
    expect(await link.getAttribute('target')).toBe('_blank')
    expect((await entries(page)).at(-1)).toBe('Admin Panel')
    await close()
  })

  test('counts the tickets in the cart beside its entry, and nothing when there are none [spec 2.121, 9.36]', async () => {
    const customer = await shop.newCustomer()
    const { page, close } = await member(browser, shop, { customer })
    await page.goto('/offers')
    await page.getByText('Welcome, buyer', { exact: false }).waitFor()
    expect(await menu(page).locator('[data-badge]').count()).toBe(0)
    await putIntoCart(customer, await shop.newOffer(), 3)
    await putIntoCart(customer, await shop.newOffer(), 4)
    await page.reload()
    const badge = menu(page).locator('[data-badge]')
    await badge.waitFor()
    expect(await badge.locator('[aria-hidden]').textContent()).toBe('7')
    await close()
  })

  test('is 16rem wide, 3rem as icons, and remembers which in sidebar_state for 7 days [spec 2.128, 4.55, 4.56, 9.28, 9.29, 9.31]', async () => {
    const { page, close } = await visit(browser, shop)
    await recordCookies(page)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto('/offers')
    await awake(page)
    const width = async () => (await sidebar(page).boundingBox())?.width
    expect(await width()).toBe(256)
    await page.getByRole('button', { name: TOGGLE }).click()
    await expect.poll(width).toBe(48)
    expect((await cookie(page))?.value).toBe('false')
    expect(await writtenCookies(page)).toEqual([expect.stringContaining('; max-age=604800;')])
    await page.reload()
    expect(await width()).toBe(48)
    await close()
  })

  test('opens and closes by Ctrl+B and Cmd+B, but not while somebody types [spec 2.129, 9.32]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/login')
    await awake(page)
    const state = () => page.locator('.frame').getAttribute('data-sidebar')
    await page.locator('main h1').focus()
    await page.keyboard.press('Control+b')
    expect(await state()).toBe('collapsed')
    await page.keyboard.press('Meta+b')
    expect(await state()).toBe('expanded')
    await page.getByLabel(t('accounts.email')).focus()
    await page.keyboard.press('Control+b')
    expect(await state()).toBe('expanded')
    await close()
  })

  test('names its icons at once, other icons after 700 ms [spec 9.33, 9.34]', async () => {
    const { page, close } = await visit(browser, shop)
    await recordTimers(page)
    await page.goto('/offers')
    await awake(page)
    const shown = () => page.locator('[popover]:popover-open').allTextContents()
    await page.getByRole('button', { name: TOGGLE }).hover()
    await expect.poll(shown).toEqual([TOGGLE])
    expect(await askedWaits(page)).toContain(700)
    await page.getByRole('button', { name: TOGGLE }).click()
    await page.mouse.move(700, 500)
    await page.waitForTimeout(350)
    await askedWaits(page)
    await menu(page).getByRole('link', { name: 'Offers' }).hover()
    await expect.poll(shown).toEqual(['Offers'])
    const delays = await askedWaits(page)
    expect(delays).toContain(0)
    expect(delays).not.toContain(700)
    await close()
  })

  test('is a sheet below 768 pixels, and stands beside the page from there on [spec 9.24]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/offers')
    await awake(page)
    for (const [width, beside] of [
      [767, false],
      [768, true],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(() => sidebar(page).isVisible(), { message: `${width} pixels` }).toBe(beside)
      await page.getByRole('button', { name: TOGGLE }).click()
      expect(await page.locator('dialog[open]').count(), `${width} pixels`).toBe(beside ? 0 : 1)
      if (!beside) await page.keyboard.press('Escape')
    }
    await close()
  })

  test('is a sheet of 18rem over the page on a phone, closed by Escape and by following an entry [spec 2.140, 9.30]', async () => {
    const { page, close } = await visit(browser, shop, { width: 390 })
    await page.goto('/offers')
    await awake(page)
    expect(await sidebar(page).isVisible()).toBe(false)
    const sheet = page.getByRole('dialog', { name: t('frame.mainMenu') })
    await page.getByRole('button', { name: TOGGLE }).click()
    await sheet.waitFor()
    expect((await sheet.boundingBox())?.width).toBeCloseTo(288)
    expect(await sheet.evaluate((dialog) => dialog.matches(':modal'))).toBe(true)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: TOGGLE }).click()
    await sheet.getByRole('link', { name: 'Rules' }).click()
    await page.waitForURL('**/policies/terms-and-conditions')
    await sheet.waitFor({ state: 'hidden' })
    expect(await cookie(page)).toBeUndefined()
    await close()
  })

  test('offers the three languages at its foot; the choice is kept [spec 2.125]', async () => {
    const { page, close } = await visit(browser, shop, { language: 'fr' })
    await page.goto('/offers')
    await awake(page)
    const language = sidebar(page).getByLabel(words('fr')('frame.language')).filter({ visible: true })
    expect(
      await language.locator('option').evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
    ).toEqual(['fr', 'nl', 'en'])
    await language.selectOption('nl')
    await page.waitForFunction(() => document.documentElement.lang === 'nl')
    await page.goto('/login')
    expect(await page.locator('html').getAttribute('lang')).toBe('nl')
    await close()
  })
})

describe('the top bar', () => {
  test('tells where the visitor is: titles of the menu, other segments decoded and capitalised [spec 2.130, 2.131]', async () => {
    const { page, close } = await member(browser, shop)
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
    await close()
  })

  test('welcomes who is signed in by their username, and nobody else [spec 2.132]', async () => {
    const { page, customer, close } = await member(browser, shop)
    await page.goto('/offers')
    const { body } = await customer.get('/api/user/profile/')
    await page.getByText(`Welcome, ${body['username']}`, { exact: true }).waitFor()
    // The profile is asked for as the page opens, and its answer comes after the session has ended.
    await network(page, { latency: 400 })
    await page.goto('/logout')
    await page.waitForURL('**/login')
    await page.waitForLoadState('networkidle')
    expect(await page.getByText(/Welcome/).count()).toBe(0)
    await close()
  })
})

test('the footer has the copyright with the current year and the developer credit [spec 2.126, 2.127]', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/login')
  const footer = page.getByRole('contentinfo')
  const year = await page.evaluate(() => new Date().getUTCFullYear())
  await footer.getByText(`© ${year} `, { exact: false }).waitFor()
  const credit = footer.getByRole('link', { name: 'Ateliers Volant' })
  expect(await credit.getAttribute('href')).toBe('https://ateliers.example')
  await close()
})

test('every page says that only adults take part [spec 1.5, 5.50]', async () => {
  for (const path of ['/', '/offers', '/login', '/policies/terms-and-conditions']) {
    const { body } = await shop.app.inject({ url: `${path}?lang=en` })
    expect(body, path).toContain(t('frame.adultsOnly'))
  }
})

describe('the policy banner', () => {
  test('is fixed to the foot of the home page and the cart alone, and leaves room below the page [spec 2.133-2.135]', async () => {
    const { page, close } = await member(browser, shop)
    const banner = page.getByRole('complementary', { name: BANNER })
    for (const path of ['/', '/cart']) {
      await page.goto(path)
      await page.locator('main h1').waitFor()
      expect(await banner.evaluate((element) => getComputedStyle(element).position), path).toBe('fixed')
      const foot = () => banner.evaluate((element) => Math.round(element.getBoundingClientRect().bottom))
      await expect.poll(foot).toBe(900)
      // How high it is may change while its letters are on the way.
      const room = () =>
        banner.evaluate((element) => {
          const column = document.querySelector('.frame > div') as HTMLElement
          return parseFloat(getComputedStyle(column).paddingBottom) - element.getBoundingClientRect().height
        })
      await expect.poll(room).toBe(0)
    }
    await page.goto('/offers')
    expect(await banner.count()).toBe(0)
    await close()
  })

  test('can be dismissed for the page view only [spec 2.139]', async () => {
    const { page, close } = await visit(browser, shop)
    await page.goto('/')
    await awake(page)
    const banner = page.getByRole('complementary', { name: BANNER })
    await banner.getByRole('button', { name: t('frame.policy.dismiss') }).click()
    expect(await banner.count()).toBe(0)
    expect(
      await page.locator('.frame > div').evaluate((column) => getComputedStyle(column).paddingBottom),
    ).toBe('0px')
    await menu(page).getByRole('link', { name: 'Home' }).click()
    await banner.waitFor()
    await banner.getByRole('button', { name: t('frame.policy.dismiss') }).click()
    await menu(page).getByRole('link', { name: 'Offers' }).click()
    await page.waitForURL('**/offers')
    await menu(page).getByRole('link', { name: 'Home' }).click()
    await banner.waitFor()
    await close()
  })

  test.each([
    ['fr', 'Lire', '/terms-and-conditions.pdf'],
    ['nl', 'Lees', '/terms-and-conditions-nl.pdf'],
    ['en', t('frame.policy.read'), '/terms-and-conditions-en.pdf'],
  ] as const)(
    'opens the rules of its language in a new tab: %s [spec 2.136, 2.137]',
    async (language, name, pdf) => {
      const { page, close } = await visit(browser, shop, { language })
      await page.goto('/')
      const read = page.locator('.policy-banner').getByRole('link', { name })
      expect(await read.getAttribute('href')).toBe(pdf)
      expect(await read.getAttribute('target')).toBe('_blank')
      expect((await fetch(shop.config.publicUrl + pdf)).headers.get('content-type')).toBe('application/pdf')
      await close()
    },
  )
})

test('the footer says who runs the shop, how one pays, and leads to the free entry', async () => {
  const { page, close } = await visit(browser, shop)
  await page.goto('/login')
  await awake(page)
  const footer = page.getByRole('contentinfo')
  const { companyName, companyNumber, companyAddress } = shop.config
  await footer.getByText(companyName).waitFor()
  await footer.getByText(t('frame.footer.registered', { number: companyNumber })).waitFor()
  await footer.getByText(companyAddress).waitFor()
  expect(await footer.getByRole('listitem').allTextContents()).toEqual(
    expect.arrayContaining(['PayPal', 'venmo', 'bancontact']),
  )
  await footer.getByRole('link', { name: t('frame.footer.freeEntry') }).click()
  await page.waitForURL('**/policies/terms-and-conditions#free-entry')
  await page.locator('h3#free-entry').waitFor()
  await close()
})

test('a visitor logs in from the top bar on a phone', async () => {
  const { page, close } = await visit(browser, shop, { width: 390 })
  await page.goto('/offers')
  await awake(page)
  const login = page.getByRole('banner').getByRole('link', { name: t('frame.menu.login') })
  await login.click()
  await page.waitForURL('**/login')
  await login.waitFor({ state: 'detached' })
  await close()
})

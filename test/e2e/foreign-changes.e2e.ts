import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Visitor, printPage, settled, startExtended } from '../support/browser.ts'
import { seeScreen } from '../support/console.ts'
import { changeEarly, changeOnceRead } from '../support/extension.ts'
import {
  addButton,
  approve,
  arrive,
  beginPayment,
  hasFocus,
  holdBack,
  keepTokens,
  logIn,
  press,
  seeTitle,
  wallet,
} from '../support/page-control.ts'
import { seenRoutes } from '../support/routes.ts'
import { fillShowroom } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { TRANSLATED, TRANSLATORS, type Translator, translate } from '../support/translator.ts'
import { words } from '../support/words.ts'

const { shop, visit, member } = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const t = words('en')

beforeAll(() => fillShowroom(shop))

/** React says so when it made a page anew; a browser reports every page that it could not find. */
const EXPECTED = /Minified React error #4(?:18|22|23|25)\b|status of 40[134]/
const ofOurs = (faults: string[]): string[] => faults.filter((fault) => !EXPECTED.test(fault))

/** The pages from which a link is followed; the short form of the tests takes one of each kind of content. */
const LEADING = sized({
  short: ['/', '/offers', '/login', '/contact', '/draws/verify', '/nowhere/at-all'],
  extended: seenRoutes
    .map(({ path }) => path)
    .filter((path) => !path.endsWith('/live') && path !== '/policies/terms-and-conditions'),
})

/** The public pages that are looked at; the others differ in their content alone. */
const SEEN = sized({ short: LEADING, extended: seenRoutes.map(({ path }) => path) })

/** What the page says, without the marks of the translator. */
const said = async (page: Page): Promise<string> =>
  (await page.locator('main').innerText()).replaceAll(TRANSLATED, '').replaceAll(/\s+/g, ' ')

describe('With an extension that changes every page before, while and after it starts', () => {
  let visitor: Visitor
  let page: Page
  let faults: string[]

  beforeAll(async () => {
    visitor = await startExtended(
      { baseUrl: shop.config.publicUrl, language: 'en' },
      { document_start: changeEarly, document_end: changeOnceRead, document_idle: changeOnceRead },
    )
    ;({ page, faults } = visitor)
  })
  afterAll(() => visitor.close())
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await printPage(visitor)
  })

  /** Nothing of the page is lost, and nothing failed. */
  async function seePage(path: string): Promise<void> {
    await settled(page)
    expect(await page.locator('.first-in-body').count(), path).toBeGreaterThan(0)
    const text = await said(page)
    expect(text, path).not.toContain(t('pages.error.title'))
    expect(text.length, path).toBeGreaterThan(60)
    expect(ofOurs(faults), path).toEqual([])
    faults.length = 0
  }

  /** Follows a link within the shop, and comes back. */
  async function lead(path: string): Promise<void> {
    await page.evaluate(changeOnceRead)
    await page.evaluate(() => void Object.assign(window, { isSame: true }))
    await page.locator('footer a[href="/policies/terms-and-conditions"]').first().click()
    await seeTitle(page, t('pages.terms.title'))
    expect(await page.title(), path).toContain(t('pages.terms.title'))
    expect(await page.evaluate(() => 'isSame' in window), path).toBe(true)
    await page.goBack()
    await seePage(path)
  }

  const paths = (...kinds: string[]) =>
    seenRoutes.filter(({ kind }) => kinds.includes(kind)).map((route) => route.path)

  test.runIf(isExtended)('every public page is there, and its links lead on', async () => {
    for (const path of paths('indexed', 'unlisted', 'account', 'demo', 'missing')) {
      if (path === '/logout' || !SEEN.includes(path)) continue
      await page.goto(path)
      await seePage(path)
      if (LEADING.includes(path)) await lead(path)
    }
  })

  test.each([
    ['/login', { email: 'somebody@example.test', password: 'correct horse' }],
    ['/register', { username: 'somebody', email: 'somebody@example.test', password: 'correct horse' }],
    ['/contact', { user_name: 'Somebody', user_email: 'somebody@example.test', message: 'A question.' }],
  ])(
    'what somebody has typed on %s, before the page starts, stays, and so does the focus',
    async (path, typed) => {
      const page = await visitor.context.newPage()
      const begin = await holdBack(page, '/assets/*.js')
      await page.goto(path, { waitUntil: 'domcontentloaded' })
      // Each of its two changes moves the first field, which takes the focus from whoever begins to type there.
      await expect.poll(() => page.locator('.first-in-body').count()).toBe(2)
      for (const [name, value] of Object.entries(typed))
        await page.locator(`main [name="${name}"]`).fill(value)
      const last = page.locator('main [name]').filter({ visible: true }).nth(1)
      await last.focus()
      const name = (await last.getAttribute('name')) ?? ''
      const before = await page.locator('main form').elementHandle()
      begin()
      // React has made the form anew.
      await expect.poll(() => before!.evaluate((form) => form.isConnected)).toBe(false)
      await settled(page)
      for (const [key, value] of Object.entries(typed))
        expect(await page.locator(`main [name="${key}"]`).inputValue(), key).toBe(value)
      expect(await hasFocus(page.locator(`main [name="${name}"]`))).toBe(true)
      expect(ofOurs(faults)).toEqual([])
      await page.close()
    },
  )

  test.runIf(isExtended)('somebody logs in, buys, and sees the numbers', async () => {
    const customer = await shop.newCustomer()
    const offerId = await shop.newOffer({ slug: 'gekauft', title: 'Gekauft', price_cents: 490 })
    await page.goto('/login')
    await settled(page)
    await logIn(page, t, customer)
    await arrive(page, '/')
    await keepTokens(page, { billing_country: 'BE' })
    await page.goto('/offers/gekauft')
    await addButton(page, t).click()
    await page.getByText(t('offers.buy.added')).first().waitFor()
    await page.goto('/cart')
    await wallet(page).waitFor()
    await page.evaluate(changeOnceRead)
    await press(page, t('offers.buy.more'))
    await expect.poll(() => said(page)).toContain('€9.80')
    await approve(await beginPayment(visitor))
    await arrive(page, '/profile/participations')
    await page
      .getByText(t('tickets.count', { count: 2 }))
      .first()
      .waitFor()
    expect(await shop.counters(offerId)).toMatchObject({ tickets_sold: 2 })
    for (const path of paths('guarded')) {
      await page.goto(path)
      await seePage(path)
    }
  })

  test.runIf(isExtended)('somebody of staff signs in to the console and works there', async () => {
    const { email, password } = await shop.newStaff('owner')
    await page.goto('/admin/')
    await page.getByLabel(t('console.signIn.email')).fill(email)
    await page.getByLabel(t('console.signIn.password'), { exact: true }).fill(password)
    await page.getByRole('button', { name: t('console.signIn.submit'), exact: true }).click()
    await seeScreen(page)
    for (const path of ['orders', 'customers', 'offers', 'draws', 'alerts']) {
      await page.evaluate(changeOnceRead)
      await page.locator(`nav a[href="/admin/${path}"]`).first().click()
      await page.waitForURL(`**/admin/${path}`)
      await seeScreen(page)
    }
    expect(ofOurs(faults)).toEqual([])
  })
})

/** The two that replace texts are the commonest; the short form of the tests sees one thing with each. */
const TESTED_TRANSLATORS = sized<readonly Translator[]>({
  short: ['replaced', 'merged'],
  extended: TRANSLATORS,
})

describe.each(TESTED_TRANSLATORS)('On a page that a translator changes, texts %s', (way) => {
  const translated = async (path: string, options: Parameters<typeof member>[1] = {}) => {
    const visitor = await member(undefined, { stored: { billing_country: 'BE' }, ...options })
    await visitor.page.addInitScript(translate, way)
    await visitor.page.goto(path)
    await settled(visitor.page)
    return visitor
  }

  test.runIf(isExtended)('the amounts of the cart are the present ones after every change', async () => {
    const customer = await shop.newCustomer()
    for (const price_cents of [490, 1_250])
      await customer.add(await shop.newOffer({ title: `Für ${price_cents}`, price_cents }), 2)
    const { page, context, faults } = await translated('/cart', { customer })
    await wallet(page).waitFor()
    // The same cart, as nobody changes it.
    const plain = await context.newPage()
    const seeSame = async (): Promise<void> => {
      await plain.goto('/cart')
      await settled(plain)
      await wallet(plain).waitFor()
      const figures = async (one: Page) => (await said(one)).match(/[€\d][\d.,]*/g)
      const wanted = await figures(plain)
      expect(wanted!.length).toBeGreaterThan(10)
      await expect.poll(() => figures(page)).toEqual(wanted)
    }
    await seeSame()
    for (const change of ['offers.buy.more', 'offers.buy.more', 'offers.buy.fewer'] as const) {
      const response = page.waitForResponse(/update_item/)
      await page
        .locator('main button:has(svg)')
        .and(page.getByLabel(t(change)))
        .first()
        .click()
      await response
      await seeSame()
    }
    await page.locator('main select').first().selectOption('FR')
    await keepTokens(plain, { billing_country: 'FR' })
    await seeSame()
    expect(ofOurs(faults)).toEqual([])
  })

  const submit = (page: Page) => page.locator('main form [type="submit"]').first().click()
  const enter = async (page: Page, values: Record<string, string>): Promise<void> => {
    for (const [name, value] of Object.entries(values))
      await page.locator(`main [name="${name}"]`).fill(value)
  }
  const see = (page: Page, ...texts: string[]) =>
    expect
      .poll(async () => {
        const text = await said(page)
        return texts.filter((one) => !text.includes(one.replaceAll(/\s+/g, ' ')))
      })
      .toEqual([])
  const follow = (page: Page, path: string) => page.locator(`a[href="${path}"]:visible`).first().click()

  test.runIf(isExtended || way === 'replaced')(
    'somebody registers, writes, logs in, buys and sees the numbers',
    async ({ annotate }) => {
      const slug = `voiture-${way.toLowerCase()}`
      const offerId = await shop.newOffer({
        slug,
        price_cents: 1_250,
        question: 'Deux et deux ?',
        choices: ['3', '4'],
        correct_choice: '4',
      })

      await annotate('Somebody opens the offers')
      const { page, context, faults } = await visit()
      await page.addInitScript(translate, way)
      // The contact form refuses automated browsers.
      await page.addInitScript(() => Object.defineProperty(navigator, 'webdriver', { get: () => false }))
      await page.goto('/offers')
      await settled(page)

      await annotate('Somebody writes a message')
      await follow(page, '/contact')
      await see(page, t('contact.title'))
      await submit(page)
      await see(page, t('formErrors.contact.messageTooShort'))
      await enter(page, {
        user_name: 'Somebody',
        user_email: 'somebody@example.test',
        message: 'A question about a car.',
      })
      await submit(page)
      await see(page, t('contact.sent'))

      await annotate('Somebody registers')
      await page.goto('/register')
      await settled(page)
      await submit(page)
      await see(page, t('formErrors.username.required'), t('formErrors.phone.required'))
      const email = `${way.toLowerCase()}@example.test`
      const password = 'correct horse'
      await enter(page, { username: way, email, phone: '612345678', password, confirm: password })
      await submit(page)
      await arrive(page, '/login')
      await see(page, t('accounts.login.title'))

      await annotate('Somebody logs in')
      await enter(page, { email: '', password: '' })
      await submit(page)
      await see(page, t('errors.email.required'), t('formErrors.password.required'))
      await enter(page, { email, password: 'wrong horse' })
      await submit(page)
      await see(page, t('errors.auth.badCredentials'))
      await enter(page, { password })
      await submit(page)
      await arrive(page, '/')

      await annotate('Somebody puts two tickets into the cart')
      await page.locator('header a[href="/offers"], aside a[href="/offers"]').first().click()
      await follow(page, `/offers/${slug}`)
      const answer = page.locator('main select:has([value="4"]):visible').first()
      await answer.selectOption('3')
      await see(page, t('offers.buy.wrongAnswer'))
      await answer.selectOption('4')
      await press(page, t('offers.buy.more'))
      await page
        .locator('main button', { hasText: t('offers.buy.add') })
        .filter({ visible: true })
        .first()
        .click()
      await page.getByText(t('offers.buy.added')).first().waitFor()

      await annotate('Somebody changes how many tickets are in the cart')
      await follow(page, '/cart')
      await see(page, '€25.00')
      await page.locator('main select:has([value="BE"]):visible').first().selectOption('BE')
      await see(page, '€30.25')
      await press(page, t('offers.buy.more'))
      await see(page, '€37.50', '€45.38')
      await press(page, t('offers.buy.fewer'))
      await see(page, '€25.00', '€30.25')

      await annotate('Somebody pays')
      await wallet(page).waitFor()
      const approval = await beginPayment({ page, context })
      await approve(approval)
      await arrive(page, '/profile/participations')

      await annotate('Somebody sees the numbers')
      await see(page, t('tickets.count', { count: 2 }))
      const tickets = await shop.db
        .selectFrom('tickets')
        .select('number')
        .where('offer_id', '=', offerId)
        .execute()
      expect(tickets.length).toBe(2)
      await see(page, ...tickets.map(({ number }) => String(number).padStart(2, '0')))
      expect(ofOurs(faults)).toEqual([])
    },
  )
})

describe('A page that nobody has changed', () => {
  const headOf = (page: Page) =>
    page
      .locator('head')
      .locator('title, meta, link[rel="canonical"], link[rel="alternate"]')
      .evaluateAll((all) => all.map(({ outerHTML }) => outerHTML).toSorted())

  test.runIf(isExtended)('continues what the server sent, with the same ids and the same head', async () => {
    const { page, faults } = await visit()
    const plain = (await visit(undefined, { javaScriptEnabled: false })).page
    for (const path of ['/register', '/contact', '/offers', '/draws/ouverte']) {
      await Promise.all([page.goto(path), plain.goto(path)])
      await settled(page)
      const ids = await page.locator('#shop [id]').evaluateAll((all) =>
        all.map((element) => {
          const props = Object.entries(element).find(([name]) => name.startsWith('__reactProps$'))?.[1] as
            | { id?: string }
            | undefined
          return [element.id, props?.id]
        }),
      )
      expect(ids.length, path).toBeGreaterThan(2)
      expect(
        ids.filter(([shown, meant]) => shown !== meant),
        path,
      ).toEqual([])
      expect(await headOf(page), path).toEqual(await headOf(plain))
    }
    expect(faults).toEqual([])
  })
})

describe('Where the page cannot start, the one that the server sent stays, and its links lead on:', () => {
  const forbid = (name: string): void =>
    void Object.defineProperty(name === 'onLine' ? Navigator.prototype : window, name, {
      get() {
        throw new Error('forbidden')
      },
      set() {},
    })

  test.each([
    ['a part around every page has failed', 'onLine'],
    ['the router has failed', '__reactRouterManifest'],
  ])('%s', async (_, name) => {
    const { page, faults } = await visit()
    await page.addInitScript(forbid, name)
    await page.goto('/offers')
    await expect.poll(() => faults.join()).toContain('forbidden')
    await page.locator('main h1').waitFor()
    const text = await said(page)
    expect(text).toContain('Open car')
    expect(text).not.toContain(t('pages.error.title'))
    await page.locator('footer a[href="/policies/terms-and-conditions"]').first().click()
    await seeTitle(page, t('pages.terms.title'))
    expect((await said(page)).length).toBeGreaterThan(1_000)
  })

  test('a script has failed to load', async () => {
    const { page } = await visit()
    await page.route(/\/assets\/base-.*\.js/, (route) => route.abort())
    await page.goto('/offers')
    await page.getByText('Open car').first().waitFor()
    await page.locator('footer a[href="/policies/terms-and-conditions"]').first().click()
    await seeTitle(page, t('pages.terms.title'))
  })
})

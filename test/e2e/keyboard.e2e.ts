import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { type Visitor, awake } from '../support/browser.ts'
import { still } from '../support/page-checks.ts'
import { addButton, arrive, beginPayment, hasFocus, seeTitle, wallet } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { isExtended } from '../support/tier.ts'
import { words } from '../support/words.ts'

/** What a keyboard user sees of the element that has the focus. */
interface Stop {
  /** For reading a failure: role or tag, and name. */
  name: string
  /** What is wrong with it, in words. */
  faults: string[]
}

/** Where a walk gives up: no page of the shop has more stops than this. */
const LONGEST_WALK = 160

/**
 * Uses a page with nothing but keys. Each stop of the focus is looked at: it must be inside the window, not covered by
 * something else (WCAG 2.4.11), and marked by an outline (2.4.7).
 */
class Keyboard {
  /** Everything found at any stop, one line each. */
  readonly faults: string[] = []

  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Presses a key and looks at what has the focus then. */
  async press(key: string): Promise<Stop> {
    await this.page.keyboard.press(key)
    await settled(this.page)
    const stop = await this.page.evaluate(stopOf)
    for (const fault of stop.faults) {
      const line = `${new URL(this.page.url()).pathname} after ${key}: ${stop.name}: ${fault}`
      if (!this.faults.includes(line)) this.faults.push(line)
    }
    return stop
  }

  /** Presses Tab (or another key) until the element has the focus. */
  async to(target: Locator, key = 'Tab'): Promise<void> {
    await target.first().waitFor({ state: 'attached' })
    const passed: string[] = []
    for (let step = 0; step < LONGEST_WALK; step += 1) {
      const stop = await this.press(key)
      if (await hasFocus(target)) return
      passed.push(stop.name)
    }
    throw new Error(`${key} never reaches ${String(target)}; it passes: ${[...new Set(passed)].join(' | ')}`)
  }

  /** Reaches the element and presses Enter on it. */
  async enter(target: Locator, key?: string): Promise<void> {
    await this.to(target, key)
    await this.page.keyboard.press('Enter')
  }

  /** Reaches a text field, replaces its text. */
  async type(target: Locator, text: string): Promise<void> {
    await this.to(target)
    await this.page.keyboard.type(text)
  }

  /** Reaches a select and moves through its choices until the wanted one is chosen. */
  async choose(target: Locator, value: string): Promise<void> {
    await this.to(target)
    for (let step = 0; step < LONGEST_WALK; step += 1) {
      if ((await target.inputValue()) === value) return
      await this.page.keyboard.press('ArrowDown')
    }
    throw new Error(`no choice of ${String(target)} has the value ${value}`)
  }
}

/** Resolves when the page has stopped moving: focus scrolls to its element, toasts slide in. */
async function settled(page: Page): Promise<void> {
  await still(page)
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let last = Number.NaN
        const look = (): void => {
          const box = document.activeElement?.getBoundingClientRect()
          const now = (box?.top ?? 0) * 10_000 + (box?.left ?? 0)
          if (now === last) return resolve()
          last = now
          requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }),
  )
}

/** Runs in the page. */
function stopOf(): { name: string; faults: string[] } {
  const focused = document.activeElement as HTMLElement | null
  if (!focused || focused === document.body) return { name: '(page)', faults: [] }
  // A radio button that is drawn by its label is looked at as that label.
  const label = focused.matches('input[type=radio]') ? focused.closest('label') : null
  const shown = label ?? focused
  // A link that runs over two lines is looked at in the first: the box around both holds its neighbours, too.
  const box = shown.getClientRects()[0] ?? shown.getBoundingClientRect()
  const words = focused.getAttribute('aria-label') ?? focused.textContent ?? ''
  const name = `${focused.getAttribute('role') ?? focused.tagName.toLowerCase()} "${words.trim().slice(0, 40)}"`
  const faults: string[] = []

  const style = getComputedStyle(shown)
  // Headings and the page's main part take the focus from scripts; only what can be used must be marked.
  const usable = focused.tabIndex >= 0
  if (usable && (style.outlineStyle === 'none' || Number.parseFloat(style.outlineWidth) < 2)) {
    faults.push('no visible outline')
  }
  const [width, height] = [document.documentElement.clientWidth, window.innerHeight]
  const left = Math.max(0, box.left)
  const right = Math.min(width, box.right)
  const top = Math.max(0, box.top)
  const bottom = Math.min(height, box.bottom)
  if (right - left < 1 || bottom - top < 1) return { name, faults: [...faults, 'outside of the window'] }
  if (usable) {
    const points = [
      [(left + right) / 2, (top + bottom) / 2],
      [left + 3, (top + bottom) / 2],
      [(left + right) / 2, top + 3],
      [(left + right) / 2, bottom - 3],
    ] as const
    for (const [x, y] of points) {
      const there = document.elementFromPoint(x, y)
      if (!there || shown.contains(there) || there.contains(shown)) continue
      faults.push(
        `covered by ${there.tagName.toLowerCase()} "${(there.textContent ?? '').trim().slice(0, 30)}"`,
      )
      break
    }
  }
  return { name, faults }
}

const PICTURES = ['fastback-detail', 'roadster-front', 'supercar-night']
const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
const t = words('fr')

const { shop, visit, member } = await openStage()

/** A window without a touch screen. */
const FRENCH = { language: 'fr', touch: false } as const

/** The visitor with a keyboard, once the page has its heading. */
async function withKeys<V extends Visitor>(opening: Promise<V>): Promise<V & { keys: Keyboard }> {
  const visitor = await opening
  await visitor.page.locator('main h1').waitFor()
  return { ...visitor, keys: new Keyboard(visitor.page) }
}

/** The new page has its title, and its heading has the focus (WCAG 2.4.2, 2.4.3). */
async function arrives(page: Page, path: RegExp, title: string): Promise<void> {
  await page.waitForURL(path)
  await awake(page)
  await expect.poll(() => page.title()).toContain(title)
  await expect.poll(() => hasFocus(page.locator('main h1'))).toBe(true)
}

test.runIf(isExtended).for([360, 1440])(
  'a ticket is bought with the keyboard alone, from the first page to its number: %i pixels wide',
  async (width, { annotate }) => {
    const slug = `clavier-${width}`
    await shop.newOffer({ ...QUESTION, slug, title: `Clavier ${width}`, pictures: PICTURES })

    await annotate('The visitor goes to the offers')
    const visitor = await withKeys(visit('/', { ...FRENCH, width }))
    const { page, keys, faults } = visitor
    const button = (key: MessageKey) => page.getByRole('button', { name: t(key), exact: true })
    const label = (key: MessageKey) => page.getByLabel(t(key), { exact: true })

    await keys.press('Tab')
    await expect.poll(() => hasFocus(page.getByRole('link', { name: t('frame.skip') }))).toBe(true)
    await keys.press('Enter')
    await keys.press('Tab')
    await expect.poll(() => hasFocus(page.getByRole('link', { name: t('home.hero.action') }))).toBe(true)
    await keys.press('Enter')
    await arrives(page, /\/offers$/, t('pages.offers.title'))

    await annotate('The visitor opens an offer, which asks for an account')
    await keys.enter(
      page.getByRole('link', { name: t('offers.card.viewDetailsOf', { title: `Clavier ${width}` }) }),
    )
    await arrives(page, /\/login\?next=/, t('pages.login.title'))
    await keys.enter(page.locator('main').getByRole('link', { name: t('accounts.login.toRegister') }))
    await arrives(page, /\/register\?next=/, t('pages.register.title'))

    await annotate('The visitor registers and logs in')
    // The list of errors leads to their fields.
    await keys.enter(button('accounts.register.submit'))
    await keys.enter(page.getByRole('main').getByRole('link', { name: t('accounts.email'), exact: true }))
    await expect.poll(() => hasFocus(label('accounts.email'))).toBe(true)
    await keys.to(label('accounts.username'), 'Shift+Tab')
    await page.keyboard.type(`clavier${width}`)
    await keys.type(label('accounts.email'), `clavier-${width}@example.test`)
    await keys.choose(label('accounts.dialCode'), '+32')
    await keys.type(label('accounts.phone'), '0471234567')
    await keys.type(label('accounts.password'), 'correct horse')
    await keys.type(label('accounts.confirm'), 'correct horse')
    await keys.press('Enter')
    await arrives(page, /\/login\?next=/, t('pages.login.title'))
    // Everything is filled in.
    await keys.enter(button('accounts.login.submit'))
    await arrives(page, new RegExp(`/offers/${slug}$`), `Clavier ${width}`)

    await annotate('The customer puts two tickets into the cart')
    await keys.choose(page.getByLabel(QUESTION.question), '4')
    await keys.to(button('offers.buy.more'))
    await keys.press('Space')
    await keys.enter(addButton(page, t))
    await page.getByText(t('offers.buy.added')).first().waitFor()
    const toCart = page.locator('aside').getByRole('link', { name: t('frame.menu.cart') })
    if (width >= 768) await keys.enter(toCart, 'Shift+Tab')
    else await keys.enter(page.getByRole('link', { name: t('offers.buy.seeCart', { count: 2 }) }))
    await arrive(page, '/cart')
    await seeTitle(page, t('cart.title'))

    await annotate('The customer pays and reaches the ticket')
    await keys.choose(page.getByLabel(t('cart.country.label')), 'BE')
    await keys.to(wallet(page))
    const approval = await beginPayment(visitor, () => page.keyboard.press('Enter'))
    // The provider's window is plain HTML.
    await new Keyboard(approval).enter(approval.locator('button[value="approve"]'))
    await page.getByText(t('checkout.success')).first().waitFor()
    await page.waitForURL(/\/profile\/participations/)
    await keys.to(page.getByRole('button', { name: /PDF$/ }).first())

    expect(keys.faults).toEqual([])
    expect(faults).toEqual([])
  },
)

test('the menu of phones keeps the focus, closes on Escape and returns the focus', async () => {
  const { page, keys } = await withKeys(visit('/', { ...FRENCH, width: 360 }))
  const toggle = page.getByRole('button', { name: t('frame.toggleSidebar') })
  await keys.enter(toggle)
  const sheet = page.getByRole('dialog', { name: t('frame.mainMenu') })
  await sheet.waitFor()
  const inside = () => sheet.evaluate((element) => element.contains(document.activeElement))
  expect(await inside()).toBe(true)
  const stops = new Set<string>()
  for (let step = 0; step < 24; step += 1) {
    stops.add((await keys.press('Tab')).name)
    // Between the last stop and the first one is the browser's own window.
    expect((await inside()) || (await hasFocus(page.locator('body')))).toBe(true)
  }
  expect([...stops].some((name) => name.includes(t('frame.menu.register')))).toBe(true)
  await keys.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  await expect.poll(() => hasFocus(toggle)).toBe(true)
  await keys.press('Enter')
  await keys.enter(sheet.getByRole('link', { name: t('frame.menu.offers') }))
  await arrives(page, /\/offers$/, t('pages.offers.title'))
  await sheet.waitFor({ state: 'hidden' })
  expect(keys.faults).toEqual([])
})

test.runIf(isExtended)(
  'the confirmation of an emptied cart closes on Escape and returns the focus',
  async () => {
    const { customer, page, keys } = await withKeys(member('/offers', FRENCH))
    await customer.add(await shop.newOffer(), 2)
    await page.goto('/cart')
    const clear = page.getByRole('button', { name: t('cart.clear') })
    await keys.enter(clear)
    const dialog = page.getByRole('dialog', { name: t('cart.clearTitle') })
    await dialog.waitFor()
    await keys.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => hasFocus(clear)).toBe(true)
    await keys.press('Enter')
    await keys.enter(page.getByRole('button', { name: t('cart.clearConfirm') }))
    await seeTitle(page, t('cart.empty.title'))
    await expect.poll(() => hasFocus(page.locator('main h1'))).toBe(true)
    expect(keys.faults).toEqual([])
  },
)

test.runIf(isExtended)(
  'pictures can be changed, enlarged, zoomed from 1 to 8 and moved by buttons and arrow keys [spec 2.60, 9.27]',
  async () => {
    await shop.newOffer({ slug: 'photos', title: 'Photos', pictures: PICTURES })
    const { page, keys } = await withKeys(member('/offers/photos', FRENCH))
    const count = PICTURES.length
    const position = (index: number) =>
      page.locator('[aria-live]').filter({ hasText: t('offers.gallery.slide', { index, count }) })
    const enlarge = (index: number) =>
      page.getByRole('button', { name: t('offers.gallery.enlarge', { index, count }) })
    const button = (key: MessageKey) => page.getByRole('button', { name: t(key), exact: true })
    await keys.enter(button('offers.gallery.next'))
    await position(2).waitFor()
    await keys.enter(page.getByRole('button', { name: t('offers.gallery.show', { index: 1 }) }))
    await position(1).waitFor()
    await keys.enter(enlarge(1), 'Shift+Tab')
    const viewer = page.locator('.yarl__portal_open')
    await viewer.waitFor()

    await keys.press('ArrowRight')
    await page
      .locator('.yarl__slide_current')
      .getByRole('img', { name: PICTURES[1] ?? '' })
      .waitFor()
    const level = viewer.getByRole('status').filter({ hasText: 'Zoom' })
    expect(await level.textContent()).toBe(t('offers.gallery.zoomLevel', { level: '1×' }))
    const closer = button('offers.gallery.zoomIn')
    await keys.to(closer)
    // A step that comes while the last one still moves may be lost.
    const zoom = async () => {
      if (await closer.isEnabled()) await keys.press('Enter')
      return level.textContent()
    }
    await expect.poll(zoom).toBe(t('offers.gallery.zoomLevel', { level: '8×' }))
    const picture = viewer.locator('.yarl__slide_current img')
    const before = await picture.boundingBox()
    await keys.press('ArrowLeft')
    await expect.poll(async () => (await picture.boundingBox())?.x).not.toBe(before?.x)
    await keys.enter(button('offers.gallery.zoomReset'))
    await expect.poll(() => level.textContent()).toBe(t('offers.gallery.zoomLevel', { level: '1×' }))
    await keys.press('Escape')
    await viewer.waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(enlarge(2))).toBe(true)
    expect(keys.faults).toEqual([])
  },
)

test.runIf(isExtended)(
  'the tabs of the home page react to arrow keys, and the banner can be dismissed',
  async () => {
    const { page, keys } = await withKeys(visit('/', FRENCH))
    const tab = (step: 'register' | 'choose' | 'draw') =>
      page.getByRole('tab', { name: t(`homeBelow.tabs.${step}.label`) })
    await keys.to(tab('register'))
    await keys.press('ArrowRight')
    expect(await tab('choose').getAttribute('aria-selected')).toBe('true')
    await keys.press('End')
    expect(await tab('draw').getAttribute('aria-selected')).toBe('true')
    await keys.press('ArrowRight')
    expect(await tab('register').getAttribute('aria-selected')).toBe('true')

    const dismiss = page.getByRole('button', { name: t('frame.policy.dismiss') })
    await keys.enter(dismiss)
    await dismiss.waitFor({ state: 'detached' })
    // The focus is kept: the next Tab continues from it.
    expect(await hasFocus(page.locator('body'))).toBe(false)
    expect(keys.faults).toEqual([])
  },
)

test.runIf(isExtended)('the tooltip of an icon shows on focus and closes on Escape', async () => {
  const { page, keys } = await withKeys(visit('/offers', FRENCH))
  await keys.to(page.getByRole('button', { name: t('frame.toggleSidebar') }))
  const tip = page.locator('[popover]').filter({ hasText: t('frame.toggleSidebar') })
  expect(await tip.isVisible()).toBe(true)
  await keys.press('Escape')
  expect(await tip.isVisible()).toBe(false)
  await keys.to(page.locator('aside').getByRole('link', { name: t('frame.menu.rules') }), 'Shift+Tab')
  const rules = page.locator('[popover]').filter({ hasText: t('frame.menu.rules') })
  expect(await rules.isVisible()).toBe(true)
  expect(keys.faults).toEqual([])
})

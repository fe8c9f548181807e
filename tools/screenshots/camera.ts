import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { languageCookie, type Language } from '#shared/languages.ts'
import type { Options, Scheme, Width } from './options.ts'
import { DEMO_COOKIE, type ScreenshotShop } from './shop.ts'
import { screenshotFile } from './sheets.ts'
import { type State, words } from './state.ts'

/** Longest time for making one state, in milliseconds. */
const STEP_WITHIN_MS = 20_000
const HEIGHTS: Record<Width, number> = { 360: 780, 768: 1024, 1440: 900, 1920: 1080 }
/** How often a page is asked whether its pictures have come, and the pause between two times, in milliseconds. */
const ASKED_MOST = 100
const ASK_AGAIN_MS = 100
/** A page longer than this is cut: no screen of ours should be. */
const LONGEST_PX = 16_000

interface CameraOptions {
  browser: Browser
  shop: ScreenshotShop
  folder: string
}

/** Takes the pictures of a state in a language: it is made once, then seen at every width and in both schemes. */
export function camera({ browser, shop, folder }: CameraOptions) {
  async function open(state: State, language: Language): Promise<{ context: BrowserContext; page: Page }> {
    const { who = 'visitor' } = state
    const localStorage =
      who === 'visitor' || who === 'operator'
        ? []
        : Object.entries(await shop.logIn(who)).map(([name, value]) => ({ name, value }))
    const context = await browser.newContext({
      baseURL: shop.publicUrl,
      reducedMotion: 'reduce',
      javaScriptEnabled: !state.withoutScripts,
      // Nothing to guess a country from.
      timezoneId: 'UTC',
      storageState: { cookies: [], origins: [{ origin: shop.publicUrl, localStorage }] },
    })
    context.setDefaultTimeout(STEP_WITHIN_MS)
    await context.addCookies([
      { name: languageCookie(shop.publicUrl), value: language, url: shop.publicUrl },
      { ...DEMO_COOKIE, url: shop.publicUrl },
    ])
    if (who === 'operator') await context.addCookies([{ ...(await shop.staffCookie()), url: shop.publicUrl }])
    return { context, page: await context.newPage() }
  }

  async function make(state: State, language: Language, page: Page): Promise<void> {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await state.open({ page, shop, contests: shop.contests, language, t: words(language) })
  }

  async function shoot(state: State, page: Page, file: string): Promise<void> {
    // Under the pointer of the last click something would look hovered.
    if (!state.hover) await page.mouse.move(0, 0)
    if (!state.window) await unfold(page)
    await settle(page)
    await page.screenshot({
      path: file,
      type: 'jpeg',
      quality: 82,
      animations: 'disabled',
      ...(state.window ? {} : { fullPage: true, clip: await wholePage(page) }),
    })
  }

  /** @throws Error of the first step that failed; a picture of that moment is in the folder `failed` */
  return async (state: State, language: Language, options: Options): Promise<void> => {
    const widths = options.widths.filter((width) => !state.widths || state.widths.includes(width))
    const [first] = widths
    if (first === undefined) return
    const { context, page } = await open(state, language)
    try {
      await view(page, first, options.schemes[0] ?? 'light')
      if (!state.fleeting) await make(state, language, page)
      for (const width of widths) {
        for (const scheme of options.schemes) {
          await view(page, width, scheme)
          if (state.fleeting) await make(state, language, page)
          const file = screenshotFile(folder, { state: state.name, language, width, scheme })
          mkdirSync(path.dirname(file), { recursive: true })
          await shoot(state, page, file)
        }
      }
    } catch (error) {
      // What the page looked like instead says more than the step that failed.
      const file = path.join(folder, 'failed', `${language}-${state.name.replace('/', '-')}.jpg`)
      await page.screenshot({ path: file, type: 'jpeg' }).catch(() => undefined)
      throw error
    } finally {
      await context.close()
    }
  }
}

async function view(page: Page, width: Width, colorScheme: Scheme): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHTS[width] })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
}

/** Prepares a picture of the whole page: unfixes what sticks to the window, and paints what is off-screen. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.scrollTo(0, 0)
    document.querySelector<HTMLElement>('.policy-banner')?.style.setProperty('display', 'none')
    const bar = document.querySelector<HTMLElement>('.buy-bar')
    if (bar) {
      document.body.style.setProperty('position', 'relative')
      bar.style.setProperty('position', 'absolute')
    }
    document.querySelector<HTMLElement>('.save-bar')?.style.setProperty('position', 'static')
    for (const late of document.querySelectorAll<HTMLElement>('.late-section, .late-card'))
      late.style.setProperty('content-visibility', 'visible')
  })
}

/** Waits for the fonts and for every picture, also those further down the page that would be loaded on the way. */
async function settle(page: Page): Promise<void> {
  // Asked from outside, because a page without scripts runs no code of ours; twice, because a picture that another width
  // asks for begins to load a moment later.
  for (let [asked, settled] = [0, 0]; asked < ASKED_MOST && settled < 2; asked += 1) {
    settled = (await isSettled(page)) ? settled + 1 : 0
    await page.waitForTimeout(ASK_AGAIN_MS)
  }
}

const isSettled = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    for (const picture of document.images) picture.loading = 'eager'
    return document.fonts.status === 'loaded' && [...document.images].every(({ complete }) => complete)
  })

async function wholePage(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const { width } = page.viewportSize() ?? { width: 0 }
  const height = await page.locator('html').evaluate((root) => root.scrollHeight)
  return { x: 0, y: 0, width, height: Math.min(height, LONGEST_PX) }
}

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { settled, sidewaysScroll } from '../support/browser.ts'
import { layoutShifts } from '../support/layout-shifts.ts'
import { COLOUR_RULES, motion, smallTargets, violations } from '../support/page-checks.ts'
import { arrive, keepTokens, seeTitle } from '../support/page-control.ts'
import { seenRoutes } from '../support/routes.ts'
import { fillShowroom } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const { shop, visit, member } = await openStage({ env: { CONTACT_EMAIL: 'help@shop.example' } })

beforeAll(() => fillShowroom(shop))

const pathsOf = (...kinds: string[]) =>
  seenRoutes.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path)

/** A logout leads away at once. */
const ACCOUNT = pathsOf('account').filter((path) => path !== '/logout')
const GUARDED = pathsOf('guarded')
const MISSING = pathsOf('missing')
const OPEN = [...pathsOf('indexed', 'unlisted', 'demo'), ...MISSING]

interface View {
  who: 'visitor' | 'member'
  width: number
  language: Language
}

const EVERY_VIEW: View[] = LANGUAGES.flatMap((language) =>
  [360, 1440].flatMap((width) => (['visitor', 'member'] as const).map((who) => ({ who, width, language }))),
)
const VIEWS = sized<View[]>({
  short: [{ who: 'member', width: 360, language: 'fr' }],
  extended: EVERY_VIEW,
})

/** The tokens of a customer with numbers and a ticket in the cart, whose country loads the provider's script. */
async function session(): Promise<Record<string, string>> {
  const { customer, offerId } = await shop.paidOrder(2)
  await customer.add(offerId, 1)
  return { ...(await shop.sessionOf(customer)), billing_country: 'BE' }
}

describe.each(VIEWS)(
  'every page, as a $who, $width pixels wide, in $language',
  ({ who, width, language }) => {
    test('has no error, no layout shift, no motion, large targets and no accessibility fault', async ({
      annotate,
    }) => {
      const options = { width, language, reducedMotion: 'reduce' } as const
      const { page, faults } = await (who === 'member' ? member : visit)(undefined, options)
      const found: string[] = []
      const note = (path: string, what: string, lines: readonly string[]): void =>
        void found.push(...lines.map((line) => `${path}, ${what}: ${line}`))
      /** Opens the page, and nothing but that must work without a complaint of the browser. */
      const open = async (path: string): Promise<void> => {
        await page.goto(path)
        await settled(page)
        // A browser reports every page that it could not find.
        const errors = faults.splice(0)
        note(path, 'error', MISSING.includes(path) ? errors.filter((one) => !one.includes('404')) : errors)
      }
      let looked = 0
      const look = async (path: string, isFilled = false): Promise<void> => {
        await open(path)
        const { score, moved } = await layoutShifts(page)
        if (score > 0.01 && !isFilled) note(path, 'layout shift', moved)
        note(path, 'motion', await motion(page))
        note(path, 'target', await smallTargets(page))
        // In the short form half of the pages are looked at in dark; those that a member has filled were so when empty.
        looked += 1
        const isDark = who === 'member' ? !isFilled : looked % 2 === 0
        if (isDark && !isExtended) await page.emulateMedia({ colorScheme: 'dark' })
        note(path, isDark && !isExtended ? 'dark' : 'light', await violations(page))
        if (isExtended) {
          // Only what depends on colours is different there.
          await page.emulateMedia({ colorScheme: 'dark' })
          note(path, 'dark', await violations(page, { runOnly: COLOUR_RULES }))
          await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
          // Forced colours are the reader's own; axe reads the grounds as forced but the words as they were.
          note(
            path,
            'forced colours',
            await violations(page, { rules: { 'color-contrast': { enabled: false } } }),
          )
        }
        await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
        const own = page.viewportSize() ?? { width, height: 900 }
        await page.setViewportSize({ ...own, width: 320 })
        const sideways = await sidewaysScroll(page)
        if (sideways > 0) note(path, '320 pixels', [`scrolls sideways by ${sideways}`])
        const setText = (size: string) =>
          page.evaluate((given) => void (document.documentElement.style.fontSize = given), size)
        await setText('200%')
        const large = await sidewaysScroll(page)
        if (large > 0) note(path, '320 pixels, text twice its size', [`scrolls sideways by ${large}`])
        await setText('')
        await page.setViewportSize(own)
      }
      if (who === 'visitor') {
        await annotate('The visitor looks at every open page')
        for (const path of [...OPEN, ...ACCOUNT]) await look(path)

        await annotate('Every other page sends the visitor to the login')
        for (const path of [...GUARDED, '/logout']) {
          await page.goto(path)
          await arrive(page, '/login')
          await settled(page)
          const { score, moved } = await layoutShifts(page)
          if (score > 0.01) note(path, 'layout shift', moved)
          note(path, 'error', faults.splice(0))
        }
      } else {
        await annotate('The member looks at the pages while they are empty')
        // The short form has seen the open pages as a visitor.
        for (const path of [...(isExtended ? OPEN : []), ...GUARDED, '/offers/finie']) await look(path)

        await annotate('The member looks at the pages once they are filled')
        await page.goto('/api/health/live')
        await keepTokens(page, await session())
        // How long their lists are is known only once they are loaded, so what they move is not counted.
        for (const path of [...GUARDED, '/offers']) await look(path, true)
        for (const path of ACCOUNT) await open(path)

        await annotate('The member logs out')
        await page.goto('/logout')
        await arrive(page, '/login')
        await settled(page)
        note('/logout', 'error', faults)
      }
      expect(found).toEqual([])
    })
  },
)

/** What a visitor without scripts sees of a page. */
const seen = (page: Page): Promise<string> => page.locator('body').innerText()

describe.each(TESTED_LANGUAGES)('without JavaScript, in %s', (language) => {
  const t = words(language)

  const withoutScripts = async (width: number): Promise<Page> =>
    (await visit(undefined, { width, language, javaScriptEnabled: false })).page

  test.each(sized({ short: [360], extended: [360, 1440] }))(
    'everything public can be read, %i pixels wide',
    async (width) => {
      const page = await withoutScripts(width)
      await page.goto('/')
      expect(await seen(page)).toContain(t('home.hero.title'))
      await page.getByRole('link', { name: t('home.hero.action') }).click()
      await seeTitle(page, t('offers.title'))
      // What is far below the window has no text that `innerText` would give.
      const list = await page.locator('main').textContent()
      expect(list).toContain(language === 'en' ? 'Open car' : 'Ouverte')
      expect(list).toMatch(/4[.,]90/)
      await page.goto('/contact')
      // Found by its element: Playwright does not look for texts inside of noscript.
      const notice = page.locator('main noscript > div')
      expect(await notice.innerText()).toContain(t('contact.noScript'))
      expect(await notice.getByRole('link', { name: 'help@shop.example' }).isVisible()).toBe(true)
      expect(await page.locator('main form').isVisible()).toBe(false)
      expect(await page.locator('main a[href="mailto:help@shop.example"]:visible').count()).toBeGreaterThan(0)
      await page.goto('/policies/terms-and-conditions')
      expect((await seen(page)).length).toBeGreaterThan(5_000)
    },
  )

  test.runIf(isExtended)('no page stays loading, and those that need scripts state it', async () => {
    const page = await withoutScripts(1440)
    for (const { path, kind } of seenRoutes) {
      await page.goto(path)
      const text = await seen(page)
      const states = text.includes(t('pages.needsScripts.title'))
      expect(states, path).toBe(kind === 'guarded' || kind === 'account')
      const shown = await page.getByRole('status').filter({ visible: true, hasText: /\S/ }).allTextContents()
      expect(shown, path).toEqual([])
      expect(await page.locator('.animate-shimmer:visible').count(), path).toBe(0)
      expect(await page.locator('h1:visible').count(), path).toBe(1)
      expect(await sidewaysScroll(page).catch(() => 0), path).toBe(0)
    }
  })

  test('the language can be changed, and every page be reached', async () => {
    const page = await withoutScripts(360)
    await page.goto('/')
    const other = language === 'nl' ? 'en' : 'nl'
    await page.locator(`a[lang="${other}"]:visible`).first().click()
    await page.locator(`html[lang="${other}"]`).waitFor()
    for (const path of ['/offers', '/policies/terms-and-conditions']) {
      await page.locator(`nav a[href="${path}"]:visible`).first().click()
      await page.waitForURL(({ pathname }) => pathname === path)
    }
  })
})

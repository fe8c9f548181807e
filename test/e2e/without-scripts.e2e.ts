import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { LANGUAGE_COOKIE } from '#shared/languages.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { seenRoutes } from '../support/routes.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const { shop, browser } = await openStage({ env: { CONTACT_EMAIL: 'help@shop.example' } })

beforeAll(async () => {
  await shop.newOffer({ slug: 'ouverte', title: 'La Première' })
  await shop.newOffer({ title: 'La Seconde', price_cents: 1250 })
})

/** What a visitor without scripts sees of a page. */
const seen = (page: Page): Promise<string> => page.locator('body').innerText()

describe.each(TESTED_LANGUAGES)('without JavaScript, in %s', (language) => {
  const t = words(language)

  async function withoutScripts(width: number): Promise<Page> {
    const baseURL = shop.config.publicUrl
    const context = await browser.newContext({
      baseURL,
      javaScriptEnabled: false,
      viewport: { width, height: 900 },
    })
    await context.addCookies([{ name: LANGUAGE_COOKIE, value: language, url: baseURL }])
    onTestFinished(() => context.close())
    return context.newPage()
  }

  test.each(sized({ short: [360], extended: [360, 1440] }))(
    'everything public can be read, %i pixels wide',
    async (width) => {
      const page = await withoutScripts(width)
      await page.goto('/')
      expect(await seen(page)).toContain(t('home.hero.title'))
      await page.getByRole('link', { name: t('home.hero.action') }).click()
      await page.getByRole('heading', { level: 1, name: t('offers.title') }).waitFor()
      const titles = {
        fr: ['La Première', 'La Seconde'],
        nl: ['Wedstrijd 1', 'Wedstrijd 2'],
        en: ['Contest 1', 'Contest 2'],
      }
      const list = await seen(page)
      for (const title of titles[language]) expect(list).toContain(title)
      expect(list).toMatch(/12[.,]50/)
      await page.goto('/contact')
      expect(await page.locator('main a[href="mailto:help@shop.example"]:visible').count()).toBeGreaterThan(0)
      await page.goto('/policies/terms-and-conditions')
      expect((await seen(page)).length).toBeGreaterThan(5_000)
    },
  )

  test('no page stays loading, and those that need scripts state it', async () => {
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

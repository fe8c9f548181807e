import { describe, expect, test } from 'vitest'
import { paths } from '#client/paths.ts'
import { awake, newVisitor } from '../support/browser.ts'
import { sharedStage } from '../support/stage.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const { shop, browser } = await sharedStage()

const titleIn = (language: Language) => words(language)('pages.accessibility.title')

describe('the accessibility statement', () => {
  test.each(LANGUAGES)('is rendered whole by the server, and may be found, in %s', async (language) => {
    const { body, statusCode } = await shop.app.inject({ url: `${paths.accessibility()}?lang=${language}` })
    expect(statusCode).toBe(200)
    expect(body).toContain(`<html lang="${language}"`)
    expect(body).toContain(`<title>${titleIn(language).replace("'", '&#x27;')} | Volant</title>`)
    const query = language === 'fr' ? '' : `?lang=${language}`
    const address = `${shop.config.publicUrl}${paths.accessibility()}`
    expect(body).toContain(`<link rel="canonical" href="${address}${query}"/>`)
    for (const other of ['nl', 'en'])
      expect(body).toContain(`hrefLang="${other}" href="${address}?lang=${other}"`)
    expect(body).not.toContain('noindex')
    for (const id of ['standard', 'measures', 'testing', 'shortcomings', 'report', 'enforcement'])
      expect(body).toContain(`<h2 id="${id}"`)
  })

  test.each(TESTED_LANGUAGES)(
    'is reached from every footer and from the rules, and leads to the contact form, in %s',
    async (language) => {
      const t = words(language)
      const visitor = await newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 1440, language })
      const { page, faults } = visitor
      const statement = page.locator('h2#shortcomings')
      await page.goto(paths.login())
      await awake(page)
      const footer = page.getByRole('contentinfo')
      await footer.getByRole('link', { name: t('frame.menu.accessibility') }).click()
      await statement.waitFor()
      await page.goto(paths.terms())
      await awake(page)
      await page
        .locator('main')
        .getByRole('link', { name: titleIn(language), exact: true })
        .click()
      await statement.waitFor()
      await page.getByRole('link', { name: t('policies.reportBarrier'), exact: true }).click()
      await page.getByRole('heading', { level: 1, name: t('contact.title') }).waitFor()
      expect(faults).toEqual([])
      await visitor.close()
    },
  )
})

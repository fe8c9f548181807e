import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paths } from '#client/paths.ts'
import { Policy } from '#features/policies/policies.contract.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { type TestShop, testShop } from '../support/shop.ts'

const POSTAL_ADDRESS = 'Free Entries, PO Box 77, Leeds'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop({ env: { POSTAL_ADDRESS }, pages: true })
})
afterAll(() => shop.close())

describe('the rules page, as a visitor without JavaScript gets it', () => {
  test.each(LANGUAGES)(
    'is rendered whole by the server, in %s [spec 1.1, 1.25, 2.14, 2.116, 2.117, 5.51, 6.5, 9.19, 9.37]',
    async (language) => {
      const data = await shop.anonymous('GET', '/api/policies/terms/', undefined, { language })
      const policy = Policy.parse(data.body)
      const answer = await shop.app.inject({ url: `${paths.terms()}?lang=${language}` })
      expect(answer.statusCode).toBe(200)
      const html = answer.body
      expect(html).toContain(`<html lang="${language}"`)
      expect(html).toContain(`<title>${policy.title} | Volant</title>`)
      const query = language === 'fr' ? '' : `?lang=${language}`
      expect(html).toContain(
        `<link rel="canonical" href="${shop.config.publicUrl}${paths.terms()}${query}"/>`,
      )
      expect(html.match(/<h1/g)).toHaveLength(1)
      for (const { id } of policy.sections) {
        expect(html).toContain(`<h2 id="${id}"`)
        expect(html).toContain(`href="#${id}"`)
      }
      expect(html).toContain('id="free-entry"')
      expect(html).toContain(`href="${paths.termsPdf(language)}"`)
      expect(html).toContain(`<dd>${POSTAL_ADDRESS}</dd>`)
      expect(html).toContain('16.06.2025')
    },
  )

  test('is in the menu, and may be found by search engines', async () => {
    const { body } = await shop.app.inject({ url: paths.terms() })
    expect(body).toMatch(/aria-current="page"[^>]*href="\/policies\/terms-and-conditions"/)
    expect(body).not.toContain('noindex')
  })
})

import { expect, test, vi } from 'vitest'
import type { Language } from '#shared/languages.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { Policy } from '../policies.contract.ts'

vi.mock('pdfkit', async () => (await import('../../../../test/support/no-pdfkit.ts')).noPdfkit)

const COMPANY = {
  COMPANY_NAME: 'Straight & Fair Ltd',
  COMPANY_NUMBER: '09876543',
  COMPANY_ADDRESS: '5 Honest Street, Leeds',
  VAT_NUMBER: 'GB123456789',
  POSTAL_ADDRESS: 'Free Entries, PO Box 77, Leeds',
  HOLD_MINUTES: '35',
}

const shop = await openShop({ env: COMPANY })

async function policyIn(language: Language, name: 'terms' | 'accessibility') {
  const response = await shop.anonymous('GET', `/api/policies/${name}/`, undefined, { language })
  expect(response).toMatchObject({ status: 200, headers: { 'content-language': language } })
  return { policy: Policy.parse(response.body), words: JSON.stringify(response.body) }
}

const TITLES = [
  ['fr', 'Règlement et mentions légales', '/terms-and-conditions.pdf'],
  ['nl', 'Reglement en juridische informatie', '/terms-and-conditions-nl.pdf'],
  ['en', 'Rules and legal information', '/terms-and-conditions-en.pdf'],
] as const

test.each(TITLES)(
  'the rules and the accessibility statement name the company (%s) [spec 1.1, 9.37]',
  async (language, title) => {
    const rules = await policyIn(language, 'terms')
    expect(rules.policy).toMatchObject({ title, updated: '16.06.2025' })
    const { contactEmail, videoUrl } = shop.config
    for (const value of [...Object.values(COMPANY), contactEmail, videoUrl])
      expect(rules.words).toContain(value)
    const statement = await policyIn(language, 'accessibility')
    for (const part of [COMPANY.COMPANY_NAME, contactEmail, '35 minut'])
      expect(statement.words).toContain(part)
  },
)

test.each(TITLES)('the PDF opens in the browser in its language (%s)', async (language, _, url) => {
  const response = await shop.app.inject({ url })
  expect(response.statusCode).toBe(200)
  expect(response.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `inline; filename="${url.slice(1)}"`,
    'content-language': language,
  })
  expect(response.rawPayload.subarray(0, 8).toString()).toBe('%PDF-1.7')
  expect((await shop.app.inject({ url })).rawPayload.equals(response.rawPayload)).toBe(true)
  expect((await shop.app.inject({ method: 'HEAD', url })).statusCode).toBe(200)
})

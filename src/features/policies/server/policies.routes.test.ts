import { describe, expect, test } from 'vitest'
import { paths } from '#client/paths.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { Policy } from '../policies.contract.ts'

const COMPANY = {
  COMPANY_NAME: 'Straight & Fair Ltd',
  COMPANY_NUMBER: '09876543',
  COMPANY_ADDRESS: '5 Honest Lane, Leeds',
  VAT_NUMBER: 'GB123456789',
  POSTAL_ADDRESS: 'Free Entries, PO Box 77, Leeds',
  HOLD_MINUTES: '35',
}

const shop = await openShop({ env: COMPANY })

const policyIn = async (language: (typeof LANGUAGES)[number]) => {
  const { status, body } = await shop.anonymous('GET', '/api/policies/terms/', undefined, { language })
  expect(status).toBe(200)
  return { policy: Policy.parse(body), words: JSON.stringify(body) }
}

describe('the rules as data', () => {
  test.each(LANGUAGES)('name the company and its settings (%s) [spec 1.1, 9.37]', async (language) => {
    const { policy, words } = await policyIn(language)
    expect(policy.updated).toBe('16.06.2025')
    for (const value of Object.values(COMPANY)) expect(words).toContain(value)
    expect(words).toContain(shop.config.contactEmail)
    expect(words).toContain(shop.config.videoUrl)
  })

  test('are in the caller’s language', async () => {
    const titles = await Promise.all(
      LANGUAGES.map(async (language) => (await policyIn(language)).policy.title),
    )
    expect(titles).toEqual([
      'Règlement et mentions légales',
      'Reglement en juridische informatie',
      'Rules and legal information',
    ])
  })
})

test.each(LANGUAGES)('the accessibility statement says who answers for it (%s)', async (language) => {
  const answer = await shop.anonymous('GET', '/api/policies/accessibility/', undefined, { language })
  expect(answer).toMatchObject({ status: 200, headers: { 'content-language': language } })
  const words = JSON.stringify(Policy.parse(answer.body))
  for (const part of ['WCAG 2.2', COMPANY.COMPANY_NAME, shop.config.contactEmail, '35 minut'])
    expect(words).toContain(part)
})

describe('the PDFs', () => {
  test.each([
    ['fr', '/terms-and-conditions.pdf'],
    ['nl', '/terms-and-conditions-nl.pdf'],
    ['en', '/terms-and-conditions-en.pdf'],
  ] as const)('the %s one opens in the browser under %s', async (language, path) => {
    expect(paths.termsPdf(language)).toBe(path)
    const answer = await shop.app.inject({ url: path })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${path.slice(1)}"`,
      'content-language': language,
    })
    expect(answer.rawPayload.subarray(0, 8).toString()).toBe('%PDF-1.7')
    const again = await shop.app.inject({ url: path })
    expect(again.rawPayload.equals(answer.rawPayload)).toBe(true)
    expect((await shop.app.inject({ method: 'HEAD', url: path })).statusCode).toBe(200)
  })
})

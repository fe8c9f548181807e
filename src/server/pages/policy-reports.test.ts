import { describe, expect, test } from 'vitest'
import { readPolicyReports } from './policy-reports.ts'

describe('a report about the policy of a page', () => {
  test('of the Reporting API is read without data of the visitor', () => {
    const report = {
      age: 1,
      type: 'csp-violation',
      url: 'https://shop.example/reset?token=secret',
      user_agent: 'Mozilla/5.0',
      body: {
        documentURL: 'https://shop.example/reset?token=secret#top',
        referrer: 'https://mail.example/inbox/camille',
        blockedURL: 'https://evil.example/collect?email=camille@example.test',
        effectiveDirective: 'connect-src',
        originalPolicy: "default-src 'none'",
        sourceFile: 'https://shop.example/assets/base.js?v=1',
        sample: 'let email = "camille"',
        lineNumber: 12,
      },
    }
    const read = readPolicyReports(JSON.stringify([report, { type: 'deprecation', body: {} }]))
    expect(read).toEqual([
      { directive: 'connect-src', blocked: 'evil.example', page: '/reset', source: '/assets/base.js:12' },
    ])
  })

  test('of the older kind is read as well', () => {
    const page = { 'document-uri': 'https://shop.example/cart' }
    const report = { ...page, 'violated-directive': 'script-src', 'blocked-uri': 'inline' }
    const read = [{ directive: 'script-src', blocked: 'inline', page: '/cart', source: ':0' }]
    expect(readPolicyReports(JSON.stringify({ 'csp-report': report }))).toEqual(read)
  })

  test.each(['', 'null', '[]', '[null, 1, "x"]', '{', '{"csp-report":1}', '[{"type":"csp-violation"}]'])(
    'is not read from %s',
    (body) => {
      expect(readPolicyReports(body)).toEqual([])
    },
  )

  test('brings no long or odd texts into the log', () => {
    const body = { effectiveDirective: 'x'.repeat(5_000), blockedURL: 'a b\nc', documentURL: { a: 1 } }
    const [report] = readPolicyReports(JSON.stringify([{ type: 'csp-violation', body }]))
    expect(report).toEqual({ directive: 'x'.repeat(200), blocked: '', page: '', source: ':0' })
  })
})

import { expect, test } from 'vitest'
import { pageTag } from './send-page.ts'

const HTML = '<html><script>one()</script></html>'
const policy = (scripts: string, others = "connect-src 'self'") => ({
  'cache-control': 'no-cache',
  'content-security-policy': `script-src 'self' ${scripts}; ${others}`,
})
const FIRST = pageTag(policy("'sha256-AAAA+/='"), HTML)

test('a page is another version with another policy, but not with other hashes of its scripts', () => {
  expect(FIRST).toMatch(/^W\/"[\w-]{22}"$/)
  expect(pageTag(policy("'sha256-BBBB+/='"), HTML)).toBe(FIRST)
  const others = [
    pageTag(policy("'sha256-AAAA+/='"), HTML.replace('one', 'two')),
    pageTag(policy("'sha256-AAAA+/='", "connect-src 'self' https://www.paypal.com"), HTML),
    pageTag(policy("'sha256-AAAA+/=' 'nonce-x'"), HTML),
    pageTag(policy("'sha256-AAAA+/=' https://www.paypal.com"), HTML),
    pageTag({ ...policy("'sha256-AAAA+/='"), 'x-frame-options': 'DENY' }, HTML),
  ]
  expect(new Set([FIRST, ...others]).size).toBe(others.length + 1)
})

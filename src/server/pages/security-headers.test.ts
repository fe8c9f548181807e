import { describe, expect, test } from 'vitest'
import type { PublicSettings } from '#shared/public-settings.ts'
import {
  baseHeaders,
  consoleHeaders,
  documentHeaders,
  needsNonce,
  previewHeaders,
} from './security-headers.ts'

const settings = (sdkBaseUrl: string, flow: 'buttons' | 'redirect' = 'buttons') =>
  ({
    publicUrl: 'https://shop.example',
    pictures: { hero: null, sport: null, electric: null, everyday: null },
    paypal: { clientId: 'c', sdkBaseUrl, funding: '', ways: [] as string[], flow },
  }) as PublicSettings

const emulator = settings('http://localhost:3001')
const paypal = settings('https://www.paypal.com')
const redirecting = settings('https://www.paypal.com', 'redirect')

function headersOf(path: string, given: PublicSettings): Record<string, string> {
  const nonce = needsNonce({ path, settings: given }) ? { nonce: 'N' } : {}
  const scripts = ["'sha256-A'", "'sha256-B'"]
  return documentHeaders({ scripts, ...nonce, path, settings: given, dev: false })
}

function policyOf(path: string, given: PublicSettings): Record<string, string[]> {
  const policy = headersOf(path, given)['content-security-policy'] ?? ''
  const directives = policy.split('; ').map((directive) => directive.split(' '))
  return Object.fromEntries(directives.map(([name = '', ...sources]) => [name, sources]))
}

describe('the policy of an ordinary page', () => {
  test('is exactly this', () => {
    expect(policyOf('/offers', emulator)).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'", "'sha256-A'", "'sha256-B'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'"],
      'connect-src': ["'self'"],
      'manifest-src': ["'self'"],
      'worker-src': ["'self'"],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
      'report-to': ['policy'],
      'require-trusted-types-for': ["'script'"],
      'trusted-types': ['offline-worker', 'draw-worker'],
    })
  })

  test('allows connections to the e-mail service that is set up, and nothing else of it', () => {
    const keys = { publicKey: 'k', serviceId: 's', templateId: 't' }
    const given = { ...emulator, emailService: { origin: 'https://emails.example/path', ...keys } }
    const { 'connect-src': connect, ...rest } = policyOf('/offers', given)
    expect(connect).toEqual(["'self'", 'https://emails.example'])
    expect(JSON.stringify(rest)).not.toContain('emails.example')
    expect(policyOf('/cart', given)['connect-src']).toContain('https://emails.example')
  })

  test('allows pictures of the configured origins, and no others', () => {
    const pictures = {
      hero: 'https://cdn.example/a/hero.webp',
      sport: 'https://cdn.example:8443/sport.webp',
      electric: '/media/electric.webp',
      everyday: 'https://shop.example/media/everyday.webp',
      operator: null,
    }
    const origins = ["'self'", 'data:', 'https://cdn.example', 'https://cdn.example:8443']
    for (const path of ['/', '/offers', '/cart'])
      expect(policyOf(path, { ...emulator, pictures })['img-src']?.slice(0, 4)).toEqual(origins)
  })

  test.each(['/', '/cart/x', '/Cart', '/profile/participations'])(
    'has neither the payment provider nor a nonce: %s',
    (path) => {
      expect(JSON.stringify(headersOf(path, emulator))).not.toMatch(/3001|nonce/)
      expect(headersOf(path, emulator)['cross-origin-opener-policy']).toBe('same-origin')
      expect(needsNonce({ path, settings: emulator })).toBe(false)
    },
  )
})

describe('the policy of the cart', () => {
  test('adds the origin of the provider, its nonce, and lets its window respond', () => {
    const policy = policyOf('/cart', emulator)
    for (const name of ['script-src', 'style-src', 'img-src', 'connect-src', 'frame-src'])
      expect(policy[name], name).toContain('http://localhost:3001')
    expect(policy).not.toHaveProperty('require-trusted-types-for')
    expect(policy['style-src']).toContain("'nonce-N'")
    const scripts = ["'self'", "'sha256-A'", "'sha256-B'", "'nonce-N'"]
    expect(policy['script-src']).toEqual(expect.arrayContaining(scripts))
    expect(headersOf('/cart', emulator)['cross-origin-opener-policy']).toBe('same-origin-allow-popups')
  })

  test('names the hosts of PayPal for PayPal alone', () => {
    const hosts = ['https://*.paypal.com', 'https://*.paypalobjects.com']
    expect(policyOf('/cart', paypal)['frame-src']).toEqual(hosts)
    const other = 'https://paypal.com.evil.example'
    expect(policyOf('/cart', settings(other))['frame-src']).toEqual([other])
  })

  test('is the ordinary one where the script is never loaded', () => {
    expect(policyOf('/cart', redirecting)).toEqual(policyOf('/', redirecting))
  })
})

test('no policy allows inline code, or evaluates text', () => {
  for (const path of ['/', '/cart'])
    expect(JSON.stringify(policyOf(path, emulator))).not.toMatch(/unsafe-|strict-dynamic/)
})

test('only an https shop sends strict-transport-security', () => {
  expect(baseHeaders('https://shop.example')).toHaveProperty('strict-transport-security')
  expect(baseHeaders('http://localhost:3000')).not.toHaveProperty('strict-transport-security')
})

describe('the policies of the console', () => {
  const directives = (headers: Record<string, string>): string[] =>
    (headers['content-security-policy'] ?? '').split('; ')

  test('let it show its preview, which connects to nothing and stands in no other site', () => {
    expect(directives(consoleHeaders(false))).toEqual(
      expect.arrayContaining(["frame-src 'self'", "frame-ancestors 'none'", "connect-src 'self'"]),
    )
    const preview = previewHeaders(false)
    expect(directives(preview)).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'none'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      'report-to policy',
    ])
    expect(preview).toMatchObject({ 'x-frame-options': 'SAMEORIGIN', 'x-robots-tag': 'noindex' })
  })
})

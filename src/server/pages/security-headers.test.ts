import { describe, expect, test } from 'vitest'
import type { PublicSettings } from '#shared/public-settings.ts'
import { baseHeaders, documentHeaders, needsNonce } from './security-headers.ts'

const NO_PICTURES = { hero: null, sport: null, electric: null, everyday: null }

const settings = (sdkBaseUrl: string, flow: 'buttons' | 'redirect' = 'buttons') =>
  ({
    publicUrl: 'https://shop.example',
    pictures: NO_PICTURES,
    paypal: { clientId: 'c', sdkBaseUrl, funding: '', flow },
  }) as PublicSettings

function policyOf(path: string, given: PublicSettings, dev = false): Record<string, string[]> {
  const nonce = needsNonce({ path, settings: given }) ? { nonce: 'N' } : {}
  const headers = documentHeaders({
    scripts: ["'sha256-A'", "'sha256-B'"],
    ...nonce,
    path,
    settings: given,
    dev,
  })
  const text = headers['content-security-policy'] ?? ''
  return Object.fromEntries(
    text.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources]
    }),
  )
}

const emulator = settings('http://localhost:3001')

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
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
      'report-to': ['policy'],
      'require-trusted-types-for': ["'script'"],
      'trusted-types': ["'none'"],
    })
  })

  test('lets the contact form reach the e-mail service that is set up, and nothing else of it', () => {
    const keys = { publicKey: 'k', serviceId: 's', templateId: 't' }
    const given = { ...emulator, emailService: { origin: 'https://emails.example/path', ...keys } }
    const { 'connect-src': connect, ...rest } = policyOf('/offers', given)
    expect(connect).toEqual(["'self'", 'https://emails.example'])
    expect(JSON.stringify(rest)).not.toContain('emails.example')
    expect(policyOf('/cart', given)['connect-src']).toContain('https://emails.example')
  })

  test('knows nothing of the payment provider, also in a path that only resembles the cart', () => {
    for (const path of ['/', '/cart/x', '/Cart', '/profile/participations']) {
      expect(JSON.stringify(policyOf(path, emulator))).not.toContain('3001')
    }
    expect(documentHeaders({ scripts: [], path: '/', settings: emulator, dev: false })).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
    })
  })
})

test('pictures that lie elsewhere are allowed by their origin, and no others', () => {
  const pictures = {
    hero: 'https://cdn.example/a/hero.webp',
    sport: 'https://cdn.example:8443/sport.webp',
    electric: '/media/electric.webp',
    everyday: 'https://shop.example/media/everyday.webp',
  }
  for (const path of ['/', '/offers', '/cart']) {
    expect(policyOf(path, { ...emulator, pictures })['img-src']?.slice(0, 4)).toEqual([
      "'self'",
      'data:',
      'https://cdn.example',
      'https://cdn.example:8443',
    ])
  }
})

describe('the policy of the cart', () => {
  test('adds the host of the script, and lets its window speak back', () => {
    const policy = policyOf('/cart', emulator)
    for (const name of ['script-src', 'style-src', 'img-src', 'connect-src', 'frame-src']) {
      expect(policy[name], name).toContain('http://localhost:3001')
    }
    expect(policy).not.toHaveProperty('require-trusted-types-for')
    for (const name of ['script-src', 'style-src']) expect(policy[name], name).toContain("'nonce-N'")
    expect(policy['script-src']).toEqual(expect.arrayContaining(["'self'", "'sha256-A'", "'sha256-B'"]))
    expect(
      documentHeaders({ scripts: [], nonce: 'N', path: '/cart', settings: emulator, dev: false }),
    ).toMatchObject({
      'cross-origin-opener-policy': 'same-origin-allow-popups',
    })
  })

  test('names the hosts of PayPal for PayPal', () => {
    const policy = policyOf('/cart', settings('https://www.paypal.com'))
    expect(policy['frame-src']).toEqual(['https://*.paypal.com', 'https://*.paypalobjects.com'])
    expect(policyOf('/cart', settings('https://paypal.com.evil.example'))['frame-src']).toEqual([
      'https://paypal.com.evil.example',
    ])
  })

  test('is the ordinary one where the script is never loaded', () => {
    const given = settings('https://www.paypal.com', 'redirect')
    expect(policyOf('/cart', given)).toEqual(policyOf('/', given))
  })
})

test('no policy allows inline code, or evaluates text', () => {
  for (const path of ['/', '/cart']) {
    expect(JSON.stringify(policyOf(path, emulator))).not.toMatch(/unsafe-|strict-dynamic/)
  }
})

test('a nonce is for the page with the provider’s script alone', () => {
  for (const path of ['/', '/offers', '/cart/x']) expect(needsNonce({ path, settings: emulator })).toBe(false)
  expect(needsNonce({ path: '/cart', settings: emulator })).toBe(true)
  expect(needsNonce({ path: '/cart', settings: settings('https://www.paypal.com', 'redirect') })).toBe(false)
})

test('only an https shop tells browsers to stay with https', () => {
  expect(baseHeaders('https://shop.example')).toHaveProperty('strict-transport-security')
  expect(baseHeaders('http://localhost:3000')).not.toHaveProperty('strict-transport-security')
})

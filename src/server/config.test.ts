import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigFaults, publicSettings, readConfig, secretKey } from './config.ts'
import { SETTINGS } from './settings.ts'

const LIVE = {
  MODE: 'live',
  PUBLIC_URL: 'https://shop.example',
  SECRET_KEY: 'k'.repeat(32),
  PAYPAL_BASE_URL: 'https://api-m.paypal.com',
  PAYPAL_CLIENT_ID: 'real-id',
  PAYPAL_CLIENT_SECRET: 'real-secret',
  PAYPAL_WEBHOOK_ID: 'real-webhook',
  COMPANY_NAME: 'Real Cars Ltd',
  COMPANY_NUMBER: '12345678',
  COMPANY_ADDRESS: '2 Real Street, London',
  POSTAL_ADDRESS: 'Freepost, London',
  SMTP_URL: 'smtps://shop:secret@mail.example',
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults
    throw error
  }
  return []
}

describe('settings', () => {
  test('an empty environment gives the demo', () => {
    const config = readConfig({})
    expect(config).toMatchObject({ mode: 'demo', port: 3000, publicUrl: 'http://localhost:3000', demo: true })
    expect(config.paypalSdkUrl).toBe(config.paypalBaseUrl)
  })

  test('a picture may lie here or elsewhere', () => {
    const given = {
      HERO_PICTURE_URL: 'https://cdn.example/hero.webp',
      CATEGORY_SPORT_PICTURE_URL: '/media/s.webp',
    }
    expect(publicSettings(readConfig(given)).pictures).toEqual({
      hero: 'https://cdn.example/hero.webp',
      sport: '/media/s.webp',
      electric: null,
      everyday: null,
    })
    for (const bad of ['//cdn.example/hero.webp', 'hero.webp', 'javascript:alert(1)', '/a b', 'https://']) {
      expect(faultsOf({ HERO_PICTURE_URL: bad }), bad).toEqual([
        expect.stringMatching(/^HERO_PICTURE_URL: expected an address/),
      ])
    }
  })

  test('every fault is listed at once, with the name of the setting and what was expected', () => {
    const faults = faultsOf({
      PORT: '99999',
      PUBLIC_URL: 'shop',
      TIME_ZONE: 'Mars/Base',
      HIDE_ANSWER: 'maybe',
    })
    expect(faults).toHaveLength(4)
    expect(faults).toContain('PORT: expected a number from 1 to 65535, found "99999"')
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'PORT',
      'PUBLIC_URL',
      'TIME_ZONE',
      'HIDE_ANSWER',
    ])
  })

  test('every setting has a name of its own, and its default is valid', () => {
    const names = Object.values(SETTINGS).map((one) => one.name)
    expect(new Set(names).size).toBe(names.length)
    expect(faultsOf({})).toEqual([])
  })

  test('the e-mail keys are all there or none is', () => {
    expect(faultsOf({ EMAILJS_PUBLIC_KEY: 'abc' })[0]).toContain('all three or none')
  })
})

test('senders that are refused come as a list', () => {
  expect(readConfig({}).contactBlocked).toBeUndefined()
  expect(readConfig({ CONTACT_BLOCKED: ' a@b.test, @c.test ,' }).contactBlocked).toEqual([
    'a@b.test',
    '@c.test',
  ])
})

describe('live mode', () => {
  test('starts with settings of its own', () => {
    expect(readConfig(LIVE)).toMatchObject({
      mode: 'live',
      demo: false,
      paypalSdkUrl: 'https://www.paypal.com',
    })
  })

  test('refuses emulator, demo secrets and plain http, all in one list', () => {
    const names = faultsOf({ MODE: 'live' }).map((fault) => fault.split(':')[0])
    expect(names).toEqual([
      'PUBLIC_URL',
      'SECRET_KEY',
      'PAYPAL_BASE_URL',
      'PAYPAL_CLIENT_ID',
      'PAYPAL_CLIENT_SECRET',
      'PAYPAL_WEBHOOK_ID',
      'COMPANY_NAME',
      'COMPANY_NUMBER',
      'COMPANY_ADDRESS',
      'POSTAL_ADDRESS',
      'SMTP_URL',
    ])
  })

  test.each([
    'http://api-m.paypal.com',
    'https://paypal.com.evil.example',
    'https://api-m.sandbox.paypal.com',
  ])('refuses %s as the payment provider', (address) => {
    expect(faultsOf({ ...LIVE, PAYPAL_BASE_URL: address })).toHaveLength(1)
  })
})

describe('limits', () => {
  test('have three strengths, each a count with a time by account, by network and in all', () => {
    expect(readConfig({ LIMIT_STRICT: 'all 7/2d, address 5/90s, account 3/1h' }).limitStrict).toEqual({
      account: { count: 3, seconds: 3_600 },
      all: { count: 7, seconds: 172_800 },
      address: { count: 5, seconds: 90 },
    })
  })

  test.each([
    'account 5/1h, address 5/1h',
    'account 5/1h, address 5/1h, all 7/1h, contest 3/1h',
    'account 5/1h, address 5/1h, place 7/1h',
    'account 5/1h, address 5/1h, address 5/1h',
    'account 5/1h, address 5/1h, address 5/1h, all 7/1h',
    'account 5/1h, address 0/1h, all 7/1h',
    'account 5/1h, address 5/1y, all 7/1h',
    'account 5/1h, address 5/31d, all 7/1h',
    'nonsense',
  ])('%j is a fault', (text) => {
    expect(faultsOf({ LIMIT_STRICT: text })).toEqual([
      expect.stringMatching(
        /^LIMIT_STRICT: expected counts with s, m, h or d: account 9\/1h, address 9\/1h, all 9\/1h, found /,
      ),
    ])
  })

  test('have a factor for load tests, which live mode refuses', () => {
    expect(readConfig({ LIMITS_FACTOR: '2.5' }).limitsFactor).toBe(2.5)
    for (const bad of ['0', '-1', '1e9', '1000001']) expect(faultsOf({ LIMITS_FACTOR: bad })).toHaveLength(1)
    expect(faultsOf({ ...LIVE, LIMITS_FACTOR: '10' })).toEqual(['LIMITS_FACTOR: live mode expects 1'])
    expect(faultsOf({ ...LIVE, LIMITS_FACTOR: '1' })).toEqual([])
  })
})

test.each([
  ['false', false],
  ['true', 1],
  ['3', 3],
])('TRUST_PROXY=%s believes %s proxies', (text, believed) => {
  expect(readConfig({ TRUST_PROXY: text }).trustProxy).toBe(believed)
})

test('no secret is among what a browser sees', () => {
  const shown = JSON.stringify(publicSettings(readConfig(LIVE)))
  expect(shown).not.toContain('real-secret')
  expect(shown).not.toContain('real-webhook')
  expect(shown).not.toContain(LIVE.SECRET_KEY)
})

test('the demo keeps its secret between starts, readable by its owner only', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'volant-config-'))
  const config = readConfig({ DATA_DIR: dataDir })
  const first = secretKey(config)
  expect(first.length).toBeGreaterThanOrEqual(32)
  expect(secretKey(config)).toBe(first)
  expect(readFileSync(path.join(dataDir, 'secret-key'), 'utf8')).toBe(first)
})

test('the mailbox is the demonstration’s, and only while it has no mail server', () => {
  const mailbox = (env: Record<string, string>) => publicSettings(readConfig(env)).mailbox
  expect(mailbox({})).toBe(true)
  expect(mailbox({ SMTP_URL: 'smtp://mail.example' })).toBe(false)
  expect(mailbox(LIVE)).toBe(false)
})

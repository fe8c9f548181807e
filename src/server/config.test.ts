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

import { describe, expect, test } from 'vitest'
import { NEW_PASSWORD_RULES, canonicalPasswordFields, deviceOf, readPhone } from './accounts.rules.ts'

const rulesMetBy = (password: string) =>
  NEW_PASSWORD_RULES.filter(({ pattern }) => pattern.test(password)).map(({ name }) => name)

test.each([
  ['', []],
  ['abcdefgh', ['length', 'lowercase']],
  ['ABCDEFGH1', ['length', 'uppercase', 'digit']],
  ['Ab1!', ['uppercase', 'lowercase', 'digit', 'special']],
  ['Ab1-cdefgh', ['length', 'uppercase', 'lowercase', 'digit']],
  ['Éé1*\n\n\n\n', ['length', 'uppercase', 'lowercase', 'digit', 'special']],
])('the password %j meets the rules %j', (password, met) => {
  expect(rulesMetBy(password)).toEqual(met)
})

test('only !@#$%^&* are special characters [spec 5.34]', () => {
  const signs = Array.from('!@#$%^&*-_+=?.,;:()[]{}<>/|~` ')
  expect(signs.filter((sign) => rulesMetBy(sign).includes('special')).join('')).toBe('!@#$%^&*')
})

describe('a phone number', () => {
  test.each([
    ['612345678', '+33', 'FR', '612345678'],
    ['06 12 34 56 78', 'FR', 'FR', '612345678'],
    ['+32 471 23 45 67', undefined, 'BE', '471234567'],
    ['0032471234567', '+33', 'BE', '471234567'],
    ['+35212345678', '+33', 'LU', '12345678'],
    ['123456789012', ' de ', 'DE', '123456789012'],
  ])('%s with %s belongs to %s', (phone, code, country, digits) => {
    expect(readPhone(phone, code)).toMatchObject({ country: { country }, digits })
  })

  test.each([
    ['61234567', '+33', 'formErrors.phone.FR'],
    ['1234567890123', '+49', 'formErrors.phone.DE'],
    ['+31 12', undefined, 'formErrors.phone.NL'],
    ['00352 1', '+33', 'formErrors.phone.LU'],
    ['+1 5551234567', undefined, 'formErrors.phone.invalid'],
    ['612345678', undefined, 'formErrors.phone.format'],
    ['612345678', '+7', 'formErrors.phone.format'],
    ['letters', 'BE', 'formErrors.phone.BE'],
  ])('%s with %s is wrong for its reason [spec 5.9]', (phone, code, message) => {
    expect(readPhone(phone, code)).toEqual({ message })
  })
})

test.each([
  [
    { old_password: 'a', newPassword: 'b', confirmPassword: 'c' },
    { current_password: 'a', new_password: 'b', confirm_password: 'c' },
  ],
  [{ oldPassword: 'x', current_password: 'a' }, { current_password: 'a' }],
  [
    { currentPassword: 'a', constructor: 'b' },
    { current_password: 'a', constructor: 'b' },
  ],
])('the fields of %j get their names', (body, fields) => {
  expect(canonicalPasswordFields(body)).toMatchObject(fields)
})

test.each([null, undefined, 'text', 5, ['old_password']])('the body %j stays what it is', (body) => {
  expect(canonicalPasswordFields(body)).toBe(body)
})

const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
test.each([
  ['(Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36', 'Chrome', 'Windows'],
  ['(Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0', 'Edge', 'Windows'],
  ['(X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 OPR/123.0.0.0', 'Opera', 'Linux'],
  ['(X11; CrOS x86_64 16181.61.0) Chrome/140.0.0.0 Safari/537.36', 'Chrome', 'ChromeOS'],
  ['(Linux; Android 15; K) Chrome/140.0.0.0 Mobile Safari/537.36', 'Chrome', 'Android'],
  ['(Linux; Android 14; SM-S9) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile', 'Samsung Internet', 'Android'],
  ['(Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox', 'Android'],
  [`(Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/18.5 Safari/605.1.15`, 'Safari', 'Mac'],
  [`(iPhone; CPU iPhone OS 18_5 like Mac OS X) ${WEBKIT} Version/18.5 Safari/604.1`, 'Safari', 'iPhone'],
  [`(iPad; CPU OS 18_5 like Mac OS X) ${WEBKIT} CriOS/140.0.0.0 Safari/604.1`, 'Chrome', 'iPad'],
  ['curl/8.5.0', null, null],
])('the user agent %s is %s on %s', (userAgent, browser, system) => {
  expect(deviceOf(`Mozilla/5.0 ${userAgent}`)).toEqual({ browser, system })
  expect(deviceOf()).toEqual({ browser: null, system: null })
})

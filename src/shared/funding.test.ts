import { expect, test } from 'vitest'
import { fundingFor, fundingMethods } from './funding.ts'

const BY_COUNTRY = 'bancontact:BE,ideal:NL,satispay,venmo:US'

test.each([
  ['BE', 'bancontact,satispay'],
  ['NL', 'ideal,satispay'],
  ['FR', 'satispay'],
  [undefined, 'satispay'],
])('a buyer of %s is offered %s', (country, methods) => {
  expect(fundingFor(BY_COUNTRY, country)).toBe(methods)
})

test('a mobile wallet and a bank-card scheme without a country are enabled for everybody [spec 7.42]', () => {
  for (const country of ['BE', 'FR', undefined])
    expect(fundingFor('venmo,bancontact', country)).toBe('venmo,bancontact')
})

test('a method of two countries counts once, and an empty setting has none', () => {
  expect(fundingMethods('eps:AT,eps:DE,p24:PL')).toEqual(['eps', 'p24'])
  expect([fundingMethods(''), fundingFor('', 'BE')]).toEqual([[], ''])
})

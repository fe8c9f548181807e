import { describe, expect, it } from 'vitest'
import { cents } from '#shared/money.ts'
import { computedTax, confirmedTax, failureBasis, fallbackTax } from './tax.ts'

const day = new Date('2026-11-15T00:00:00Z')

describe('computedTax', () => {
  it('estimates for the Netherlands while no country is chosen', () => {
    expect(computedTax(cents(1000), undefined, day, false)).toEqual({
      subtotal: 1000,
      tax: 210,
      total: 1210,
      percent: 21,
      basis: 'estimate',
    })
  })

  it('uses the rate of the chosen country', () => {
    expect(computedTax(cents(1000), 'FR', day, false)).toMatchObject({
      tax: 200,
      total: 1200,
      basis: 'computed',
    })
    expect(computedTax(cents(1200), 'FR', day, true)).toMatchObject({ subtotal: 1000, tax: 200, total: 1200 })
  })

  it('falls back to 21 percent for a country the shop does not bill', () => {
    expect(computedTax(cents(1000), 'US', day, false)).toMatchObject({ percent: 21, basis: 'checkCountry' })
  })
})

describe('a failed tax call', () => {
  it('asks to check the country only when the server refused it [spec 8.25, 8.26]', () => {
    expect(failureBasis({ status: 400 })).toBe('checkCountry')
    for (const status of [0, 500, 503]) expect(failureBasis({ status })).toBe('defaultRate')
  })

  it('shows 21 percent, lines adding up in both price modes [spec 8.27]', () => {
    expect(fallbackTax(cents(999), false, 'defaultRate')).toMatchObject({
      subtotal: 999,
      tax: 210,
      total: 1209,
    })
    const within = fallbackTax(cents(999), true, 'defaultRate')
    expect(within.subtotal + within.tax).toBe(999)
    expect(within.total).toBe(999)
  })
})

describe('confirmedTax', () => {
  it('reads the texts of the wire', () => {
    expect(confirmedTax({ subtotal: '10.00', tax_amount: '2.55', total: '12.55', tax_rate: 25.5 })).toEqual({
      subtotal: 1000,
      tax: 255,
      total: 1255,
      percent: 25.5,
      basis: 'confirmed',
    })
  })
})

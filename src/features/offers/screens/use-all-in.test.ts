import { describe, expect, it } from 'vitest'
import { allInPrice } from './use-all-in.ts'

const day = new Date('2026-11-15T00:00:00Z')

describe('allInPrice', () => {
  it('adds the VAT of the chosen country', () => {
    expect(allInPrice('4.90', 1, 'FR', day, false)).toEqual({ total: 588, percent: 20, country: 'FR' })
  })

  it('estimates with the Netherlands while none is chosen', () => {
    expect(allInPrice('10.00', 1, undefined, day, false)).toEqual({ total: 1210, percent: 21, country: 'NL' })
  })

  it('taxes the sum, not each ticket, as the order does', () => {
    expect(allInPrice('0.99', 3, 'NL', day, false)?.total).toBe(359)
  })

  it('has nothing to add where prices include the VAT', () => {
    expect(allInPrice('4.90', 1, 'FR', day, true)).toBeUndefined()
  })
})

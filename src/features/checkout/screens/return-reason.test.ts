import { describe, expect, it } from 'vitest'
import { returnMessage } from './return-reason.ts'

describe('returnMessage', () => {
  it('names the reason', () => {
    expect(returnMessage('declined')).toBe('errors.checkout.declined')
    expect(returnMessage('wait')).toBe('checkout.returned.wait')
    expect(returnMessage('holdExpired')).toBe('errors.checkout.holdExpired')
  })

  it('takes anything else in the address for the general one', () => {
    for (const strange of ['', 'toString', '__proto__', '<b>']) {
      expect(returnMessage(strange)).toBe('checkout.returned.failed')
    }
  })
})

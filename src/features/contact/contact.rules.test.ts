import { describe, expect, test } from 'vitest'
import { isBlocked } from './contact.rules.ts'

describe('a blocked sender', () => {
  const blocked = ['Bad@one.test', '@two.test']
  test.each([
    ['bad@ONE.test', true],
    ['good@one.test', false],
    ['anybody@Two.test', true],
    ['anybody@not-two.test', false],
    ['anybody@sub.two.test', false],
  ])('%s: %s', (email, isIt) => {
    expect(isBlocked(email, blocked)).toBe(isIt)
  })
})

import { expect, test } from 'vitest'
import { unsubscribeTokens } from './unsubscribe-tokens.ts'

const [FIRST, SECOND, THIRD] = ['first', 'second', 'third'].map(
  (name) => `the ${name} secret of these tests`,
) as [string, string, string]
const SUBJECT = { userId: 42, offerId: 7, kind: 'closing' } as const
const token = unsubscribeTokens({ secret: FIRST }).of(SUBJECT)

test('a token tells which reminder it came with', () => {
  expect(unsubscribeTokens({ secret: FIRST }).read(token)).toEqual(SUBJECT)
  expect(token).toMatch(/^[\w.-]+$/)
})

test('a token outlives one change of the key, and no second one', () => {
  expect(unsubscribeTokens({ secret: SECOND, previousSecret: FIRST }).read(token)).toEqual(SUBJECT)
  expect(unsubscribeTokens({ secret: SECOND }).read(token)).toBeUndefined()
  expect(unsubscribeTokens({ secret: THIRD, previousSecret: SECOND }).read(token)).toBeUndefined()
})

const signature = token.split('.').at(-1)!
test.each([
  ['another account', `43.7.closing.${signature}`],
  ['another contest', `42.8.closing.${signature}`],
  ['another kind', `42.7.result.${signature}`],
  ['an unknown kind', `42.7.other.${signature}`],
  ['a leading zero', `042.7.closing.${signature}`],
  ['a shorter signature', token.slice(0, -1)],
  ['another signature', `42.7.closing.${'A'.repeat(43)}`],
  ['no signature', '42.7.closing'],
  ['a line break', `${token}\n`],
  ['nothing', ''],
])('a token with %s is none', (_, forged) => {
  expect(unsubscribeTokens({ secret: FIRST }).read(forged)).toBeUndefined()
})

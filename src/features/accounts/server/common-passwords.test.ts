import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { PASSWORD_MIN } from '../accounts.rules.ts'
import { isCommonPassword } from './common-passwords.ts'

test('the list has thousands of passwords that an account could have, each once', () => {
  const words = brotliDecompressSync(readFileSync(new URL('common-passwords.br', import.meta.url)))
    .toString()
    .split('\n')
  expect(words.length).toBeGreaterThan(3_000)
  expect(new Set(words).size).toBe(words.length)
  expect(words.filter((word) => word.length < PASSWORD_MIN || word !== word.toLowerCase())).toEqual([])
})

test.each([
  ['password', true],
  ['PassWord', true],
  ['12345678', true],
  ['Password1!', true],
  ['P@ssw0rd', true],
  ['Wachtwoord2026!', true],
  ['Sunshine#7', true],
  ['Correct1!', false],
  ['correct horse battery', false],
  ['Tulipes-de-mai7!', false],
  ['', false],
])('%j is common: %s', (password, isIt) => {
  expect(isCommonPassword(password)).toBe(isIt)
})

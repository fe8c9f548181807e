import { expect, test } from 'vitest'
import { pageLanguage } from './page-language.ts'

test('the address decides, then the cookie, then French', () => {
  expect(pageLanguage('nl', 'en')).toEqual({ language: 'nl', chosen: true })
  expect(pageLanguage(null, 'en')).toEqual({ language: 'en', chosen: false })
  expect(pageLanguage(null, undefined)).toEqual({ language: 'fr', chosen: false })
})

test.each(['de', '', 'NL', '__proto__'])(
  'a language that the shop does not speak is ignored: %j',
  (asked) => {
    expect(pageLanguage(asked, 'en')).toEqual({ language: 'en', chosen: false })
    expect(pageLanguage(null, asked)).toEqual({ language: 'fr', chosen: false })
  },
)

import { expect, test } from 'vitest'
import { frenchSpaces, inlineParts, numbered, wholeEmail } from './policies.rules.ts'

test('addresses in a text become links, the sentence’s own signs do not', () => {
  expect(inlineParts('Write to a.b@shop.example, or see https://shop.example/rules#free.')).toEqual([
    { text: 'Write to ' },
    { text: 'a.b@shop.example', href: 'mailto:a.b@shop.example' },
    { text: ', or see ' },
    { text: 'https://shop.example/rules#free', href: 'https://shop.example/rules#free' },
    { text: '.' },
  ])
})

test.each(['', 'no address', 'a@b.example', 'http://localhost:3000/x (page)'])(
  'the parts of "%s" joined are the text',
  (text) => {
    expect(
      inlineParts(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text)
  },
)

test('sections are numbered from 1', () => {
  expect(numbered(0, 'Purpose')).toBe('1. Purpose')
})

test('French signs stay with their words', () => {
  expect(frenchSpaces('Prix : « juste » ? Oui ; https://a.example')).toBe(
    'Prix\u00a0: «\u00a0juste\u00a0»\u00a0? Oui\u00a0; https://a.example',
  )
})

test('e-mail keeps to one line, other hyphens do not', () => {
  expect(wholeEmail('E-mail: vraag het per e-mail, niet per home-mail of e-post')).toBe(
    'E-\u2060mail: vraag het per e-\u2060mail, niet per home-mail of e-post',
  )
})

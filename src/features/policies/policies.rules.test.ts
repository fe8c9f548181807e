import { expect, test } from 'vitest'
import { frenchSpaces, inlineParts, numbered, wholeEmail } from './policies.rules.ts'
import { breakLines } from './server/page-writer.ts'

test('addresses in a text become links, without the punctuation of the sentence', () => {
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
    const parts = inlineParts(text)
    expect(parts.map((part) => part.text).join('')).toBe(text)
  },
)

test.each([
  [numbered(0, 'Purpose'), '1. Purpose'],
  [
    frenchSpaces('Prix : « juste » ? Oui ; https://a.example'),
    'Prix\u00a0: «\u00a0juste\u00a0»\u00a0? Oui\u00a0; https://a.example',
  ],
  [
    wholeEmail('E-mail: vraag het per e-mail, niet per home-mail of e-post'),
    'E-\u2060mail: vraag het per e-\u2060mail, niet per home-mail of e-post',
  ],
])('numbers, French punctuation and "e-mail" stay with their words: %s', (text, expected) => {
  expect(text).toBe(expected)
})

const link = (x: number) => ({ text: 'a@b.example', href: 'mailto:a@b.example', x })
test.each([
  ['one two three four', 7, ['one two', 'three', 'four']],
  ['a incomprehensible b', 8, ['a', 'incomprehensible', 'b']],
  ['now or never\u00a0!', 7, ['now or', 'never\u00a0!']],
])('lines break between words only: %j', (text, width, lines) => {
  const broken = breakLines(inlineParts(text), width, (part) => part.length)
  expect(broken).toEqual(lines.map((line) => [{ text: line, x: 0 }]))
})

test.each([
  ['see (a@b.example) now', [{ text: 'see (', x: 0 }, link(5), { text: ') now', x: 16 }]],
  ['a@b.example\u00a0: now', [link(0), { text: ': now', x: 12 }]],
])('a link is drawn by itself, with what belongs to it beside it: %j', (text, line) => {
  expect(breakLines(inlineParts(text), 40, (part) => part.length)).toEqual([line])
})

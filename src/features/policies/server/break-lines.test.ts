import { expect, test } from 'vitest'
import { inlineParts } from '../policies.rules.ts'
import { breakLines } from './page-writer.ts'

/** A typewriter: every letter is one wide. */
const lines = (text: string, width: number) => breakLines(inlineParts(text), width, (part) => part.length)

test('breaks between words, and fills each line', () => {
  expect(lines('one two three four', 9)).toEqual([
    [{ text: 'one two', x: 0 }],
    [{ text: 'three', x: 0 }],
    [{ text: 'four', x: 0 }],
  ])
})

test('a link stands by itself where it belongs, its brackets beside it', () => {
  expect(lines('see (a@b.example) now', 40)).toEqual([
    [
      { text: 'see (', x: 0 },
      { text: 'a@b.example', href: 'mailto:a@b.example', x: 5 },
      { text: ') now', x: 16 },
    ],
  ])
})

test('a word wider than the line has a line of its own', () => {
  expect(lines('a incomprehensible b', 8).map(([run]) => run?.text)).toEqual(['a', 'incomprehensible', 'b'])
})

test('words joined by a hard space stay together', () => {
  expect(lines('now or never\u00a0!', 7).map(([run]) => run?.text)).toEqual(['now or', 'never\u00a0!'])
})

test('a hard space beside a link keeps its room', () => {
  expect(lines('a@b.example\u00a0: now', 40)).toEqual([
    [
      { text: 'a@b.example', href: 'mailto:a@b.example', x: 0 },
      { text: ': now', x: 12 },
    ],
  ])
})

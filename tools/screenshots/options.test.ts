import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { PlainError } from '../run/say.ts'
import { readOptions } from './options.ts'
import { STATES } from './states.ts'

describe('the selection', () => {
  test('is everything by default', () => {
    const all = { languages: [...LANGUAGES], widths: [360, 768, 1440], schemes: ['light', 'dark'] }
    expect(readOptions([])).toEqual({ only: [], ...all, sheets: false })
  })

  test('may be several of each, by commas or by repetition', () => {
    const args = '--only cart,home/top --lang nl --lang en --width 1440,360 --scheme dark'.split(' ')
    const some = { languages: ['nl', 'en'], widths: [360, 1440], schemes: ['dark'] }
    expect(readOptions(args)).toMatchObject({ only: ['cart', 'home/top'], ...some })
  })

  test.each(['--lang=xx', '--width=320', '--scheme=blue'])('is refused for %s', (option) => {
    expect(() => readOptions([option])).toThrow(PlainError)
  })
})

test('every state has a name of its own, of a page and what is special', () => {
  const names = STATES.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z-]+\/[a-z0-9-]+$/)
})

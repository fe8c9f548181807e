import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readTree, treeOf } from './rules/tree.ts'
import { DEMANDS, checkDemands, coverage } from './rules/specification.ts'
import { hasTest } from './rules/test-titles.ts'

/** Raised with new demands, never lowered: a demand that falls out of the list is noticed. */
const FEWEST = 466

const tree = readTree(path.resolve(import.meta.dirname, '../..'))

test('every demand of the specification has a test that carries its number', () => {
  const { demands, findings } = checkDemands(tree)
  expect(findings).toEqual([])
  expect(demands.length).toBeGreaterThanOrEqual(FEWEST)
})

const TESTS = [
  "test('a plain title [spec 2.1]', () => {})",
  "describe('a group', () => it('inside [spec 2.2-2.4, 3.1]', () => {}))",
  "test.each([1])('made of %i: %s [spec 2.5]', () => {})",
  'test(`counts ${n}`, () => {})',
  "// test('in a comment [spec 3.2]', () => {})",
  'const text = "test(\'in a text [spec 3.2]\', () => {})"',
].join('\n')
const LIST = ['2. Screens', ...[1, 2, 3, 4, 5].map((n) => `2.${n}  one`), '3. Fields', '3.1  one']

describe('the list of demands', () => {
  const found = (list: readonly string[], tests = TESTS): string[] =>
    checkDemands(treeOf({ [DEMANDS]: list.join('\n'), 'src/a.test.ts': tests })).findings

  test('is complete when each demand has a test', () => {
    expect(found(LIST)).toEqual([])
  })

  test.each([
    [[...LIST, '3.2  two'], [`${DEMANDS}:9  no test shows 3.2`]],
    [[...LIST, '3.2  two {no test: nothing to see}'], []],
    [LIST.slice(0, 8).with(7, '3.1  one {no test: no}'), [`${DEMANDS}:8  3.1 has a test after all`]],
    [[...LIST, '3.1  twice'], [`${DEMANDS}:9  3.1 is there twice, or in another section than its own`]],
    [
      LIST.slice(0, 6),
      ['src/a.test.ts:1  "inside" names 3.1, which is no demand of docs/specification-demands.txt'],
    ],
  ])('is checked: %#', (list, findings) => {
    expect(found(list)).toEqual(findings)
  })

  test('refuses a range that is none', () => {
    expect(found(LIST.slice(0, 2), "test('a [spec 2.1-2.9]', () => {})")).toEqual([
      'src/a.test.ts:1  "a" names 2.1-2.9, which is no demand of docs/specification-demands.txt',
      `${DEMANDS}:2  no test shows 2.1`,
    ])
  })

  test('is printed by section, or with the tests of a demand', () => {
    const one = treeOf({ [DEMANDS]: [...LIST, '3.2  two'].join('\n'), 'src/a.test.ts': TESTS })
    expect(coverage(one, checkDemands(one), [])).toEqual([
      '   5 of   5  2. Screens',
      '   1 of   2  3. Fields',
    ])
    expect(coverage(one, checkDemands(one), ['2.3'])).toEqual(['2.3  one', '  src/a.test.ts: "inside"'])
  })
})

test('a test is named by its title in the source, or by what stands before the first made part', () => {
  const one = treeOf({ 'src/a.test.ts': TESTS })
  for (const name of ['a plain title', 'inside', 'made of %i: %s', 'made of', 'counts ${n}', 'counts'])
    expect(hasTest(one, name), name).toBe(true)
  for (const name of ['a plain', 'a group', 'in a comment', 'in a text'])
    expect(hasTest(one, name), name).toBe(false)
})

import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEMANDS, checkDemands, coverage } from './rules/specification.ts'
import { hasTest } from './rules/test-titles.ts'
import { readTree, treeOf } from './rules/tree.ts'

/** Raised with new demands, never lowered, so that a demand missing from the list is noticed. */
const FEWEST = 466

test('every demand of the specification has a test that carries its number', () => {
  const { demands, findings } = checkDemands(readTree(path.resolve(import.meta.dirname, '../..')))
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
const given = (list: readonly string[], tests = TESTS) =>
  treeOf({ [DEMANDS]: list.join('\n'), 'src/a.test.ts': tests })

describe('the list of demands', () => {
  const unknown = (title: string, id: string): string =>
    `src/a.test.ts:1  "${title}" names ${id}, which is no demand of ${DEMANDS}`

  test.each<[string[], string[], string?]>([
    [LIST, []],
    [[...LIST, '3.2  two'], [`${DEMANDS}:9  no test shows 3.2`]],
    [[...LIST, '3.2  two {no test: nothing to see}'], []],
    [LIST.with(7, '3.1  one {no test: no}'), [`${DEMANDS}:8  3.1 has a test after all`]],
    [[...LIST, '3.1  twice'], [`${DEMANDS}:9  3.1 is there twice, or in another section than its own`]],
    [LIST.slice(0, 6), [unknown('inside', '3.1')]],
    [
      LIST.slice(0, 2),
      [unknown('a', '2.1-2.9'), `${DEMANDS}:2  no test shows 2.1`],
      "test('a [spec 2.1-2.9]', () => {})",
    ],
  ])('is checked: %#', (list, findings, tests) => {
    expect(checkDemands(given(list, tests)).findings).toEqual(findings)
  })

  test('is printed by section, or with the tests of a demand', () => {
    const tree = given([...LIST, '3.2  two'])
    const printed = (asked: string[]) => coverage(tree, checkDemands(tree), asked)
    expect(printed([])).toEqual(['   5 of   5  2. Screens', '   1 of   2  3. Fields'])
    expect(printed(['2.3'])).toEqual(['2.3  one', '  src/a.test.ts: "inside"'])
  })
})

test.each(['a plain title', 'inside', 'made of %i: %s', 'made of', 'counts ${n}', 'counts'])(
  'a test is known by its title, or by the part before the first placeholder: %s',
  (name) => expect(hasTest(given(LIST), name)).toBe(true),
)

test.each(['a plain', 'a group', 'in a comment', 'in a text'])('no test is known as %s', (name) => {
  expect(hasTest(given(LIST), name)).toBe(false)
})

import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readTree, treeOf } from '../../tools/gates/house-rules/tree.ts'
import { TABLE, checkDemands, readDemands, titlesOf } from '../../tools/gates/specification.ts'

/** Raised as the walk goes on, never lowered: a demand that falls out of the table is missed. */
const FEWEST = 460

const tree = readTree(path.resolve(import.meta.dirname, '../..'))

describe('the table of demands', () => {
  test('names only files and tests that exist, and a test for each demand that is met', () => {
    expect(checkDemands(tree)).toEqual([])
  })

  test('has lost no row', () => {
    expect(readDemands(tree.read(TABLE)).demands.length).toBeGreaterThanOrEqual(FEWEST)
  })
})

describe('a table that is wrong', () => {
  const SOURCE = {
    'src/a.ts': '',
    'src/a.test.ts': [
      "test('a plain title', () => {})",
      "describe('a group', () => it('inside', () => {}))",
      "test.each([1])('%s made', () => {})",
      "test.each([1])('made of %i: %s', () => {})",
      'test(`counts ${n}`, () => {})',
      "// test('in a comment', () => {})",
      'const text = "test(\'in a text\', () => {})"',
    ].join('\n'),
  }
  const wrong = (...lines: string[]): string[] =>
    checkDemands(treeOf({ ...SOURCE, [TABLE]: ['## 2. Screens', ...lines].join('\n') })).map(
      (finding) => finding.split('  ')[1]!,
    )

  test('is told from one that is right', () => {
    expect(
      wrong(
        '| Id  | Demand | Satisfied by | Shown by |',
        '| --- | ------ | ------------ | -------- |',
        '| 2.1 | a \\| b | `src/a.ts` | src/a.test.ts: "a plain title"<br>src/a.test.ts: "inside" |',
        '| 2.2 | c | d | Not met: nobody built it |',
        '| 2.3 | c | d | Text |',
        '| 2.4 | c | d | src/a.test.ts: "%s made"<br>src/a.test.ts: "made of"<br>src/a.test.ts: "counts" |',
      ),
    ).toEqual([])
  })

  test.each([
    ['| 3.1 | a | b | Text |', '3.1 is no id of section 2'],
    ['| 2.x | a | b | Text |', '2.x is no id of section 2'],
    ['| 2.1 | | b | Text |', '2.1 lacks the demand or what satisfies it'],
    ['| 2.1 | a | | Text |', '2.1 lacks the demand or what satisfies it'],
    ['| 2.1 | a | b |', 'has 3 cells: a row has four'],
    ['| 2.1 | a | `src/b.ts` | Text |', '2.1 names src/b.ts, which does not exist'],
    ['| 2.1 | a | b | |', '2.1 has neither a test nor the words "Not met"'],
    ['| 2.1 | a | b | seen by hand |', '2.1 names no test in the form file: "title": seen by hand'],
    ['| 2.1 | a | b | src/b.test.ts: "inside" |', '2.1 names src/b.test.ts, which does not exist'],
    ['| 2.1 | a | b | src/a.test.ts: "a group" |', '2.1: src/a.test.ts has no test "a group"'],
    ['| 2.1 | a | b | src/a.test.ts: "in a comment" |', '2.1: src/a.test.ts has no test "in a comment"'],
    ['| 2.1 | a | b | src/a.test.ts: "in a text" |', '2.1: src/a.test.ts has no test "in a text"'],
    ['| 2.1 | a | b | src/a.test.ts: "a plain" |', '2.1: src/a.test.ts has no test "a plain"'],
  ])('is refused: %s', (row, finding) => {
    expect(wrong(row)).toEqual([finding])
  })

  test('is refused when an id comes twice', () => {
    expect(wrong('| 2.1 | a | b | Text |', '| 2.1 | c | d | Text |')).toEqual(['2.1 is there twice'])
  })

  test('names a test by its title in the source', () => {
    const titles = titlesOf(treeOf(SOURCE), 'src/a.test.ts')
    expect([...titles]).toEqual([
      'a plain title',
      'inside',
      '%s made',
      'made of %i: %s',
      'made of',
      'counts ${n}',
      'counts',
    ])
  })
})

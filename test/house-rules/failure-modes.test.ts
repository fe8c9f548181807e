import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { FAILURES, checkFailureModes } from '../../tools/gates/failure-modes.ts'
import { readTree, treeOf } from '../../tools/gates/house-rules/tree.ts'

const tree = readTree(path.resolve(import.meta.dirname, '../..'))

test('every failure mode names tests that exist, and its negative control', () => {
  expect(checkFailureModes(tree)).toEqual([])
})

describe('a table of failure modes that is wrong', () => {
  const rows = tree.read(FAILURES).split('\n')
  const first = rows.findIndex((line) => /^\|\s*1\s/.test(line))
  const source = { 'a.test.ts': "test('a title', () => {})" }
  const NAMED = 'a.test.ts: "a title"'
  const row = (number: number, shown = NAMED, control = 'None: no lock', answer = 'b') =>
    `| ${number} | a | ${answer} | c | ${shown} | ${control} |`
  const whole = Array.from({ length: 36 }, (_, index) => row(index + 1))
  const wrong = (lines: readonly string[]): string[] =>
    checkFailureModes(treeOf({ ...source, [FAILURES]: lines.join('\n') })).map((one) => one.split('  ')[1]!)

  test('is told from one that is right', () => {
    expect(first).toBeGreaterThan(0)
    expect(wrong(whole)).toEqual([])
    expect(wrong(whole.with(31, row(32, 'Not built', NAMED, 'Not built: nobody did')))).toEqual([])
  })

  test.each([
    [whole.slice(0, 35), 'has 35 rows of 36'],
    [whole.with(2, row(4)), 'row 4 stands where 3 is expected'],
    [whole.with(0, row(1, 'seen by hand')), 'row 1 names no test in the form file: "title": seen by hand'],
    [whole.with(0, row(1, 'a.test.ts: "b"')), 'row 1: a.test.ts has no test "b"'],
    [whole.with(0, row(1, NAMED, '')), 'row 1 names no test in the form file: "title": '],
    [whole.with(0, row(1, NAMED, 'a.test.ts: "b"')), 'row 1: a.test.ts has no test "b"'],
    [whole.with(0, row(1, 'Not built')), 'row 1 has no test and does not say that it is not built'],
    [whole.with(0, '| 1 | a | b | c |'), 'row 1 has 4 cells: a row has 6'],
  ])('is refused: %#', (lines, finding) => {
    expect(wrong(lines)).toContain(finding)
  })
})

import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { FAILURES, checkFailureModes } from './rules/failure-modes.ts'
import { readTree, treeOf } from './rules/tree.ts'

const tree = readTree(path.resolve(import.meta.dirname, '../..'))

test('every failure mode has an answer, tests that exist and a negative control', () => {
  expect(checkFailureModes(tree)).toEqual([])
})

describe('a page of failure modes', () => {
  const TEST = '- Test: "a title"'
  const CONTROL = '- Without the guard: "another"'
  const mode = (number: number, ...lines: string[]): string =>
    [`## ${number}. A fault`, '', 'The answer.', '', ...lines, ''].join('\n')
  const whole = Array.from({ length: 36 }, (_, index) => mode(index + 1, TEST, CONTROL))
  const wrong = (modes: readonly string[]): string[] =>
    checkFailureModes(
      treeOf({
        'a.test.ts': "test('a title [spec 1.1]', () => {})\ntest('another', () => {})",
        [FAILURES]: modes.join('\n'),
      }),
    ).map((one) => one.split('  ')[1]!)

  test('is accepted when it is complete', () => {
    expect(wrong(whole)).toEqual([])
    expect(wrong(whole.with(0, mode(1, TEST, '- No control: no lock')))).toEqual([])
    expect(wrong(whole.with(31, mode(32, CONTROL).replace('The answer.', 'Not built: nobody did.')))).toEqual(
      [],
    )
  })

  test.each([
    [whole.slice(0, 35), 'has 35 modes of 36'],
    [whole.with(2, mode(4, TEST, CONTROL)), 'mode 4 stands where 3 is expected'],
    [whole.with(0, mode(1, CONTROL)), 'mode 1 has no test and does not say that it is not built'],
    [whole.with(0, mode(1, TEST)), 'mode 1 has no control and does not say why'],
    [whole.with(0, mode(1, '- Test: "b"', CONTROL)), 'mode 1 names no test: "b"'],
    [whole.with(0, mode(1, TEST, '- Without the guard: "b"')), 'mode 1 names no test: "b"'],
    [whole.with(0, mode(1, TEST, CONTROL).replace('The answer.', '')), 'mode 1 lacks an answer'],
  ])('is refused: %#', (modes, finding) => {
    expect(wrong(modes)).toContain(finding)
  })
})

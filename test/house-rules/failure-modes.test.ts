import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { FAILURES, checkFailureModes } from './rules/failure-modes.ts'
import { readTree, treeOf } from './rules/tree.ts'

test('every failure mode has an answer, tests that exist and a negative control', () => {
  expect(checkFailureModes(readTree(path.resolve(import.meta.dirname, '../..')))).toEqual([])
})

describe('a page of failure modes', () => {
  const TEST = '- Test: "a title"'
  const CONTROL = '- Without the guard: "another"'
  const mode = (number: number, ...lines: string[]): string =>
    [`## ${number}. A fault`, '', 'The answer.', '', ...lines, ''].join('\n')
  const whole = Array.from({ length: 36 }, (_, index) => mode(index + 1, TEST, CONTROL))
  const SOURCE = "test('a title [spec 1.1]', () => {})\ntest('another', () => {})"
  const notBuilt = mode(1, CONTROL).replace('The answer.', 'Not built: nobody did.')

  test.each<[string[], string[]]>([
    [whole, []],
    [whole.with(0, mode(1, TEST, '- No control: no lock')), []],
    [whole.with(0, notBuilt), []],
    [whole.slice(0, 35), ['has 35 modes of 36']],
    [whole.with(2, mode(4, TEST, CONTROL)), ['mode 4 stands where 3 is expected']],
    [whole.with(0, mode(1, CONTROL)), ['mode 1 has no test and does not say that it is not built']],
    [whole.with(0, mode(1, TEST)), ['mode 1 has no control and does not say why']],
    [whole.with(0, mode(1, '- Test: "b"', CONTROL)), ['mode 1 names no test: "b"']],
    [whole.with(0, mode(1, TEST, '- Without the guard: "b"')), ['mode 1 names no test: "b"']],
    [whole.with(0, mode(1, TEST, CONTROL).replace('The answer.', '')), ['mode 1 lacks an answer']],
  ])('%#', (modes, findings) => {
    const tree = treeOf({ 'a.test.ts': SOURCE, [FAILURES]: modes.join('\n') })
    expect(checkFailureModes(tree)).toEqual(findings.map((finding) => `${FAILURES}  ${finding}`))
  })
})

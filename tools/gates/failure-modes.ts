import type { Finding, Tree } from './house-rules/tree.ts'
import { cellsOf, namedTestFaults } from './specification.ts'

export const FAILURES = 'docs/failure-modes.md'

/** How many situations the page answers, numbered from 1. */
const ROWS = 36
const CELLS = 6

/** What a cell may say instead of a test. */
const UNBUILT = 'Not built'
const NO_CONTROL = /^None: ./

/** What is untrue of the table of failure modes: rows that are missing, cells without words, tests that are not there. */
export function checkFailureModes(tree: Tree): Finding[] {
  const rows = tree
    .read(FAILURES)
    .split('\n')
    .flatMap((line, index) => (/^\|\s*\d/.test(line) ? [{ cells: cellsOf(line), line: index + 1 }] : []))
  const found = rows.flatMap(({ cells, line }, index) => {
    const [number = '', situation = '', answer = '', guard = '', shown = '', control = ''] = cells
    const wrong: string[] = []
    if (cells.length !== CELLS) wrong.push(`row ${number} has ${cells.length} cells: a row has ${CELLS}`)
    if (number !== String(index + 1)) wrong.push(`row ${number} stands where ${index + 1} is expected`)
    if (!situation || !answer || !guard) wrong.push(`row ${number} lacks situation, answer or guard`)
    if (shown === UNBUILT ? !answer.startsWith(UNBUILT) : false)
      wrong.push(`row ${number} has no test and does not say that it is not built`)
    if (shown !== UNBUILT) wrong.push(...namedTestFaults(tree, `row ${number}`, shown))
    if (!NO_CONTROL.test(control)) wrong.push(...namedTestFaults(tree, `row ${number}`, control))
    return wrong.map((what) => `${FAILURES}:${line}  ${what}`)
  })
  return rows.length === ROWS ? found : [...found, `${FAILURES}:1  has ${rows.length} rows of ${ROWS}`]
}

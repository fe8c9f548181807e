import type { Finding, Tree } from './tree.ts'
import { hasTest } from './test-titles.ts'

export const FAILURES = 'docs/failure-modes.md'

/** How many failure modes the page answers, numbered from 1. */
const MODES = 36

const TEST = /^- Test: "(.+)"$/
const CONTROL = /^- Without the guard: "(.+)"$/
const NOT_BUILT = /^Not built: \S/m
const NO_CONTROL = /^- No control: \S/m

/** What is untrue of the page of failure modes: modes that are missing, without an answer or a test, unknown tests. */
export function checkFailureModes(tree: Tree): Finding[] {
  const modes = tree
    .read(FAILURES)
    .split(/^(?=## )/m)
    .filter((part) => /^## \d/.test(part))
  const found = modes.flatMap((mode, index) => {
    const number = /^## (\d+)\. \S/.exec(mode)?.[1]
    const lines = mode.split('\n')
    const [tests, controls] = [TEST, CONTROL].map((form) =>
      lines.flatMap((line) => form.exec(line)?.[1] ?? []),
    ) as [string[], string[]]
    const built = !NOT_BUILT.test(mode)
    const wrong = [
      ...(number === String(index + 1) ? [] : [`stands where ${index + 1} is expected`]),
      ...(/^[A-Z]/.test(lines[2] ?? '') ? [] : ['lacks an answer']),
      ...(built && tests.length === 0 ? ['has no test and does not say that it is not built'] : []),
      ...(controls.length > 0 || NO_CONTROL.test(mode) ? [] : ['has no control and does not say why']),
      ...[...tests, ...controls]
        .filter((name) => !hasTest(tree, name))
        .map((name) => `names no test: "${name}"`),
    ]
    return wrong.map((what) => `${FAILURES}  mode ${number} ${what}`)
  })
  return modes.length === MODES ? found : [...found, `${FAILURES}  has ${modes.length} modes of ${MODES}`]
}

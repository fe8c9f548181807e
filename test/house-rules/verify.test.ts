import { describe, expect, test } from 'vitest'
import { type Step, type Tally, chosenSteps, runSteps } from '../../tools/gates/verify/runner.ts'
import { STEPS } from '../../tools/gates/verify/steps.ts'
import { tallyOf } from '../../tools/gates/verify/vitest-report.ts'

const step = (name: string, tally: Tally | Error, ran: string[] = []): Step => ({
  name,
  about: 'x',
  run: () => {
    ran.push(name)
    return tally instanceof Error ? Promise.reject(tally) : Promise.resolve(tally)
  },
})

async function runAll(steps: Step[], keepGoing = false): Promise<{ total: Tally; lines: string[] }> {
  const said: string[] = []
  let clock = 0
  const total = await runSteps(steps, {
    keepGoing,
    say: (line) => said.push(line),
    now: () => (clock += 500),
  })
  return { total, lines: said.join('\n').split('\n') }
}

describe('a run', () => {
  test('ends with the sum, alone in the last line', async () => {
    const { total, lines } = await runAll([
      step('a', { passed: 1, failed: 0 }),
      step('b', { passed: 41, failed: 0 }),
    ])
    expect(total).toEqual({ passed: 42, failed: 0 })
    expect(lines.at(-1)).toBe('42 passed, 0 failed')
    expect(lines).toContain('   0.5 s  b')
  })

  test('stops at the first step that fails, and says what was not run', async () => {
    const ran: string[] = []
    const steps = [step('a', { passed: 3, failed: 2 }, ran), step('b', { passed: 1, failed: 0 }, ran)]
    const { total, lines } = await runAll(steps)
    expect([ran, total]).toEqual([['a'], { passed: 3, failed: 2 }])
    expect(lines).toContain('   0.5 s  a: 2 FAILED')
    expect(lines).toContain('  not run  b')
    expect(lines.at(-1)).toBe('3 passed, 2 failed')
  })

  test('keeps going when asked, and stays failed', async () => {
    const { total } = await runAll(
      [step('a', { passed: 0, failed: 1 }), step('b', { passed: 5, failed: 0 })],
      true,
    )
    expect(total).toEqual({ passed: 5, failed: 1 })
  })

  test('counts a step that throws as one failure, with its message', async () => {
    const { total, lines } = await runAll([step('a', new Error('no disk'))])
    expect(total).toEqual({ passed: 0, failed: 1 })
    expect(lines).toContain('no disk')
  })

  test('runs the named steps in their own order, and refuses unknown ones', () => {
    expect(chosenSteps(STEPS, ['unit', 'types']).map(({ name }) => name)).toEqual(['types', 'unit'])
    expect(chosenSteps(STEPS, [])).toBe(STEPS)
    expect(() => chosenSteps(STEPS, ['units'])).toThrow('There is no step units. Steps: format, types, lint')
  })
})

describe('a report of Vitest', () => {
  const file = (status: string, tests: number) => ({
    name: 'x',
    status,
    assertionResults: Array(tests).fill({}),
  })
  const report = (
    numPassedTests: number,
    numFailedTests: number,
    ...testResults: ReturnType<typeof file>[]
  ) => ({
    numPassedTests,
    numFailedTests,
    testResults,
  })

  test.each([
    ['all is well', report(7, 0, file('passed', 7)), 0, { passed: 7, failed: 0 }],
    ['tests failed', report(5, 2, file('failed', 7)), 1, { passed: 5, failed: 2 }],
    ['a file did not load', report(5, 0, file('passed', 5), file('failed', 0)), 1, { passed: 5, failed: 1 }],
    ['an error came outside the tests', report(5, 0, file('passed', 5)), 1, { passed: 5, failed: 1 }],
    ['nothing was tested', report(0, 0), 0, { passed: 0, failed: 1 }],
    ['it was killed before it wrote', undefined, null, { passed: 0, failed: 1 }],
  ])('%s', (_what, given, code, tally) => {
    expect(tallyOf(given, code)).toEqual(tally)
  })
})

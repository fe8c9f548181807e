import { describe, expect, test } from 'vitest'
import { type Step, type Tally, chosenSteps, runSteps } from '../../tools/gates/verify/runner.ts'
import { stepsOf } from '../../tools/gates/verify/steps.ts'
import { tallyOf, timingsOf } from '../../tools/gates/verify/vitest-report.ts'

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
    const steps = stepsOf('short')
    expect(chosenSteps(steps, ['unit', 'types']).map(({ name }) => name)).toEqual(['types', 'unit'])
    expect(chosenSteps(steps, [])).toBe(steps)
    expect(() => chosenSteps(steps, ['units'])).toThrow('There is no step units. Steps: types, format, deps')
  })

  test('of the extended tier has every step of the short one, and more', () => {
    const [short, extended] = [stepsOf('short'), stepsOf('extended')].map((all) =>
      all.map(({ name }) => name),
    )
    expect(extended?.slice(0, short?.length)).toEqual(short)
    expect(extended?.length).toBeGreaterThan(short?.length ?? 0)
  })

  test('names the tests that took more than two seconds, the slowest first', async () => {
    const timings = [
      { name: 'quick', ms: 2_000 },
      { name: 'slow', ms: 2_100 },
      { name: 'slowest', ms: 61_000 },
    ]
    const { lines } = await runAll([step('a', { passed: 1, failed: 0, timings })])
    expect(lines.filter((line) => /slow|quick/.test(line))).toEqual(['  61.0 s  slowest', '   2.1 s  slow'])
    const many = Array.from({ length: 60 }, (_, index) => ({ name: `test ${index}`, ms: 3_000 }))
    const long = await runAll([step('a', { passed: 60, failed: 0, timings: many })])
    expect(long.lines.filter((line) => line.includes('s  test'))).toHaveLength(40)
    expect(long.lines).toContain('          and 20 more')
  })
})

describe('small steps', () => {
  /** A small step that ends when it is told to. */
  function small(name: string, ran: string[], more: Partial<Step> = {}) {
    const { promise, resolve } = Promise.withResolvers<Tally>()
    const made: Step = {
      name,
      about: 'x',
      isSmall: true,
      run: (print) => {
        ran.push(name)
        print?.(`output of ${name}\n`)
        return promise
      },
      ...more,
    }
    return { step: made, end: (failed = 0) => resolve({ passed: 1 - failed, failed }) }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  test('run two at a time, and a large one alone, after all before it and before all after it', async () => {
    const ran: string[] = []
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => small(name, ran))
    const large = small('large', ran, { isSmall: false })
    const all = runAll([a!.step, b!.step, c!.step, large.step, d!.step])
    await settle()
    expect(ran).toEqual(['a', 'b'])
    b!.end()
    await settle()
    expect(ran).toEqual(['a', 'b', 'c'])
    a!.end()
    await settle()
    expect(ran).toEqual(['a', 'b', 'c'])
    c!.end()
    await settle()
    expect(ran).toEqual(['a', 'b', 'c', 'large'])
    large.end()
    await settle()
    expect(ran).toEqual(['a', 'b', 'c', 'large', 'd'])
    d!.end()
    const { total, lines } = await all
    expect(total).toEqual({ passed: 5, failed: 0 })
    // Each prints in one piece, under its title.
    for (const name of ['a', 'b', 'c', 'd'])
      expect(lines[lines.indexOf(`── ${name}: x`) + 1]).toBe(`output of ${name}`)
  })

  test('wait for those that they come after, and let others go first', async () => {
    const ran: string[] = []
    const first = small('first', ran)
    const second = small('second', ran, { after: ['first'] })
    const other = small('other', ran)
    const all = runAll([first.step, second.step, other.step])
    await settle()
    expect(ran).toEqual(['first', 'other'])
    first.end()
    await settle()
    expect(ran).toEqual(['first', 'other', 'second'])
    second.end()
    other.end()
    await all
    // Alone, it waits for nobody.
    const alone = small('second', ran, { after: ['first'] })
    const run = runAll([alone.step])
    alone.end()
    expect((await run).total).toEqual({ passed: 1, failed: 0 })
  })

  test('after one that failed begin no more; what runs is waited for', async () => {
    const ran: string[] = []
    const [a, b, c] = ['a', 'b', 'c'].map((name) => small(name, ran))
    const all = runAll([a!.step, b!.step, c!.step])
    a!.end(1)
    await settle()
    b!.end()
    const { total, lines } = await all
    expect(ran).toEqual(['a', 'b'])
    expect(total).toEqual({ passed: 1, failed: 1 })
    expect(lines).toContain('  not run  c')
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

  test('tells how long its files and tests took', () => {
    const took = { fullName: 'a test', duration: 2_500 }
    const file = { name: '/here/a.test.ts', status: 'passed', startTime: 1_000, endTime: 4_000 }
    const report = { numPassedTests: 2, numFailedTests: 0 }
    const both = { ...report, testResults: [{ ...file, assertionResults: [took, took] }] }
    expect(timingsOf(both, '/here')).toEqual([
      { name: 'a.test.ts (all its tests)', ms: 3_000 },
      { name: 'a.test.ts › a test', ms: 2_500 },
      { name: 'a.test.ts › a test', ms: 2_500 },
    ])
    const one = { ...report, testResults: [{ ...file, assertionResults: [took] }] }
    expect(timingsOf(one, '/here')).toEqual([{ name: 'a.test.ts › a test', ms: 2_500 }])
    expect(timingsOf(undefined, '/here')).toEqual([])
  })
})

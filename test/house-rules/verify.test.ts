import { describe, expect, test } from 'vitest'
import { type Step, type Tally, chosenSteps, runSteps } from '../../tools/gates/verify/runner.ts'
import { stepsOf } from '../../tools/gates/verify/steps.ts'
import { tallyOf, timingsOf } from '../../tools/gates/verify/vitest-report.ts'

const step = (name: string, tally: Tally | Error): Step => ({
  name,
  about: 'x',
  run: () => (tally instanceof Error ? Promise.reject(tally) : Promise.resolve(tally)),
})

async function runAll(steps: Step[], keepGoing = false): Promise<{ total: Tally; lines: string[] }> {
  const lines: string[] = []
  let clock = 0
  const now = () => (clock += 500)
  const total = await runSteps(steps, { keepGoing, say: (text) => lines.push(...text.split('\n')), now })
  return { total, lines }
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

  test('stops at the first failed step and names the steps that did not run, or continues when asked', async () => {
    const steps = [step('a', { passed: 3, failed: 2 }), step('b', { passed: 1, failed: 0 })]
    const { lines } = await runAll(steps)
    expect(lines).toEqual(expect.arrayContaining(['   0.5 s  a: 2 FAILED', '  not run  b']))
    expect(lines.at(-1)).toBe('3 passed, 2 failed')
    expect((await runAll(steps, true)).total).toEqual({ passed: 4, failed: 2 })
  })

  test('counts a step that throws as one failure, with its message', async () => {
    const { total, lines } = await runAll([step('a', new Error('no disk'))])
    expect(total).toEqual({ passed: 0, failed: 1 })
    expect(lines).toContain('no disk')
  })

  test('runs the named steps in their own order and refuses unknown ones', () => {
    const steps = stepsOf('short')
    expect(chosenSteps(steps, ['unit', 'types']).map(({ name }) => name)).toEqual(['types', 'unit'])
    expect(chosenSteps(steps, [])).toBe(steps)
    expect(() => chosenSteps(steps, ['units'])).toThrow('There is no step units. Steps: types, format, deps')
  })

  test('of the extended tier has every step of the short one, and more', () => {
    const [short, extended] = (['short', 'extended'] as const).map((tier) =>
      stepsOf(tier).map(({ name }) => name),
    ) as [string[], string[]]
    expect(extended.slice(0, short.length)).toEqual(short)
    expect(extended.length).toBeGreaterThan(short.length)
  })

  test('lists the tests that took more than two seconds, the slowest first, at most forty', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ name: `test ${index}`, ms: 2_001 + index }))
    const { lines } = await runAll([
      step('a', { passed: 1, failed: 0, timings: [{ name: 'test quick', ms: 2_000 }, ...many] }),
    ])
    const listed = lines.filter((line) => line.includes('s  test'))
    expect(listed).toHaveLength(40)
    expect(listed[0]).toBe('   2.1 s  test 59')
    expect(lines).toContain('          and 20 more')
  })
})

describe('small steps', () => {
  /** Small steps that end when the test says so. */
  function smallSteps(...names: string[]) {
    const ran: string[] = []
    const made = names.map((name) => {
      const { promise, resolve } = Promise.withResolvers<Tally>()
      const run: Step['run'] = (print) => {
        ran.push(name)
        print?.(`output of ${name}\n`)
        return promise
      }
      const one: Step = { name, about: 'x', isSmall: true, run }
      return [name, { step: one, end: (failed = 0) => resolve({ passed: 1 - failed, failed }) }] as const
    })
    return { ran, steps: Object.fromEntries(made) }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  test('run two at a time, and a large one alone between those before and after it', async () => {
    const { ran, steps } = smallSteps('a', 'b', 'c', 'd', 'large')
    const { a, b, c, d, large } = steps
    const all = runAll([a!.step, b!.step, c!.step, { ...large!.step, isSmall: false }, d!.step])
    const expected = ['a', 'b', 'c', 'large', 'd']
    for (const [ended, started] of [
      [undefined, 2],
      [b, 3],
      [a, 3],
      [c, 4],
      [large, 5],
    ] as const) {
      ended?.end()
      await settle()
      expect(ran).toEqual(expected.slice(0, started))
    }
    d!.end()
    const { total, lines } = await all
    expect(total).toEqual({ passed: 5, failed: 0 })
    // Each prints in one piece, under its title.
    for (const name of ['a', 'b', 'c', 'd'])
      expect(lines[lines.indexOf(`── ${name}: x`) + 1]).toBe(`output of ${name}`)
  })

  test('wait for the steps that they depend on, if those run at all, and let others go first', async () => {
    const { ran, steps } = smallSteps('first', 'second', 'other')
    const { first, second, other } = steps
    const dependent = { ...second!.step, after: ['first'] }
    const all = runAll([first!.step, dependent, other!.step])
    await settle()
    expect(ran).toEqual(['first', 'other'])
    first!.end()
    await settle()
    expect(ran).toEqual(['first', 'other', 'second'])
    second!.end()
    other!.end()
    await all
    expect((await runAll([dependent])).total).toEqual({ passed: 1, failed: 0 })
  })

  test('start no more after a failure; those that run are waited for', async () => {
    const { ran, steps } = smallSteps('a', 'b', 'c')
    const { a, b, c } = steps
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
  type File = ReturnType<typeof file>

  test.each<[string, [number, number, ...File[]] | undefined, number | null, number, number]>([
    ['all is well', [7, 0, file('passed', 7)], 0, 7, 0],
    ['tests failed', [5, 2, file('failed', 7)], 1, 5, 2],
    ['a file did not load', [5, 0, file('passed', 5), file('failed', 0)], 1, 5, 1],
    ['an error came outside the tests', [5, 0, file('passed', 5)], 1, 5, 1],
    ['nothing was tested', [0, 0], 0, 0, 1],
    ['it was killed before it wrote', undefined, null, 0, 1],
  ])('%s', (_, given, code, passed, failed) => {
    const [numPassedTests = 0, numFailedTests = 0, ...testResults] = given ?? []
    const report = given && { numPassedTests, numFailedTests, testResults: testResults as File[] }
    expect(tallyOf(report, code)).toEqual({ passed, failed })
  })

  test('has the time of each file and test, of a single test once', () => {
    const took = { fullName: 'a test', duration: 2_500 }
    const timings = (...assertionResults: (typeof took)[]) =>
      timingsOf(
        {
          numPassedTests: 2,
          numFailedTests: 0,
          testResults: [
            { name: '/here/a.test.ts', status: 'passed', startTime: 1_000, endTime: 4_000, assertionResults },
          ],
        },
        '/here',
      )
    const one = { name: 'a.test.ts › a test', ms: 2_500 }
    expect(timings(took, took)).toEqual([{ name: 'a.test.ts (all its tests)', ms: 3_000 }, one, one])
    expect(timings(took)).toEqual([one])
    expect(timingsOf(undefined, '/here')).toEqual([])
  })
})

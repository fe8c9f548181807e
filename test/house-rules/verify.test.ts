import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Step, type Tally, chosenSteps, runSteps } from '../../tools/gates/verify/runner.ts'
import { stepsOf } from '../../tools/gates/verify/steps.ts'
import { tallyOf, timingsOf } from '../../tools/gates/verify/vitest-report.ts'
import { EXTENDED_ONLY } from '../support/extended-only.ts'

const step = (name: string, passed: number, failed = 0, more: Partial<Step & Tally> = {}): Step => ({
  name,
  about: 'x',
  run: async () => ({ passed, failed, ...more }),
  ...more,
})

async function runAll(steps: Step[], keepGoing = false): Promise<{ total: Tally; lines: string[] }> {
  const lines: string[] = []
  let clock = 0
  const now = () => (clock += 500)
  const total = await runSteps(steps, { keepGoing, say: (text) => lines.push(...text.split('\n')), now })
  return { total, lines }
}

describe('a run', () => {
  const broken = step('a', 0, 0, { run: () => Promise.reject(new Error('no disk')) })
  const some = Array.from({ length: 60 }, (_, index) => ({ name: `test ${index}`, ms: 2_001 + index }))
  const slow = step('a', 1, 0, { timings: [{ name: 'test quick', ms: 2_000 }, ...some] })

  test.each<[string, Step[], boolean, string, string[]]>([
    ['ends with the sum', [step('a', 1), step('b', 41)], false, '42 passed, 0 failed', ['   0.5 s  b']],
    [
      'stops at the first failed step and names the steps that did not run',
      [step('a', 3, 2), step('b', 1)],
      false,
      '3 passed, 2 failed',
      ['   0.5 s  a: 2 FAILED', '  not run  b'],
    ],
    ['continues when asked', [step('a', 3, 2), step('b', 1)], true, '4 passed, 2 failed', ['   0.5 s  b']],
    [
      'counts a step that throws as a failure, and prints its reason once more at the end',
      [broken],
      false,
      '0 passed, 1 failed',
      ['── failed: a', 'no disk'],
    ],
    ['lists slow tests, at most forty', [slow], false, '1 passed, 0 failed', ['          and 20 more']],
  ])('%s', async (_, steps, keepGoing, last, others) => {
    const { total, lines } = await runAll(steps, keepGoing)
    expect(lines.at(-1)).toBe(last)
    expect(`${total.passed} passed, ${total.failed} failed`).toBe(last)
    expect(lines).toEqual(expect.arrayContaining(others))
    const listed = lines.filter((line) => line.includes('s  test'))
    // The slowest first.
    expect([listed.length, listed[0]]).toEqual(steps[0] === slow ? [40, '   2.1 s  test 59'] : [0, undefined])
  })

  test('has the named steps in their own order and refuses unknown ones', () => {
    const steps = stepsOf('short')
    expect(chosenSteps(steps, ['unit', 'lint']).map(({ name }) => name)).toEqual(['lint', 'unit'])
    expect(chosenSteps(steps, [])).toBe(steps)
    expect(() => chosenSteps(steps, ['units'])).toThrow(
      'There is no step units. Steps: route-types, format, lint',
    )
    // The extended tier has every step of the short one, and more.
    const extended = stepsOf('extended').map(({ name }) => name)
    expect(extended.slice(0, steps.length)).toEqual(steps.map(({ name }) => name))
    expect(extended.length).toBeGreaterThan(steps.length)
  })
})

test('every file that only the extended form runs is there', () => {
  const root = path.resolve(import.meta.dirname, '../..')
  const files = Object.values(EXTENDED_ONLY).flat()
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})

describe('small steps', () => {
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  /** Runs steps that end when the test says so, all of them small except `large` and `idle`. */
  function start(names: string[], after: Record<string, string[]> = {}) {
    const ran: string[] = []
    const ends = new Map<string, (failed: number) => void>()
    const steps = names.map((name): Step => {
      const { promise, resolve } = Promise.withResolvers<Tally>()
      ends.set(name, (failed) => resolve({ passed: 1 - failed, failed }))
      const run: Step['run'] = (print) => {
        ran.push(name)
        print?.(`output of ${name}\n`)
        return promise
      }
      const kind = name === 'idle' ? { isIdle: true } : { isSmall: !name.startsWith('large') }
      return step(name, 0, 0, { run, ...kind, ...(after[name] && { after: after[name] }) })
    })
    const end = async (name: string, failed = 0) => {
      ends.get(name)!(failed)
      await settle()
      return ran
    }
    return { all: runAll(steps), ran, end }
  }

  test('run two at a time, and a large one alone between those before and after it', async () => {
    const { all, ran, end } = start(['a', 'b', 'c', 'large', 'd'])
    await settle()
    expect(ran).toEqual(['a', 'b'])
    expect(await end('b')).toEqual(['a', 'b', 'c'])
    expect(await end('a')).toEqual(['a', 'b', 'c'])
    expect(await end('c')).toEqual(['a', 'b', 'c', 'large'])
    expect(await end('large')).toEqual(['a', 'b', 'c', 'large', 'd'])
    await end('d')
    const { total, lines } = await all
    expect(total).toEqual({ passed: 5, failed: 0 })
    // Each prints in one piece, under its title.
    for (const name of ['a', 'b', 'c', 'd'])
      expect(lines[lines.indexOf(`── ${name}: x`) + 1]).toBe(`output of ${name}`)
  })

  test('an idle one begins in its turn and runs beside any other', async () => {
    const { all, ran, end } = start(['a', 'idle', 'large', 'large too', 'b', 'c', 'd'], { idle: ['a'] })
    await settle()
    expect(ran).toEqual(['a'])
    expect(await end('a')).toEqual(['a', 'idle', 'large'])
    expect(await end('large')).toEqual(['a', 'idle', 'large', 'large too'])
    expect(await end('large too')).toEqual(['a', 'idle', 'large', 'large too', 'b', 'c'])
    expect(await end('idle')).toEqual(['a', 'idle', 'large', 'large too', 'b', 'c'])
    for (const name of ['b', 'c', 'd']) await end(name)
    const { total, lines } = await all
    expect(total).toEqual({ passed: 7, failed: 0 })
    expect(lines[lines.indexOf('── idle: x') + 1]).toBe('output of idle')
  })

  test('wait for the steps that they depend on, if those run at all, and let others go first', async () => {
    const { ran, end } = start(['first', 'second', 'other'], { second: ['first'] })
    await settle()
    expect(ran).toEqual(['first', 'other'])
    expect(await end('first')).toEqual(['first', 'other', 'second'])
    const alone = step('second', 1, 0, { isSmall: true, after: ['first'] })
    expect((await runAll([alone])).total).toEqual({ passed: 1, failed: 0 })
  })

  test('start no more after a failure; those that run are waited for', async () => {
    const { all, end } = start(['a', 'b', 'c'])
    await end('a', 1)
    expect(await end('b')).toEqual(['a', 'b'])
    const { total, lines } = await all
    expect(total).toEqual({ passed: 1, failed: 1 })
    expect(lines).toContain('  not run  c')
    // What the failed one printed comes once more, behind what the others printed.
    expect(lines[lines.lastIndexOf('── failed: a') + 1]).toBe('output of a')
    expect(lines.lastIndexOf('output of a')).toBeGreaterThan(lines.lastIndexOf('output of b'))
    expect(lines).not.toContain('── failed: b')
  })
})

describe('a report of Vitest', () => {
  const file = (status: string, tests: number) => ({
    name: '/here/a.test.ts',
    status,
    startTime: 1_000,
    endTime: 4_000,
    assertionResults: Array(tests).fill({ fullName: 'a test', duration: 2_500 }),
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
    const timings = (tests: number) =>
      timingsOf({ numPassedTests: tests, numFailedTests: 0, testResults: [file('passed', tests)] }, '/here')
    const one = { name: 'a.test.ts › a test', ms: 2_500 }
    expect(timings(2)).toEqual([{ name: 'a.test.ts (all its tests)', ms: 3_000 }, one, one])
    expect(timings(1)).toEqual([one])
    expect(timingsOf(undefined, '/here')).toEqual([])
  })
})

/**
 * `npm run verify`: every kind of check there is, stopping at the first that fails.
 *
 *   node tools/verify.ts [--extended] [--keep-going] [step …]
 *
 * `--extended` runs the long form of each, and what only the long form has; it is what `npm run test:extended` does.
 * The last line reads `N passed, N failed`: tests, and each gate as one. Fails when anything failed.
 */
import { parseArgs } from 'node:util'
import { chosenSteps, runSteps } from './gates/verify/runner.ts'
import { stepsOf } from './gates/verify/steps.ts'

try {
  const { values, positionals } = parseArgs({
    options: {
      'keep-going': { type: 'boolean', default: false },
      extended: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const steps = stepsOf(values.extended ? 'extended' : 'short')
  const { failed } = await runSteps(chosenSteps(steps, positionals), {
    keepGoing: values['keep-going'],
    say: (line) => console.log(line),
    now: () => performance.now(),
  })
  process.exitCode = failed > 0 ? 1 : 0
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}

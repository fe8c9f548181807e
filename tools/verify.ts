/**
 * `npm run verify`: every check there is, cheapest first, stopping at the first that fails.
 *
 *   node tools/verify.ts [--keep-going] [step …]
 *
 * The last line reads `N passed, N failed`: tests, and each gate as one. Fails when anything failed.
 */
import { parseArgs } from 'node:util'
import { chosenSteps, runSteps } from './gates/verify/runner.ts'
import { STEPS } from './gates/verify/steps.ts'

try {
  const { values, positionals } = parseArgs({
    options: { 'keep-going': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const { failed } = await runSteps(chosenSteps(STEPS, positionals), {
    keepGoing: values['keep-going'],
    say: (line) => console.log(line),
    now: () => performance.now(),
  })
  process.exitCode = failed > 0 ? 1 : 0
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}

/** What a step or a whole run came to: tests, where it runs tests; else itself as one. */
export type Tally = { passed: number; failed: number }

export type Step = { name: string; about: string; run: () => Promise<Tally> }

export type RunOptions = {
  /** Runs the remaining steps although one has failed. */
  keepGoing: boolean
  say: (line: string) => void
  /** Milliseconds of a clock that never goes back. */
  now: () => number
}

/** The last line of every run; CI and people read the result from it. */
export const summaryLine = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`

/**
 * Runs the steps in order, says how long each took, and ends with the summary line. A step that throws has failed.
 * @returns the sum of all steps that ran
 */
export async function runSteps(steps: readonly Step[], { keepGoing, say, now }: RunOptions): Promise<Tally> {
  const total: Tally = { passed: 0, failed: 0 }
  const lines: string[] = []
  for (const step of steps) {
    if (total.failed > 0 && !keepGoing) {
      lines.push(`  not run  ${step.name}`)
      continue
    }
    say(`\n── ${step.name}: ${step.about}`)
    const began = now()
    const tally = await outcome(step, say)
    total.passed += tally.passed
    total.failed += tally.failed
    const seconds = ((now() - began) / 1000).toFixed(1).padStart(6)
    lines.push(`${seconds} s  ${step.name}${tally.failed > 0 ? `: ${tally.failed} FAILED` : ''}`)
  }
  say(`\n${lines.join('\n')}\n`)
  say(summaryLine(total))
  return total
}

async function outcome(step: Step, say: (line: string) => void): Promise<Tally> {
  try {
    return await step.run()
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    return { passed: 0, failed: 1 }
  }
}

/** The steps that are asked for by name, in their own order; all of them when none is named. */
export function chosenSteps(steps: readonly Step[], names: readonly string[]): readonly Step[] {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name))
  if (unknown.length > 0) {
    throw new RangeError(
      `There is no step ${unknown.join(', ')}. Steps: ${steps.map(({ name }) => name).join(', ')}`,
    )
  }
  return names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name))
}

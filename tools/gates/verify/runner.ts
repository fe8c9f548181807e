export type Timing = { name: string; ms: number }

/** What a step or a whole run came to: tests, where it runs tests; else itself as one. */
export type Tally = {
  passed: number
  failed: number
  /** How long tests and files took, where the step runs tests. */
  timings?: readonly Timing[]
}

export type Step = {
  name: string
  about: string
  /** Steps that must have ended before, where they are part of the run. */
  after?: readonly string[]
  /** True for a step that runs beside others of its kind; its output is printed in one piece when it ends. */
  isSmall?: boolean
  /** True for a step that waits most of its time: it runs beside any other, and prints like a small one. */
  isIdle?: boolean
  /** @param print takes the output of a small or idle step; without it the step prints as it goes */
  run: (print?: (text: string) => void) => Promise<Tally>
}

export type RunOptions = {
  /** Runs the remaining steps although one has failed. */
  keepGoing: boolean
  say: (line: string) => void
  /** Milliseconds of a clock that never goes back. */
  now: () => number
}

/** How many small steps run at once: `npm test` is measured on two cores. */
const SIDE_BY_SIDE = 2
const SLOW_MS = 2_000
const MOST_SLOW_LINES = 40
const REPEATED_LINES = 40

export const summaryLine = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`

/**
 * Runs the steps in order, small ones side by side and idle ones beside any, and prints slow tests, the last lines of
 * failed steps once more, durations and the summary line.
 * @returns the sum of all steps that ran; a step that throws has failed
 */
export async function runSteps(steps: readonly Step[], { keepGoing, say, now }: RunOptions): Promise<Tally> {
  const total: Tally = { passed: 0, failed: 0 }
  const lines = new Map<string, string>()
  const failures: string[] = []
  const timings: Timing[] = []
  const waiting = [...steps]
  const running = new Map<Step, Promise<void>>()

  async function execute(step: Step): Promise<void> {
    const title = `\n── ${step.name}: ${step.about}`
    let output = ''
    const isQuiet = step.isSmall === true || step.isIdle === true
    if (!isQuiet) say(title)
    const began = now()
    const tally = await outcome(step, isQuiet ? (text) => (output += text) : undefined)
    const printed = [output.trimEnd(), tally.message ?? ''].filter((text) => text !== '').join('\n')
    const rest = isQuiet ? [title, printed].join('\n').trimEnd() : printed
    if (rest !== '') say(rest)
    total.passed += tally.passed
    total.failed += tally.failed
    timings.push(...(tally.timings ?? []))
    // What other steps printed after it may be all that somebody kept.
    if (printed !== '' && tally.failed > 0)
      failures.push(`\n── failed: ${step.name}`, ...printed.split('\n').slice(-REPEATED_LINES))
    const seconds = ((now() - began) / 1000).toFixed(1).padStart(6)
    lines.set(step.name, `${seconds} s  ${step.name}${tally.failed > 0 ? `: ${tally.failed} FAILED` : ''}`)
    running.delete(step)
  }

  const isReady = (step: Step): boolean => {
    const open = [...waiting, ...running.keys()].map(({ name }) => name)
    if (step.after?.some((name) => open.includes(name))) return false
    if (step.isIdle) return step === waiting[0]
    const busy = [...running.keys()].filter(({ isIdle }) => !isIdle)
    if (!step.isSmall) return busy.length === 0 && step === waiting[0]
    return busy.length < SIDE_BY_SIDE && busy.every(({ isSmall }) => isSmall)
  }
  /** The next step that may begin; a small one never overtakes one that is not, and nothing overtakes a large one. */
  const next = (): Step | undefined => {
    const wall = waiting.findIndex(({ isSmall }) => !isSmall)
    return waiting.slice(0, wall === -1 ? waiting.length : wall + 1).find(isReady)
  }

  for (;;) {
    const step = total.failed > 0 && !keepGoing ? undefined : next()
    if (step) {
      waiting.splice(waiting.indexOf(step), 1)
      running.set(step, execute(step))
    } else if (running.size > 0) await Promise.race(running.values())
    else break
  }

  for (const line of [...slowLines(timings), ...failures]) say(line)
  say(`\n${steps.map(({ name }) => lines.get(name) ?? `  not run  ${name}`).join('\n')}\n`)
  say(summaryLine(total))
  return total
}

async function outcome(step: Step, print?: (text: string) => void): Promise<Tally & { message?: string }> {
  try {
    return await step.run(print)
  } catch (error) {
    return { passed: 0, failed: 1, message: error instanceof Error ? error.message : String(error) }
  }
}

/** The tests and files that took more than two seconds, the slowest first. */
function slowLines(timings: readonly Timing[]): string[] {
  const slow = timings.filter(({ ms }) => ms > SLOW_MS).toSorted((a, b) => b.ms - a.ms)
  if (slow.length === 0) return []
  const shown = slow.slice(0, MOST_SLOW_LINES)
  const further = slow.length - shown.length
  return [
    `\n── more than ${SLOW_MS / 1000} seconds each`,
    ...shown.map(({ ms, name }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`),
    ...(further > 0 ? [`          and ${further} more`] : []),
  ]
}

export function chosenSteps(steps: readonly Step[], names: readonly string[]): readonly Step[] {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name))
  if (unknown.length > 0) {
    throw new RangeError(
      `There is no step ${unknown.join(', ')}. Steps: ${steps.map(({ name }) => name).join(', ')}`,
    )
  }
  return names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name))
}

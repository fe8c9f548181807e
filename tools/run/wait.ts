import type { Child } from './children.ts'
import { PlainError } from './say.ts'

const POLL_MS = 100
const ANSWER_MS = 2_000

/** Waits until an address answers with a good status; gives up when the child ends or time is over. */
export async function waitUntilReady(child: Child, url: string, patienceMs: number): Promise<void> {
  const until = performance.now() + patienceMs
  while (performance.now() < until) {
    if (!child.isRunning())
      throw new PlainError(
        `The ${child.name} ended while starting; its messages stand above.`,
        await child.ended,
      )
    if (await answers(url)) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new PlainError(`The ${child.name} is not ready after ${patienceMs / 1000} s (${url}).`)
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

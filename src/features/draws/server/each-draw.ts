/**
 * Makes a step of each of several draws, so that one that fails does not hold up the others.
 * @throws the faults at the end, so that the job counts as failed
 */
export async function eachDraw<Draw>(
  draws: readonly Draw[],
  { isStopping = () => false }: { isStopping?: () => boolean },
  step: (draw: Draw) => Promise<unknown>,
): Promise<void> {
  const faults: Error[] = []
  for (const draw of draws) {
    if (isStopping()) break
    try {
      await step(draw)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      faults.push(new Error(`draw ${JSON.stringify(draw)}: ${reason}`, { cause }))
    }
  }
  if (faults.length === 1) throw faults[0]!
  if (faults.length > 1) throw new AggregateError(faults, faults.map(({ message }) => message).join('; '))
}

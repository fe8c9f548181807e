/** Keeps what a slow check of a signature has found: tests verify almost the same draw hundreds of times. */
export function memory<A extends unknown[]>(ask: (...args: A) => boolean): (...args: A) => boolean {
  const responses = new Map<string, boolean>()
  return (...args) => {
    const key = JSON.stringify(args, (_, value: unknown) =>
      value instanceof Uint8Array ? [...value] : value,
    )
    const known = responses.get(key) ?? ask(...args)
    responses.set(key, known)
    return known
  }
}

/** Why a `fetch` with a time limit failed, in English for the operator. @param timeoutMs its limit */
export function fetchFault(error: unknown, timeoutMs: number): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return `no answer in ${timeoutMs} ms`
  const { cause, message } = error as Error
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message
}

import type { CheckName } from '#features/system/system.contract.ts'

/** `skipped`: does not concern this shop, or cannot be known because another check failed. */
export type FindingState = 'ok' | 'warning' | 'fault' | 'skipped'

export interface Finding {
  state: FindingState
  /** Of `doctor.<check>` in the message files. */
  says: string
  values?: Record<string, string | number>
}

export type Check = () => Promise<Finding>

export interface NamedFinding extends Finding {
  check: CheckName
}

export const ok = (says: string, values: Finding['values'] = {}): Finding => ({ state: 'ok', says, values })
export const warning = (says: string, values: Finding['values'] = {}): Finding => ({
  state: 'warning',
  says,
  values,
})
export const fault = (says: string, values: Finding['values'] = {}): Finding => ({
  state: 'fault',
  says,
  values,
})
export const skipped = (says: string): Finding => ({ state: 'skipped', says })

/** In the words of whoever refused: an AggregateError's message is empty. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as Partial<NodeJS.ErrnoException>
  return (message || code || String(error)).split('\n')[0]!.slice(0, 300)
}

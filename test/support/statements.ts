import { vi } from 'vitest'
import { PreparingClient } from '#platform/database-dialect.ts'

/** A statement before it is sent to the database. */
export interface Statement {
  text: string
  /** Sends it, or another text in its place. */
  send: (text?: string) => Promise<unknown>
  connection: PreparingClient
}

const BY_ITSELF =
  /\bsecurity_events\b|\bwaiting_rooms\b|^\s*SELECT \(extract\(epoch FROM clock_timestamp\(\)\) \* 1000\)/

/** Whether a process sends it at a time of its own, whatever is asked: the security log, waiting rooms, the clock. */
export const isByItself = (text: string): boolean => BY_ITSELF.test(text)

/** Intercepts all statements of this process until `vi.restoreAllMocks()`, or until the mock that it returns is restored. */
export function onStatements(act: (statement: Statement) => Promise<unknown>) {
  const query: (this: PreparingClient, ...args: unknown[]) => unknown = Reflect.get(
    PreparingClient.prototype,
    'query',
  )
  return vi.spyOn(PreparingClient.prototype, 'query').mockImplementation(function (
    this: PreparingClient,
    ...args: unknown[]
  ): never {
    const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: unknown }).text)
    const send = (other?: string): Promise<unknown> =>
      query.apply(this, other === undefined ? args : [other, ...args.slice(1)]) as Promise<unknown>
    return act({ text, send, connection: this }) as never
  })
}

/** Cuts a connection. */
export const cut = (connection: PreparingClient): void =>
  (connection as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy()

const LOCK = /\bfor (no key )?(update|share)( of "?\w+"?)?/i

/**
 * Removes the lock from matching statements of the shop while something runs.
 * @param statement pattern of the statement; at least one must occur
 */
export async function withoutLock<Result>(statement: RegExp, act: () => Promise<Result>): Promise<Result> {
  let unlocked = 0
  const spy = onStatements(({ text, send }) => {
    if (!statement.test(text) || !LOCK.test(text)) return send()
    unlocked += 1
    return send(text.replace(LOCK, ''))
  })
  try {
    const result = await act()
    if (unlocked === 0) throw new Error(`no statement like ${String(statement)} locks anything`)
    return result
  } finally {
    spy.mockRestore()
  }
}

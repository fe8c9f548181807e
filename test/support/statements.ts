import { vi } from 'vitest'
import { PreparingClient } from '#platform/database-dialect.ts'

/** A statement before it is sent to the database. */
export interface Statement {
  text: string
  /** Sends it, or another text in its place. */
  send: (text?: string) => Promise<unknown>
  connection: PreparingClient
}

/** Intercepts all statements of this process until `vi.restoreAllMocks()`. */
export function onStatements(act: (statement: Statement) => Promise<unknown>): void {
  const query: (this: PreparingClient, ...args: unknown[]) => unknown = Reflect.get(
    PreparingClient.prototype,
    'query',
  )
  vi.spyOn(PreparingClient.prototype, 'query').mockImplementation(function (
    this: PreparingClient,
    ...args: unknown[]
  ): never {
    const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: unknown }).text)
    const send = (other?: string): Promise<unknown> =>
      query.apply(this, other === undefined ? args : [other]) as Promise<unknown>
    return act({ text, send, connection: this }) as never
  })
}

/** Cuts a connection. */
export const cut = (connection: PreparingClient): void =>
  (connection as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy()

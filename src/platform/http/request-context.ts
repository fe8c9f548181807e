import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A trace that somebody before us began (W3C Trace Context). */
export interface Trace {
  /** 32 hexadecimal digits. */
  id: string
  /** Two hexadecimal digits: whether it is recorded. */
  flags: string
}

interface RequestContext {
  /** That of the request. */
  id: string
  trace: Trace | null
}

const current = new AsyncLocalStorage<RequestContext>()

/** Undefined in background jobs. */
export const currentRequest = (): RequestContext | undefined => current.getStore()

export const withinRequest = <Result>(context: RequestContext, run: () => Result): Result =>
  current.run(context, run)

/** Version, trace, the caller's part of it, flags. Later versions may add to the end; `ff` is none. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-((?!0{32})[\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/

/** The trace of a well-formed header `traceparent`; any other header is as good as none. */
export function traceOf({ traceparent }: IncomingHttpHeaders): Trace | null {
  if (typeof traceparent !== 'string') return null
  const [, version, id, flags, more] = TRACEPARENT.exec(traceparent) ?? []
  if (id === undefined || flags === undefined || (version === '00' && more !== undefined)) return null
  return { id, flags }
}

/** For a call to another service that the present request causes: the same trace, and a part of our own. */
export function traceHeaders(): { traceparent?: string } {
  const trace = currentRequest()?.trace
  return trace ? { traceparent: `00-${trace.id}-${randomBytes(8).toString('hex')}-${trace.flags}` } : {}
}

import { type RouterContextProvider, createContext } from 'react-router'
import type { Shell } from '#client/shell.ts'
import type { ApiCall, Transport } from '#client/api-call.ts'
import { RESPONSE_MS } from '#shared/freshness.ts'
import type { Language } from '#shared/languages.ts'
import { ShortCache } from '#shared/short-cache.ts'

/** The context of a rendering on the server; the browser has #client/browser.ts. */
export const shellContext = createContext<Shell>()
export const callContext = createContext<ApiCall>()
export const renderingContext = createContext<{
  mark: string
  report: (error: unknown) => void
  deliver: (page: string) => void
}>()

export const serverCall = (context: Readonly<RouterContextProvider>): ApiCall => context.get(callContext)

/** Public responses, the same for every caller without a token. */
const KEPT = /^\/api\/offers\//

const CAPACITY = 200

const caches = new WeakMap<Transport, ShortCache<unknown>>()

/** Shares the responses of one shop (`transport`) for half a second; callers must not change them. */
export function withCachedResponses(call: ApiCall, transport: Transport, language: Language): ApiCall {
  const responses =
    caches.get(transport) ?? new ShortCache<unknown>({ ttlMs: RESPONSE_MS, capacity: CAPACITY })
  caches.set(transport, responses)
  return async <Payload>(...[method, path, options]: Parameters<ApiCall>): Promise<Payload> =>
    method === 'GET' && KEPT.test(path)
      ? ((await responses.get(`${language} ${path}`, () => call(method, path, options))) as Payload)
      : await call<Payload>(method, path, options)
}

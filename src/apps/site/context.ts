import { type RouterContextProvider, createContext } from 'react-router'
import type { Shell } from '#client/shell.ts'
import type { ApiCall, Transport } from '#client/api-call.ts'
import { ANSWER_MS } from '#shared/freshness.ts'
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

/** Public answers, the same for every caller without a token. */
const KEPT = /^\/api\/offers\//

const CAPACITY = 200

const caches = new WeakMap<Transport, ShortCache<unknown>>()

/** Shares the answers of one shop (`transport`) for half a second; callers must not change them. */
export function withCachedAnswers(call: ApiCall, transport: Transport, language: Language): ApiCall {
  const answers = caches.get(transport) ?? new ShortCache<unknown>({ ttlMs: ANSWER_MS, capacity: CAPACITY })
  caches.set(transport, answers)
  return async <Answer>(...[method, path, options]: Parameters<ApiCall>): Promise<Answer> =>
    method === 'GET' && KEPT.test(path)
      ? ((await answers.get(`${language} ${path}`, () => call(method, path, options))) as Answer)
      : await call<Answer>(method, path, options)
}

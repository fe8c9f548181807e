import { type RouterContextProvider, createContext } from 'react-router'
import type { Api } from '#client/endpoints.ts'
import type { Shell } from '#client/shell.ts'
import type { ApiCall, Transport } from '#client/api-call.ts'
import { ANSWER_MS } from '#shared/freshness.ts'
import type { Language } from '#shared/languages.ts'
import { ShortCache } from '#shared/short-cache.ts'

/** What a rendering on the server knows; the browser has its own kernel (#client/browser.ts). */
export const shellContext = createContext<Shell>()
export const apiContext = createContext<Api>()
export const renderingContext = createContext<{
  mark: string
  report: (error: unknown) => void
  /** Takes the page that was rendered. */
  deliver: (page: string) => void
}>()

/** The API as a server loader reaches it: the browser's client over an in-process transport. */
export const serverApi = (context: Readonly<RouterContextProvider>): Api => context.get(apiContext)

/** Contests, one or all: nothing of them depends on who asks, as long as nobody says who they are. */
const KEPT = /^\/api\/offers\//

/** Most answers kept at a time: every language's list and a good deal of single contests. */
const CAPACITY = 200

const caches = new WeakMap<Transport, ShortCache<unknown>>()

/**
 * The same calls, but what pages are made of is asked for twice a second at the most, however many are made. The answers
 * are shared by those pages: nobody may change them.
 * @param transport how the calls reach a shop; each shop has answers of its own
 */
export function keepingAnswers(call: ApiCall, transport: Transport, language: Language): ApiCall {
  const answers = caches.get(transport) ?? new ShortCache<unknown>({ ttlMs: ANSWER_MS, capacity: CAPACITY })
  caches.set(transport, answers)
  return async <Answer>(...[method, path, options]: Parameters<ApiCall>): Promise<Answer> =>
    method === 'GET' && KEPT.test(path)
      ? ((await answers.get(`${language} ${path}`, () => call(method, path, options))) as Answer)
      : await call<Answer>(method, path, options)
}

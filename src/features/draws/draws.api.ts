import type { ApiCall } from '#client/api-call.ts'
import type { DrawPage, PublicDraw } from './public-draws.contract.ts'
import type { WinnerPage } from './winners.contract.ts'
import type { Verifiers } from './verifiers.contract.ts'

/** The draws as everybody sees them. */
export const drawsApi = (call: ApiCall) => ({
  draws: (query = '', signal?: AbortSignal) =>
    call<DrawPage>('GET', `/api/draws/${query}`, signal && { signal }),
  draw: (slug: string, query = '', signal?: AbortSignal) =>
    call<PublicDraw>('GET', `/api/draws/${encodeURIComponent(slug)}/${query}`, signal && { signal }),
  winners: (query = '', signal?: AbortSignal) =>
    call<WinnerPage>('GET', `/api/winners/${query}`, signal && { signal }),
  verifiers: (signal?: AbortSignal) => call<Verifiers>('GET', '/api/verifiers/', signal && { signal }),
})

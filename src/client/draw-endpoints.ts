import type { DrawPage, PublicDraw } from '#features/draws/public-draws.contract.ts'
import type { Verifiers } from '#features/draws/verifiers.contract.ts'
import type { ApiCall } from './api-call.ts'

/** The draws as everybody sees them. */
export const drawEndpoints = (call: ApiCall) => ({
  draws: (query = '', signal?: AbortSignal) =>
    call<DrawPage>('GET', `/api/draws/${query}`, signal && { signal }),
  draw: (slug: string, query = '', signal?: AbortSignal) =>
    call<PublicDraw>('GET', `/api/draws/${encodeURIComponent(slug)}/${query}`, signal && { signal }),
  verifiers: (signal?: AbortSignal) => call<Verifiers>('GET', '/api/verifiers/', signal && { signal }),
})

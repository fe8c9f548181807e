import type { ApiCall } from '#client/api-call.ts'
import type { Policy } from './policies.contract.ts'

export const policiesApi = (call: ApiCall) => ({
  terms: (signal?: AbortSignal) => call<Policy>('GET', '/api/policies/terms/', signal && { signal }),
  accessibility: (signal?: AbortSignal) =>
    call<Policy>('GET', '/api/policies/accessibility/', signal && { signal }),
})

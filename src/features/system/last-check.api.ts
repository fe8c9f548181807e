import type { ApiCall } from '#client/api-call.ts'
import type { LastCheck } from './last-check.contract.ts'

export const lastCheckApi = (call: ApiCall) => ({
  lastCheck: (signal?: AbortSignal) => call<LastCheck>('GET', '/api/last-check/', signal && { signal }),
})

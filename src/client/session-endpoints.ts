import type { EndSessionsBody, OpenSession } from '#features/accounts/accounts.contract.ts'
import { browserCall } from './browser.ts'

/** Calls for the sessions of the account, apart because only their page loads them. */
export const sessionApi = () => {
  const call = browserCall()
  return {
    sessions: () => call<OpenSession[]>('GET', '/api/user/sessions/'),
    endSession: (id: string, body: EndSessionsBody) =>
      call<void>('POST', `/api/user/sessions/${encodeURIComponent(id)}/end/`, { body }),
    endAllSessions: (body: EndSessionsBody) => call<void>('POST', '/api/user/sessions/end-all/', { body }),
  }
}

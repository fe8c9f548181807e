import { browserCall } from '#client/browser.ts'
import type { EndSessionsBody, OpenSession } from './accounts.contract.ts'

/** Calls about the sessions of an account. */
export const sessionApi = () => {
  const call = browserCall()
  return {
    sessions: () => call<OpenSession[]>('GET', '/api/user/sessions/'),
    endSession: (id: string, body: EndSessionsBody) =>
      call<void>('POST', `/api/user/sessions/${encodeURIComponent(id)}/end/`, { body }),
    endAllSessions: (body: EndSessionsBody) => call<void>('POST', '/api/user/sessions/end-all/', { body }),
  }
}

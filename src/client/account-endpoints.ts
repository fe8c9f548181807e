import type { EndSessionsBody, OpenSession, UsedEmailLink } from '#features/accounts/accounts.contract.ts'
import { browserCall } from './browser.ts'

/** Calls about the address of an account, apart because few pages load them. */
export const emailLinkApi = () => {
  const call = browserCall()
  return {
    use: (token: string) =>
      call<UsedEmailLink>('POST', '/api/user/email-link/', { body: { token }, anonymous: true }),
    /** Sends the link again that the account waits for. */
    resend: () => call<{ detail: string }>('POST', '/api/user/email-link/resend/'),
    cancelChange: () => call<void>('POST', '/api/user/email-change/cancel/'),
  }
}

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

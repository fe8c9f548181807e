import { browserCall } from '#client/browser.ts'
import type { UsedEmailLink } from './accounts.contract.ts'

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

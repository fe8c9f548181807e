import type { ApiCall } from '#client/api-call.ts'
import type { Unsubscribing } from './favourites.contract.ts'

/** Calls of the link in a reminder, which need no session. */
export const unsubscribeApi = (call: ApiCall) => ({
  read: (token: string, signal?: AbortSignal) =>
    call<Unsubscribing>('GET', `/api/reminders/unsubscribe?${new URLSearchParams({ token })}`, {
      anonymous: true,
      ...(signal && { signal }),
    }),
  /** Ends all reminders of the account. */
  use: (token: string) =>
    call<Unsubscribing>('POST', '/api/reminders/unsubscribe', { body: { token }, anonymous: true }),
})

import { browserCall } from '#client/browser.ts'
import type { Favourites, ReminderKind, Reminders } from './favourites.contract.ts'

/** Calls about the contests that somebody marked, and reminders of them. All but those of links need a session. */
export function favouritesApi() {
  const call = browserCall()
  return {
    list: (signal?: AbortSignal) => call<Favourites>('GET', '/api/favourites', signal && { signal }),
    mark: (offerId: number) => call<void>('PUT', `/api/favourites/${offerId}`),
    unmark: (offerId: number) => call<void>('DELETE', `/api/favourites/${offerId}`),
    /** @param kinds those wanted from now on; none to end them */
    remind: (offerId: number, kinds: readonly ReminderKind[]) =>
      call<Reminders>('PUT', `/api/reminders/${offerId}`, { body: { kinds } }),
    /** Of every contest. */
    stopReminders: () => call<void>('DELETE', '/api/reminders'),
  }
}

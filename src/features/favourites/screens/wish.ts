import type { KeyedStore } from '#client/browser-parts.ts'

/** What a stranger pressed on the way to the login. */
export type Wish = 'favourite' | 'reminders'

const NAME = 'volant-wish'

const written = (wish: Wish, offerId: number): string => `${wish} ${offerId}`

/** Keeps the last press of this tab until somebody is logged in. */
export function leaveWish(store: KeyedStore, wish: Wish, offerId: number): void {
  store.setItem(NAME, written(wish, offerId))
}

/** Whether this was pressed for this contest. */
export const hasWish = (store: KeyedStore, wish: Wish, offerId: number): boolean =>
  store.getItem(NAME) === written(wish, offerId)

/** @returns true once, where this was pressed for this contest */
export function takeWish(store: KeyedStore, wish: Wish, offerId: number): boolean {
  if (!hasWish(store, wish, offerId)) return false
  store.removeItem(NAME)
  return true
}

import { useEffect, useSyncExternalStore } from 'react'
import { failureOf } from '#client/api-error.ts'
import { browserSession, failureTexts } from '#client/browser.ts'
import { useIsAuthenticated } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { favouritesApi } from '../favourites.api.ts'
import { type Kept, keptFavourites } from './kept-favourites.ts'

let ofPage: ReturnType<typeof keptFavourites> | undefined

/** What the account of this page keeps; in browsers only. */
export function kept(): ReturnType<typeof keptFavourites> {
  if (ofPage) return ofPage
  const made = keptFavourites(favouritesApi(), (error) =>
    toast.error(failureOf(error, failureTexts()).message),
  )
  browserSession().subscribe(() => made.forget())
  return (ofPage = made)
}

const subscribe = (listener: () => void): (() => void) => kept().subscribe(listener)

/** A part of it, read anew after each change; undefined on the server. @param read must not create objects */
export const useKeptPart = <Part>(read: (all: ReturnType<typeof keptFavourites>) => Part): Part | undefined =>
  useSyncExternalStore(
    subscribe,
    () => read(kept()),
    () => undefined,
  )

/** What the account keeps of a contest; undefined for a stranger and until it is known. A failure shows nothing. */
export function useKept(offerId: number): Kept | undefined {
  const isSignedIn = useIsAuthenticated()
  useEffect(() => {
    if (isSignedIn)
      kept()
        .ask()
        .catch(() => undefined)
  }, [isSignedIn])
  const known = useKeptPart((all) => all.of(offerId))
  return isSignedIn ? known : undefined
}

import { useSyncExternalStore } from 'react'

/** The token of a link in an email: the fragment, which browsers send to no server. Undefined on the server. */
export const useLinkToken = (): string | undefined =>
  useSyncExternalStore(
    onFragment,
    () => window.location.hash.slice(1),
    () => undefined,
  )

function onFragment(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

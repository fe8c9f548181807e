import { useSyncExternalStore } from 'react'

/** Other fragments name a part of the page. */
const PROOF = /^#(?:\d|.*\.)/

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

/** The part of the address from `#` on, when it is meant as a proof link: `#NUMBER.SALT.ID`. It is sent nowhere. */
export const useProofFragment = (): string | undefined =>
  useSyncExternalStore(
    subscribe,
    () => (PROOF.test(window.location.hash) ? window.location.hash : undefined),
    () => undefined,
  )

import { useSyncExternalStore } from 'react'

/** Other fragments name a part of the page. */
const PROOF = /^#(?:\d|.*\.)/

let seen: { page: string; proof: string } | undefined

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

/** The last one of this page: whoever goes to a part of it still has the ticket. */
function lastProof(): string | undefined {
  const { pathname: page, hash } = window.location
  if (PROOF.test(hash)) seen = { page, proof: hash }
  return seen?.page === page ? seen.proof : undefined
}

/** What follows `#` when it is meant as a proof link: `#NUMBER.SALT.ID.TERMS`. It is sent nowhere. */
export const useProofFragment = (): string | undefined =>
  useSyncExternalStore(subscribe, lastProof, () => undefined)

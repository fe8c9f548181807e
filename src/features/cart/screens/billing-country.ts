import { useSyncExternalStore } from 'react'
import { findCountry } from '#shared/countries.ts'

/** Local storage key of the chosen billing country (spec section 3, "Country list"). */
const STORED = 'billing_country'

const listeners = new Set<() => void>()

/** The chosen country's two-letter code; undefined while none is chosen or the stored one is not billed. */
export function storedBillingCountry(): string | undefined {
  try {
    return findCountry(window.localStorage.getItem(STORED) ?? '')?.code
  } catch {
    return forgotten
  }
}

/** What was chosen where the browser forbids storage: kept for this page only. */
let forgotten: string | undefined

/** Remembers a choice; undefined takes it back. */
export function chooseBillingCountry(code: string | undefined): void {
  forgotten = code
  try {
    if (code === undefined) window.localStorage.removeItem(STORED)
    else window.localStorage.setItem(STORED, code)
  } catch {
    // Storage is forbidden here: `forgotten` serves.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

/** The chosen billing country, the same in all tabs. The server renders the page as nobody's: with none. */
export const useBillingCountry = (): string | undefined =>
  useSyncExternalStore(subscribe, storedBillingCountry, () => undefined)

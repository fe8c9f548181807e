import { useSyncExternalStore } from 'react'
import { findCountry } from '#shared/countries.ts'

/** Local storage key of the chosen billing country (spec section 3, "Country list"). */
const STORED = 'billing_country'

const listeners = new Set<() => void>()

/** The chosen country's two-letter code; undefined without one that the shop bills. */
export function storedBillingCountry(): string | undefined {
  try {
    return findCountry(window.localStorage.getItem(STORED) ?? '')?.code
  } catch {
    return forgotten
  }
}

/** The choice where the browser forbids storage. */
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

/** The chosen billing country, the same in all tabs; none in a page from the server. */
export const useBillingCountry = (): string | undefined =>
  useSyncExternalStore(subscribe, storedBillingCountry, () => undefined)

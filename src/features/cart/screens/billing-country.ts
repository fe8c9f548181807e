import { useSyncExternalStore } from 'react'
import { findCountry } from '#shared/countries.ts'

/** Spec section 3, "Country list". */
const STORED = 'billing_country'

const listeners = new Set<() => void>()

/** @returns a two-letter code; undefined without one that the shop bills */
export function storedBillingCountry(): string | undefined {
  try {
    return findCountry(window.localStorage.getItem(STORED) ?? '')?.code
  } catch {
    return forgotten
  }
}

/** Used when the browser forbids storage. */
let forgotten: string | undefined

/** @param code undefined removes the choice */
export function chooseBillingCountry(code: string | undefined): void {
  forgotten = code
  try {
    if (code === undefined) window.localStorage.removeItem(STORED)
    else window.localStorage.setItem(STORED, code)
  } catch {
    // Storage is forbidden: `forgotten` is used.
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

/** The same in all tabs; undefined in a server-rendered page. */
export const useBillingCountry = (): string | undefined =>
  useSyncExternalStore(subscribe, storedBillingCountry, () => undefined)

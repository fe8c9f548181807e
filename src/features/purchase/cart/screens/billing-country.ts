import { useSyncExternalStore } from 'react'
import { localStore } from '#client/browser-parts.ts'
import { findCountry } from '#shared/countries.ts'

/** Spec section 3, "Country list". */
const STORED = 'billing_country'

const listeners = new Set<() => void>()

/** @returns a two-letter code; undefined without one that the shop bills */
export function storedBillingCountry(): string | undefined {
  return findCountry(localStore.getItem(STORED) ?? '')?.code
}

/** @param code undefined removes the choice */
export function chooseBillingCountry(code: string | undefined): void {
  if (code === undefined) localStore.removeItem(STORED)
  else localStore.setItem(STORED, code)
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

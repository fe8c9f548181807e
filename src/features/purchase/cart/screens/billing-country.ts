import { useSyncExternalStore } from 'react'
import { localStore } from '#client/browser-parts.ts'
import { FALLBACK_COUNTRY, findCountry } from '#shared/countries.ts'

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

let guessed: string | undefined
let asked: Promise<void> | undefined

function subscribeGuess(listener: () => void): () => void {
  if (storedBillingCountry() === undefined)
    asked ??= import('#client/browser-country.ts').then(
      ({ browserCountry }) => {
        guessed = browserCountry()
        for (const one of listeners) one()
      },
      () => undefined,
    )
  return subscribe(listener)
}

/** The country whose VAT the prices show. A guess bills nobody: only a choice does (ADR 0126). */
export function usePriceCountry(): { code: string; isGuess: boolean } {
  const chosen = useBillingCountry()
  const guess = useSyncExternalStore(
    subscribeGuess,
    () => guessed,
    () => undefined,
  )
  return { code: chosen ?? guess ?? FALLBACK_COUNTRY, isGuess: chosen === undefined && guess !== undefined }
}

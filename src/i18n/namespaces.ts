import type { Messages } from './keys.ts'

/** The files of a language that browsers receive; every other file beside them is for the server alone. */
const BROWSER: Record<keyof Messages, true> = {
  accounts: true,
  cart: true,
  checkout: true,
  common: true,
  errors: true,
  frame: true,
  home: true,
  offers: true,
  pages: true,
  policies: true,
  tickets: true,
}

export const BROWSER_NAMESPACES = Object.keys(BROWSER) as (keyof Messages)[]

/** Texts that never reach a browser: mails and documents. */
export type ServerNamespace = 'mail' | 'ticketPdf'

import type { Messages } from './keys.ts'

/**
 * The files of messages that browsers load: `shop` with every page, another one with the pages that name it
 * (`needMessages`). A visit of the first page carries no text of the cart.
 */
export type CatalogueName = 'shop' | 'home' | 'account' | 'purchase' | 'demo'

/** In which of them each namespace is; every other file of a language is for the server alone. */
const BROWSER: Record<keyof Messages, CatalogueName> = {
  accounts: 'account',
  cart: 'purchase',
  checkout: 'purchase',
  common: 'shop',
  contact: 'account',
  errors: 'shop',
  frame: 'shop',
  home: 'home',
  mailbox: 'demo',
  offers: 'shop',
  pages: 'shop',
  policies: 'shop',
  tickets: 'purchase',
}

export const BROWSER_NAMESPACES = Object.keys(BROWSER) as (keyof Messages)[]

export const CATALOGUES = [...new Set(Object.values(BROWSER))]

export const namespacesOf = (catalogue: string): (keyof Messages)[] =>
  BROWSER_NAMESPACES.filter((name) => BROWSER[name] === catalogue)

/**
 * Messages and groups of them that only the server says: refusals, which it sends in the caller's language. They are left
 * out of what browsers load.
 */
export const SERVER_MESSAGES = [
  'errors.request',
  'errors.auth',
  'errors.limit',
  'errors.overloaded',
  'errors.away',
  'errors.email.taken',
  'errors.username.taken',
  'errors.password.common',
  'errors.password.currentWrong',
  'errors.ticket',
  'errors.cart.answerRequired',
  'errors.cart.notFound',
  'errors.cart.itemNotFound',
  'errors.cart.tooManyItems',
  'errors.checkout.cartEmpty',
  'errors.checkout.providerDown',
  'errors.checkout.providerRefused',
  'errors.checkout.providerSilent',
  'errors.checkout.inReview',
  'errors.checkout.alreadyExtended',
  'errors.checkout.notRefundable',
  'errors.checkout.signatureInvalid',
] as const

/** Texts that never reach a browser: emails and documents. */
export type ServerNamespace = 'emails' | 'ticketPdf'

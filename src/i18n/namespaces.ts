import type { Messages } from './keys.ts'

/** Message files of the console: the first for every screen. */
export type ConsoleCatalogue =
  | 'console'
  | 'consoleAlerts'
  | 'consoleContests'
  | 'consoleDraws'
  | 'consoleDrawActions'
  | 'consoleReports'
  | 'consoleOrders'
  | 'consoleCustomers'
  | 'consolePictures'
  | 'consolePost'
  | 'consoleMessages'
  | 'consoleStaff'
  | 'consoleSystem'

/** Message files of browsers: `shop` for every page, the others for the pages that call `needMessages`. */
export type CatalogueName =
  | 'shop'
  | 'home'
  | 'account'
  | 'address'
  | 'link'
  | 'purchase'
  | 'orders'
  | 'unfinished'
  | 'waitingRoom'
  | 'ownData'
  | 'sessions'
  | 'demo'
  | 'verify'
  | 'draws'
  | 'claim'
  | ConsoleCatalogue

/** Namespaces that are missing here are for the server. */
const BROWSER: Record<keyof Messages, CatalogueName> = {
  accounts: 'account',
  address: 'address',
  cart: 'purchase',
  checkout: 'purchase',
  console: 'console',
  consoleAlerts: 'consoleAlerts',
  consoleContests: 'consoleContests',
  consoleDraws: 'consoleDraws',
  consoleDrawActions: 'consoleDrawActions',
  consoleReports: 'consoleReports',
  consoleOrders: 'consoleOrders',
  consoleCustomers: 'consoleCustomers',
  consolePictures: 'consolePictures',
  consolePost: 'consolePost',
  consoleMessages: 'consoleMessages',
  consoleStaff: 'consoleStaff',
  consoleSystem: 'consoleSystem',
  contact: 'account',
  draws: 'draws',
  drawClaims: 'claim',
  emailLink: 'link',
  errors: 'shop',
  formErrors: 'account',
  frame: 'shop',
  home: 'home',
  mailbox: 'demo',
  offers: 'shop',
  orders: 'orders',
  ownData: 'ownData',
  pages: 'shop',
  policies: 'shop',
  sessions: 'sessions',
  tickets: 'purchase',
  unfinished: 'unfinished',
  verify: 'verify',
  waitingRoom: 'waitingRoom',
}

export const BROWSER_NAMESPACES = Object.keys(BROWSER) as (keyof Messages)[]

export const CATALOGUES = [...new Set(Object.values(BROWSER))]

export const isForConsole = (catalogue: string): boolean => catalogue.startsWith('console')

/** @param catalogue `all` has every namespace of the shop, for the server that renders pages */
export const namespacesOf = (catalogue: string): (keyof Messages)[] =>
  BROWSER_NAMESPACES.filter((name) =>
    catalogue === 'all' ? !isForConsole(BROWSER[name]) : BROWSER[name] === catalogue,
  )

/** Messages that only the server sends; browsers do not load them. */
export const SERVER_MESSAGES = [
  'errors.demoOnly',
  'errors.request',
  'errors.auth',
  'errors.limit',
  'errors.overloaded',
  'errors.away',
  'errors.unreachable',
  'errors.early',
  'errors.email.taken',
  'formErrors.username.taken',
  'formErrors.password.common',
  'formErrors.password.ownName',
  'formErrors.password.currentWrong',
  'errors.ticket',
  'waitingRoom.refused',
  'errors.offer.beaconSilent',
  'errors.offer.beingDrawn',
  'errors.offer.noEntries',
  'errors.offer.notPrepared',
  'errors.offer.ended',
  'errors.offer.soldOut',
  'errors.offer.fewLeft',
  'errors.offer.fewFree',
  'errors.offer.holdLimit',
  'errors.offer.personLimit',
  'errors.cart.answerRequired',
  'errors.cart.notFound',
  'errors.cart.itemNotFound',
  'errors.cart.tooManyItems',
  'errors.checkout.cartEmpty',
  'errors.checkout.ended',
  'errors.checkout.endsWithContest',
  'errors.checkout.holdBudget',
  'errors.checkout.notHeld',
  'errors.checkout.providerDown',
  'errors.checkout.providerSilent',
  'errors.checkout.inReview',
  'errors.checkout.tooLarge',
  'errors.checkout.alreadyExtended',
  'errors.checkout.notRefundable',
  'errors.checkout.signatureInvalid',
  'errors.checkout.unconfirmed',
  'console.refusals',
  'console.emails',
  'consoleAlerts.refusals',
  'consoleContests.refusals',
  'consoleOrders.csv',
  'consoleReports.fileName',
  'consoleReports.refusals',
  'consoleCustomers.refusals',
  'consolePost.refusals',
  'consoleMessages.refusals',
  'drawClaims.refusals',
  'drawClaims.emails',
  'drawClaims.data',
  'drawClaims.statements',
  'consoleDraws.refusals',
  'emailLink.taken',
  'emailLink.sent',
  'emailLink.nothing',
  'ownData.copy',
  'ownData.refusals',
  'policies.company',
  'tickets.pdf',
] as const

/** Of these the server makes keys from parts, which the compiler cannot check. */
export type ServerNamespace = 'doctor' | 'emails' | 'ownData.copy' | 'postal' | 'tickets.pdf'

import { readdirSync } from 'node:fs'
import path from 'node:path'
import { DEFAULT_LANGUAGE } from '../shared/languages.ts'
import type { Messages } from './keys.ts'

/** Namespaces of the console: each is a message file of its own, but for the parts of the first. */
type ConsoleNamespace = Extract<keyof Messages, `console${string}`>

/** Parts of `console.json` that every screen of the console loads; each other one is a message file of its own. */
export const CONSOLE_FRAME = [
  'refusals',
  'emails',
  'frame',
  'nav',
  'roles',
  'common',
  'signIn',
  'stepUp',
  'keys',
  'emailKinds',
  'sentEmail',
  'unsent',
] as const satisfies readonly (keyof Messages['console'])[]

type ConsolePart = Exclude<keyof Messages['console'], (typeof CONSOLE_FRAME)[number]>

/** What a screen of the console may wait for beside `console`. */
export type ScreenCatalogue = Exclude<ConsoleNamespace, 'console'> | `console.${ConsolePart}`

/** Message files of browsers: `shop` for every page, the others for the pages that call `needMessages`. */
export type CatalogueName =
  | 'shop'
  | 'home'
  | 'homeBelow'
  | 'account'
  | 'address'
  | 'link'
  | 'purchase'
  | 'orders'
  | 'unfinished'
  | 'unsubscribe'
  | 'waitingRoom'
  | 'winners'
  | 'ownData'
  | 'sessions'
  | 'suggestion'
  | 'demo'
  | 'verify'
  | 'verifyFaults'
  | 'verifyReport'
  | 'contest'
  | 'draws'
  | 'drawTicket'
  | 'drawWatch'
  | 'favourites'
  | 'liveDraw'
  | 'claim'
  | ConsoleNamespace

/** Namespaces that are missing here are for the server. */
const SHOP: Record<Exclude<keyof Messages, ConsoleNamespace>, CatalogueName> = {
  accounts: 'account',
  address: 'address',
  cart: 'purchase',
  checkout: 'purchase',
  contact: 'account',
  contest: 'contest',
  draws: 'draws',
  drawTicket: 'drawTicket',
  drawWatch: 'drawWatch',
  drawClaims: 'claim',
  emailLink: 'link',
  errors: 'shop',
  favourites: 'favourites',
  formErrors: 'account',
  frame: 'shop',
  home: 'home',
  homeBelow: 'homeBelow',
  liveDraw: 'liveDraw',
  mailbox: 'demo',
  offers: 'shop',
  orders: 'orders',
  ownData: 'ownData',
  pages: 'shop',
  policies: 'shop',
  sessions: 'sessions',
  suggestion: 'suggestion',
  tickets: 'purchase',
  unfinished: 'unfinished',
  unsubscribe: 'unsubscribe',
  verify: 'verify',
  verifyFaults: 'verifyFaults',
  verifyReport: 'verifyReport',
  waitingRoom: 'waitingRoom',
  winners: 'winners',
}

/** Those of the console are found by their files. */
const CONSOLE = readdirSync(path.join(import.meta.dirname, DEFAULT_LANGUAGE))
  .map((file) => path.basename(file, '.json'))
  .filter((name): name is ConsoleNamespace => name.startsWith('console'))

const BROWSER = { ...SHOP, ...Object.fromEntries(CONSOLE.map((name) => [name, name])) } as Record<
  keyof Messages,
  CatalogueName
>

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
  'errors.favourites',
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
  'draws.calendar',
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

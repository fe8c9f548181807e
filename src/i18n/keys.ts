import type accounts from './fr/accounts.json'
import type address from './fr/address.json'
import type cart from './fr/cart.json'
import type checkout from './fr/checkout.json'
import type console from './fr/console.json'
import type consoleAlerts from './fr/consoleAlerts.json'
import type consoleContests from './fr/consoleContests.json'
import type consoleDraws from './fr/consoleDraws.json'
import type consoleDrawActions from './fr/consoleDrawActions.json'
import type consoleReports from './fr/consoleReports.json'
import type consoleOrders from './fr/consoleOrders.json'
import type consoleCustomers from './fr/consoleCustomers.json'
import type consolePictures from './fr/consolePictures.json'
import type consolePost from './fr/consolePost.json'
import type consoleStaff from './fr/consoleStaff.json'
import type consoleSystem from './fr/consoleSystem.json'
import type consoleMessages from './fr/consoleMessages.json'
import type contact from './fr/contact.json'
import type contest from './fr/contest.json'
import type draws from './fr/draws.json'
import type drawTicket from './fr/drawTicket.json'
import type drawWatch from './fr/drawWatch.json'
import type liveDraw from './fr/liveDraw.json'
import type drawClaims from './fr/drawClaims.json'
import type emailLink from './fr/emailLink.json'
import type errors from './fr/errors.json'
import type favourites from './fr/favourites.json'
import type formErrors from './fr/formErrors.json'
import type frame from './fr/frame.json'
import type home from './fr/home.json'
import type homeBelow from './fr/homeBelow.json'
import type mailbox from './fr/mailbox.json'
import type offers from './fr/offers.json'
import type orders from './fr/orders.json'
import type ownData from './fr/ownData.json'
import type pages from './fr/pages.json'
import type policies from './fr/policies.json'
import type sessions from './fr/sessions.json'
import type suggestion from './fr/suggestion.json'
import type tickets from './fr/tickets.json'
import type unfinished from './fr/unfinished.json'
import type unsubscribe from './fr/unsubscribe.json'
import type verify from './fr/verify.json'
import type verifyFaults from './fr/verifyFaults.json'
import type verifyReport from './fr/verifyReport.json'
import type waitingRoom from './fr/waitingRoom.json'
import type winners from './fr/winners.json'

/** The browsers' messages, one namespace for each file of `fr/`; those that begin with "console" are for the console. */
export interface Messages {
  accounts: typeof accounts
  address: typeof address
  cart: typeof cart
  checkout: typeof checkout
  console: typeof console
  consoleAlerts: typeof consoleAlerts
  consoleContests: typeof consoleContests
  consoleDraws: typeof consoleDraws
  consoleDrawActions: typeof consoleDrawActions
  consoleReports: typeof consoleReports
  consoleOrders: typeof consoleOrders
  consoleCustomers: typeof consoleCustomers
  consolePictures: typeof consolePictures
  consolePost: typeof consolePost
  consoleStaff: typeof consoleStaff
  consoleSystem: typeof consoleSystem
  consoleMessages: typeof consoleMessages
  contact: typeof contact
  contest: typeof contest
  draws: typeof draws
  drawTicket: typeof drawTicket
  drawWatch: typeof drawWatch
  liveDraw: typeof liveDraw
  drawClaims: typeof drawClaims
  emailLink: typeof emailLink
  errors: typeof errors
  favourites: typeof favourites
  formErrors: typeof formErrors
  frame: typeof frame
  home: typeof home
  homeBelow: typeof homeBelow
  mailbox: typeof mailbox
  offers: typeof offers
  orders: typeof orders
  ownData: typeof ownData
  pages: typeof pages
  policies: typeof policies
  sessions: typeof sessions
  suggestion: typeof suggestion
  tickets: typeof tickets
  unfinished: typeof unfinished
  unsubscribe: typeof unsubscribe
  verify: typeof verify
  verifyFaults: typeof verifyFaults
  verifyReport: typeof verifyReport
  waitingRoom: typeof waitingRoom
  winners: typeof winners
}

type Paths<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string ? Key : `${Key}.${Paths<Tree[Key]>}`
}[keyof Tree & string]

/** "namespace.key" */
export type MessageKey = Paths<Messages>

/** A message key; one that does not exist fails to compile. */
export const key = (name: MessageKey): MessageKey => name

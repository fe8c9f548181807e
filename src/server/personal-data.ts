import {
  accountPersonalData,
  exclusionsPersonalData,
  suspensionsPersonalData,
} from '#features/accounts/server/index.ts'
import { alertsPersonalData } from '#features/alerts/server/index.ts'
import { cartPersonalData } from '#features/purchase/cart/server/index.ts'
import { messagesPersonalData } from '#features/contact/server/index.ts'
import { staffActionsPersonalData } from '#features/customers/server/index.ts'
import { claimsPersonalData } from '#features/draws/server/index.ts'
import { emailsPersonalData } from '#features/emails/server/index.ts'
import { favouritesPersonalData } from '#features/favourites/server/index.ts'
import { objectionsPersonalData } from '#features/objections/server/index.ts'
import { ordersPersonalData } from '#features/purchase/orders/server/index.ts'
import { notificationsPersonalData } from '#features/purchase/payments/server/index.ts'
import { postalPersonalData } from '#features/postal/server/index.ts'
import { eraseRefundWords, refundsPersonalData } from '#features/purchase/refunds/server/index.ts'
import { reportsPersonalData } from '#features/reports/server/index.ts'
import { staffPersonalData } from '#features/staff/server/index.ts'
import { ticketsPersonalData } from '#features/tickets/server/index.ts'
import { waitingRoomPersonalData } from '#features/waiting-room/server/index.ts'
import type { PersonalDataSource } from '#platform/personal-data.ts'
import { responsesPersonalData, securityPersonalData } from '#platform/personal-log.ts'

/**
 * Everything that is kept about people. The order is that of the sections of an export; locks are taken before (carts,
 * orders, account).
 */
export const personalDataSources: readonly PersonalDataSource[] = [
  accountPersonalData,
  cartPersonalData,
  favouritesPersonalData,
  ordersPersonalData(eraseRefundWords),
  ticketsPersonalData,
  postalPersonalData,
  exclusionsPersonalData,
  claimsPersonalData,
  messagesPersonalData,
  emailsPersonalData,
  suspensionsPersonalData,
  securityPersonalData,
  staffActionsPersonalData,
  // What an export does not show, or shows with something else.
  refundsPersonalData,
  notificationsPersonalData,
  objectionsPersonalData,
  alertsPersonalData,
  waitingRoomPersonalData,
  responsesPersonalData,
  staffPersonalData,
  reportsPersonalData,
]

import purchaseMessages from 'virtual:messages/purchase'
import type { ReactNode } from 'react'
import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { UnconfirmedPayments } from '#features/purchase/checkout/screens/confirming-notice.tsx'
import { usePaymentNotice } from '#features/purchase/checkout/screens/use-payment-notice.ts'
import { useConfirmingOrders } from '#features/purchase/orders/screens/confirming-orders.ts'
import { ParticipationsPage, ParticipationsSkeleton } from '#features/tickets/screens/participations-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(purchaseMessages)

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(ParticipationsSkeleton)
export const meta = metaOf('participations', { path: paths.participations(), noindex: true })

export default function ParticipationsRoute(): ReactNode {
  usePaymentNotice()
  return <ParticipationsPage confirming={useConfirmingOrders().length} Payments={UnconfirmedPayments} />
}

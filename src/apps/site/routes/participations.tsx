import contestMessages from 'virtual:messages/contest'
import purchaseMessages from 'virtual:messages/purchase'
import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { UnconfirmedPayments } from '#features/purchase/checkout/screens/confirming-notice.tsx'
import { isSet, usePaymentNotice } from '#features/purchase/checkout/screens/use-payment-notice.ts'
import { useConfirmingOrders } from '#features/purchase/orders/screens/confirming-orders.ts'
import { ParticipationsPage, ParticipationsSkeleton } from '#features/tickets/screens/participations-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(purchaseMessages, contestMessages)

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(ParticipationsSkeleton)
export const meta = metaOf('participations', { path: paths.participations(), noindex: true })

export default function ParticipationsRoute(): ReactNode {
  const [search] = useSearchParams()
  // The notice removes it from the address.
  const [arrived] = useState(() => isSet(search.get('success')))
  usePaymentNotice()
  return (
    <ParticipationsPage
      confirming={useConfirmingOrders().length}
      arrived={arrived}
      Payments={UnconfirmedPayments}
    />
  )
}

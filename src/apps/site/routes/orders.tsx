import ordersMessages from 'virtual:messages/orders'
import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { OrdersPage, OrdersSkeleton } from '#features/purchase/orders/screens/orders-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(ordersMessages)

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(OrdersSkeleton)
export const meta = metaOf('orders', { path: paths.orders(), noindex: true })

export default OrdersPage

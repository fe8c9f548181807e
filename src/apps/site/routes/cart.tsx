import contestMessages from 'virtual:messages/contest'
import purchaseMessages from 'virtual:messages/purchase'
import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { CartSkeleton } from '#features/purchase/cart/screens/cart-parts.tsx'
import { CartPage } from '#features/purchase/checkout/screens/cart-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(purchaseMessages, contestMessages)

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(CartSkeleton)
export const meta = metaOf('cart', { path: paths.cart(), noindex: true })

export default CartPage

import type { ReactNode } from 'react'
import type { ClientLoaderFunctionArgs, MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { requireSession } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { CartPage, CartSkeleton } from '#features/cart/screens/cart-page.tsx'
import { pageHead, shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'

await needMessages('purchase')

export async function clientLoader({ request }: ClientLoaderFunctionArgs): Promise<null> {
  await requireSession(request)
  return null
}
clientLoader.hydrate = true as const

export function HydrateFallback(): ReactNode {
  return (
    <NeedsScripts>
      <CartSkeleton />
    </NeedsScripts>
  )
}

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'cart', { path: paths.cart(), noindex: true })

export default function CartRoute(): ReactNode {
  return <CartPage />
}

import type { ReactNode } from 'react'
import { type MetaFunction, data } from 'react-router'
import { pageHead, shellOf } from '../head.ts'
import { NotFoundPage } from '../not-found-page.tsx'

/** Any other path (spec section 2). */
export const loader = () => data(null, { status: 404 })
export const clientLoader = () => null

export const meta: MetaFunction = ({ matches, location }) =>
  pageHead(shellOf(matches), 'notFound', { path: location.pathname, noindex: true })

export default function NotFound(): ReactNode {
  return <NotFoundPage />
}

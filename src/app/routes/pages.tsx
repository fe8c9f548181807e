import type { ReactNode } from 'react'
import { Outlet } from 'react-router'
import { ErrorPage, errorHead } from '../error-page.tsx'

/**
 * Stands around every page and shows what went wrong in one. The root's own boundary would make the whole document anew,
 * its scripts included, which Trusted Types refuse: the visitor would be left with a white window.
 */
export default function Pages(): ReactNode {
  return <Outlet />
}

export const meta = errorHead

export function ErrorBoundary({ error }: { error: unknown }): ReactNode {
  return <ErrorPage error={error} />
}

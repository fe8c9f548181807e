import type { ReactNode } from 'react'
import { Outlet } from 'react-router'
import { ErrorPage, errorHead } from '../error-page.tsx'

/** The error boundary of every page. The root's own would create new scripts, which Trusted Types refuse. */
export default function Pages(): ReactNode {
  return <Outlet />
}

export const meta = errorHead

export function ErrorBoundary({ error }: { error: unknown }): ReactNode {
  return <ErrorPage error={error} />
}

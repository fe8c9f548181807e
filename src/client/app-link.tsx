import { type AnchorHTMLAttributes, type ReactNode, useCallback } from 'react'
import { Link, type LinkProps, NavLink, useLocation, useNavigate } from 'react-router'
import { announceWaiting } from './early-acts.ts'
import { documentPath, needsNewDocument } from './documents.ts'

interface AppLinkProps
  extends
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'target' | 'rel'>,
    Pick<LinkProps, 'state' | 'prefetch'> {
  to: string
}

/** Spec section 2, "Any link target beginning with https". */
const isExternal = (to: string): boolean => /^https?:/.test(to)

/** The link of every screen: prefetches code, loads a new document to and from the cart, opens https in a new tab. */
export function AppLink({ to, ...props }: AppLinkProps): ReactNode {
  const { pathname } = useLocation()
  if (isExternal(to)) {
    return (
      <Link {...props} to={to} discover="none" prefetch="none" target="_blank" rel="noopener noreferrer" />
    )
  }
  if (import.meta.env.SSR) return renderedLink(to, props)
  return needsNewDocument(pathname, to) ? (
    <Link {...props} to={documentPath(to)} discover="none" reloadDocument prefetch="none" />
  ) : (
    <Link prefetch="intent" {...props} to={to} discover="none" />
  )
}

interface AppNavLinkProps extends AppLinkProps {
  /** Matches this page only, not those below it. */
  end?: boolean
}

/** An `AppLink` that sets `aria-current`. */
export function AppNavLink({ to, end = false, ...props }: AppNavLinkProps): ReactNode {
  const { pathname } = useLocation()
  if (import.meta.env.SSR) {
    const isCurrent = isAt(pathname, to, end)
    const className = [props.className, isCurrent && 'active'].filter(Boolean).join(' ')
    return renderedLink(to, { ...props, className, 'aria-current': isCurrent ? 'page' : undefined })
  }
  return needsNewDocument(pathname, to) ? (
    <NavLink {...props} to={documentPath(to)} end={end} discover="none" reloadDocument prefetch="none" />
  ) : (
    <NavLink prefetch="intent" {...props} to={to} end={end} discover="none" />
  )
}

/** Whether a link leads to this page or, without `end`, to one above it, as in React Router. */
const isAt = (pathname: string, to: string, end: boolean): boolean => {
  const [page, target] = [pathname.toLowerCase(), to.toLowerCase()]
  return page === target || (!end && page.startsWith(target) && page.charAt(target.length) === '/')
}

/** React Router's markup without its hooks, which took a third of the server's time for a list. */
function renderedLink(to: string, props: Omit<AppLinkProps, 'to'>): ReactNode {
  const { prefetch: _prefetch, state: _state, children, ...attributes } = props
  return (
    <a {...attributes} href={to}>
      {children}
    </a>
  )
}

/** Navigates from code, to and from the cart by a new document. The function is stable. */
export function useAppNavigate(): (to: string, options?: { replace?: boolean }) => void {
  const navigate = useNavigate()
  return useCallback(
    (to, { replace = false } = {}) => {
      if (!needsNewDocument(window.location.pathname, to)) void navigate(to, { replace })
      else {
        announceWaiting('document')
        if (replace) window.location.replace(documentPath(to))
        else window.location.assign(documentPath(to))
      }
    },
    [navigate],
  )
}

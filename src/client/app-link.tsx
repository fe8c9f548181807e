import { type ReactNode, useCallback } from 'react'
import { Link, type LinkProps, NavLink, type NavLinkProps, useLocation, useNavigate } from 'react-router'
import { crossesDocuments } from './paths.ts'

type AppLinkProps = Omit<LinkProps, 'to' | 'reloadDocument' | 'discover'> & { to: string }

/** Where a link leads out of the shop's pages: spec section 2, "Any link target beginning with https". */
const isExternal = (to: string): boolean => /^https?:/.test(to)

/**
 * The link of every screen. Links of the shop load their page's code when a visitor is about to follow them; those to
 * and from the cart load a new document; https targets open in a new tab.
 */
export function AppLink({ to, ...props }: AppLinkProps): ReactNode {
  const { pathname } = useLocation()
  if (isExternal(to))
    return <Link {...props} to={to} prefetch="none" target="_blank" rel="noopener noreferrer" />
  return crossesDocuments(pathname, to) ? (
    <Link {...props} to={to} reloadDocument prefetch="none" />
  ) : (
    <Link prefetch="intent" {...props} to={to} />
  )
}

type AppNavLinkProps = Omit<NavLinkProps, 'to' | 'reloadDocument' | 'discover'> & { to: string }

/** An `AppLink` of a menu: marks itself as the current page (`aria-current`). */
export function AppNavLink({ to, ...props }: AppNavLinkProps): ReactNode {
  const { pathname } = useLocation()
  return crossesDocuments(pathname, to) ? (
    <NavLink {...props} to={to} reloadDocument prefetch="none" />
  ) : (
    <NavLink prefetch="intent" {...props} to={to} />
  )
}

/** Goes to a page of the shop from code; to and from the cart by a new document. The function stays the same. */
export function useAppNavigate(): (to: string, options?: { replace?: boolean }) => void {
  const navigate = useNavigate()
  return useCallback(
    (to, { replace = false } = {}) => {
      if (!crossesDocuments(window.location.pathname, to)) void navigate(to, { replace })
      else if (replace) window.location.replace(to)
      else window.location.assign(to)
    },
    [navigate],
  )
}

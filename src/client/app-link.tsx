import { type AnchorHTMLAttributes, type ReactNode, useCallback } from 'react'
import { Link, type LinkProps, NavLink, useLocation, useNavigate } from 'react-router'
import { crossesDocuments } from './paths.ts'

interface AppLinkProps
  extends
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'target' | 'rel'>,
    Pick<LinkProps, 'state' | 'prefetch'> {
  to: string
}

/** Where a link leads out of the shop's pages: spec section 2, "Any link target beginning with https". */
const isExternal = (to: string): boolean => /^https?:/.test(to)

/**
 * The link of every screen. Links of the shop load their page's code when a visitor is about to follow them; those to
 * and from the cart load a new document; https targets open in a new tab.
 */
export function AppLink({ to, ...props }: AppLinkProps): ReactNode {
  const { pathname } = useLocation()
  if (isExternal(to)) {
    return (
      <Link {...props} to={to} discover="none" prefetch="none" target="_blank" rel="noopener noreferrer" />
    )
  }
  if (import.meta.env.SSR) return writtenLink(to, props)
  return crossesDocuments(pathname, to) ? (
    <Link {...props} to={to} discover="none" reloadDocument prefetch="none" />
  ) : (
    <Link prefetch="intent" {...props} to={to} discover="none" />
  )
}

interface AppNavLinkProps extends AppLinkProps {
  /** Only the page itself counts as current, none below it. */
  end?: boolean
}

/** An `AppLink` of a menu: marks itself as the current page (`aria-current`). */
export function AppNavLink({ to, end = false, ...props }: AppNavLinkProps): ReactNode {
  const { pathname } = useLocation()
  if (import.meta.env.SSR) {
    const isCurrent = isAt(pathname, to, end)
    const className = [props.className, isCurrent && 'active'].filter(Boolean).join(' ')
    return writtenLink(to, { ...props, className, 'aria-current': isCurrent ? 'page' : undefined })
  }
  return crossesDocuments(pathname, to) ? (
    <NavLink {...props} to={to} end={end} discover="none" reloadDocument prefetch="none" />
  ) : (
    <NavLink prefetch="intent" {...props} to={to} end={end} discover="none" />
  )
}

/** Whether a page is the one that a link of a menu leads to, or below it, as React Router sees it. */
export const isAt = (pathname: string, to: string, end: boolean): boolean => {
  const [page, target] = [pathname.toLowerCase(), to.toLowerCase()]
  return page === target || (!end && page.startsWith(target) && page.charAt(target.length) === '/')
}

/**
 * What React Router writes for a link of the shop, without the twenty hooks by which a link works in a browser: a list
 * of contests has dozens of links, and the server spent a third of a page on them.
 */
function writtenLink(to: string, props: Omit<AppLinkProps, 'to'>): ReactNode {
  const { prefetch: _prefetch, state: _state, children, ...attributes } = props
  return (
    <a {...attributes} href={to}>
      {children}
    </a>
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

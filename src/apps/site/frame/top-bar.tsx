import { ChevronRight, PanelLeft, ShoppingCart } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { useLocation, useMatches } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppSelector } from '#client/state.ts'
import { useCartCount } from '#features/purchase/cart/screens/cart-slice.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { IconButton } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { useTopBar } from '#ui/use-bar.ts'
import { ConfirmingMark } from './menu.tsx'
import { Brand } from './brand.tsx'
import { type KnownContest, crumbsOf } from './crumbs.ts'
import type { Sidebar } from './use-sidebar.ts'

/** Spec section 2. Phones also get the cart or the login; the home page gets the brand instead of the breadcrumb. */
export function TopBar({ sidebar }: { sidebar: Sidebar }): ReactNode {
  const t = useTranslations('frame')
  const { pathname } = useLocation()
  const username = useAppSelector((state) => state.user.user?.username)
  const bar = useRef<HTMLDivElement>(null)
  useTopBar(bar)
  return (
    <div
      ref={bar}
      className="@container sticky top-0 z-30 flex min-h-16 items-center gap-2 border-b border-line bg-ground px-2 sm:px-4"
    >
      <IconButton
        label={t('toggleSidebar')}
        aria-keyshortcuts="Control+B Meta+B"
        onClick={sidebar.toggle}
        className="needs-scripts"
      >
        <PanelLeft aria-hidden="true" className="size-5" />
      </IconButton>
      {pathname === paths.home() && (
        <div className="@container min-w-0 grow md:hidden">
          <Brand tight />
        </div>
      )}
      <div className={classes('@container min-w-0 grow', pathname === paths.home() && 'members-only')}>
        <div className="flex min-w-0 flex-col @sm:flex-row @sm:items-center @sm:gap-4">
          <Breadcrumb />
          {/* Its line is there before the name is known, so that the bar does not move. */}
          <p className="members-only min-w-0 truncate text-xs text-muted first:text-right @sm:ml-auto @sm:max-w-1/2 @sm:shrink-0 @sm:text-sm">
            {username ? t('welcome', { name: username }) : '\u00a0'}
          </p>
        </div>
      </div>
      <CartLink />
      {pathname !== paths.login() && <LoginLink />}
      <CartAnnouncement />
    </div>
  )
}

/** Announces a changed number of tickets, not the first one (WCAG 4.1.3). */
function CartAnnouncement(): ReactNode {
  const t = useTranslations('frame')
  const count = useCartCount()
  const isLoaded = useAppSelector((state) => state.cart.status === 'succeeded')
  const [first, setFirst] = useState<number>()
  const [changed, setChanged] = useState(false)
  if (isLoaded && first === undefined) setFirst(count)
  if (first !== undefined && count !== first && !changed) setChanged(true)
  return (
    <p role="status" className="sr-only">
      {changed && t('cartWith', { count })}
    </p>
  )
}

/** Hidden at twice the text size for lack of space; the menu also has the link. */
const LoginLink = (): ReactNode => (
  <AppLink
    to={paths.login()}
    className="visitors-only hidden min-h-11 shrink-0 items-center rounded-md px-3 text-sm font-semibold no-underline hover:bg-sunken md:hidden @min-[20rem]:max-md:inline-flex"
  >
    {useTranslations('frame')('menu.login')}
  </AppLink>
)

function CartLink(): ReactNode {
  const t = useTranslations('frame')
  const count = useCartCount()
  return (
    <AppLink
      to={paths.cart()}
      className="members-only relative inline-flex size-11 shrink-0 items-center justify-center rounded-md hover:bg-sunken md:hidden"
    >
      <ShoppingCart aria-hidden="true" className="size-5" />
      <span className="sr-only">{count > 0 ? t('cartWith', { count }) : t('menu.cart')}</span>
      <ConfirmingMark className="absolute right-1 bottom-1" />
      {count > 0 && (
        <span
          aria-hidden="true"
          className="absolute top-0.5 right-0 min-w-5 rounded-full bg-fill px-1 text-center text-xs leading-5 font-bold text-on-fill"
        >
          {count > 99 ? '99+' : count}
        </span>
      )}
    </AppLink>
  )
}

/** The contest that a route of the page has loaded: itself, or as `contest` or `offer` of its response. */
function useKnownContest(): KnownContest | undefined {
  const language = useLanguage()
  for (const { loaderData } of useMatches()) {
    const loaded = Object(loaderData) as { contest?: unknown; offer?: unknown }
    const contest = Object(loaded.contest ?? loaded.offer ?? loaded) as Partial<Offer>
    if (typeof contest.slug === 'string' && typeof contest.title === 'string')
      return { slug: contest.slug, title: localized(contest as Offer, 'title', language).text }
  }
  return undefined
}

function Breadcrumb(): ReactNode {
  const t = useTranslations()
  const { pathname } = useLocation()
  const crumbs = crumbsOf(pathname, useKnownContest())
  if (crumbs.length === 0) return null
  return (
    <nav aria-label={t('frame.breadcrumb')} className="min-w-0 text-sm">
      <ol className="flex min-w-0 items-center gap-1.5">
        <li className="shrink-0 @max-lg:hidden">
          <AppLink
            to={paths.home()}
            className="inline-flex min-h-11 items-center text-muted no-underline hover:text-ink"
          >
            {t('frame.menu.home')}
          </AppLink>
        </li>
        {crumbs.map((crumb, index) => (
          <li
            key={crumb.path}
            className="flex min-w-0 items-center gap-1.5 not-last:shrink-0 @max-lg:not-last:hidden"
          >
            <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted @max-lg:hidden" />
            {index === crumbs.length - 1 ? (
              <span aria-current="page" className="truncate font-semibold">
                {crumb.label ? t(crumb.label) : crumb.text}
              </span>
            ) : crumb.isPage ? (
              <AppLink
                to={crumb.path}
                className="inline-flex min-h-11 items-center truncate text-muted no-underline hover:text-ink"
              >
                {crumb.label ? t(crumb.label) : crumb.text}
              </AppLink>
            ) : (
              <span className="truncate text-muted">{crumb.label ? t(crumb.label) : crumb.text}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

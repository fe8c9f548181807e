import { PanelLeft, ShoppingCart } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppSelector, useCartCount } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { IconButton } from '#ui/button.tsx'
import { Brand } from './brand.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import type { Sidebar } from './use-sidebar.ts'

/**
 * Toggle, breadcrumb, welcome (spec section 2), and on phones the cart or the login, one tap away. There the welcome stands below the
 * breadcrumb, and on the home page, which has none, the house's name.
 */
export function TopBar({ sidebar }: { sidebar: Sidebar }): ReactNode {
  const t = useTranslations('frame')
  const { pathname } = useLocation()
  const username = useAppSelector((state) => state.user.user?.username)
  return (
    <div className="@container sticky top-0 z-30 flex min-h-16 items-center gap-2 border-b border-line bg-ground px-2 sm:px-4">
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
      {(username || pathname !== paths.home()) && (
        <div className="@container min-w-0 grow">
          <div className="flex min-w-0 flex-col @sm:flex-row @sm:items-center @sm:gap-4">
            <Breadcrumb />
            {username && (
              <p className="min-w-0 truncate text-xs text-muted first:text-right @sm:ml-auto @sm:max-w-1/2 @sm:shrink-0 @sm:text-sm">
                {t('welcome', { name: username })}
              </p>
            )}
          </div>
        </div>
      )}
      <CartLink />
      {pathname !== paths.login() && <LoginLink />}
      <CartNews />
    </div>
  )
}

/** Says the badge's new figure once the buyer has changed it, not when the cart is first loaded (WCAG 4.1.3). */
function CartNews(): ReactNode {
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

/** What a visitor has in the cart's place; with text twice its size there is no room, and the menu has it, too. */
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
      aria-label={count > 0 ? t('cartWith', { count }) : t('menu.cart')}
      className="members-only relative inline-flex size-11 shrink-0 items-center justify-center rounded-md hover:bg-sunken md:hidden"
    >
      <ShoppingCart aria-hidden="true" className="size-5" />
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

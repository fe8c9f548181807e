import { PanelLeft, ShoppingCart } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppSelector, useCartCount } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { IconButton } from '#ui/button.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import type { Sidebar } from './use-sidebar.ts'

/** Toggle, breadcrumb, welcome (spec section 2), and on phones the cart, one tap away. */
export function TopBar({ sidebar }: { sidebar: Sidebar }): ReactNode {
  const t = useTranslations('frame')
  const username = useAppSelector((state) => state.user.user?.username)
  return (
    <div className="sticky top-0 z-30 flex h-16 items-center gap-2 border-b border-line bg-ground px-2 sm:px-4">
      <IconButton
        label={t('toggleSidebar')}
        aria-keyshortcuts="Control+B Meta+B"
        onClick={sidebar.toggle}
        className="needs-scripts"
      >
        <PanelLeft aria-hidden="true" className="size-5" />
      </IconButton>
      <Breadcrumb />
      <div className="ml-auto flex min-w-0 items-center gap-2">
        {username && (
          <p className="max-w-[45vw] truncate text-sm text-muted sm:max-w-56">
            {t('welcome', { name: username })}
          </p>
        )}
        <CartLink />
      </div>
    </div>
  )
}

function CartLink(): ReactNode {
  const t = useTranslations('frame')
  const count = useCartCount()
  return (
    <AppLink
      to={paths.cart()}
      aria-label={count > 0 ? t('cartWith', { count }) : t('menu.cart')}
      className="members-only relative inline-flex size-11 items-center justify-center rounded-md hover:bg-sunken md:hidden"
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

import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppNavLink } from '#client/app-link.tsx'
import { useSettings } from '#client/shell.ts'
import { useAppSelector, useCartCount } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { classes } from '#ui/classes.ts'
import { MENU, type MenuEntry } from './menu-entries.ts'

const ROW =
  'relative flex min-h-12 items-center gap-3.5 rounded-md px-3 font-medium no-underline transition-colors duration-150 ' +
  'hover:bg-sunken aria-[current=page]:bg-signal-soft aria-[current=page]:text-signal-strong'

const AUDIENCE = { everyone: '', members: 'members-only', visitors: 'visitors-only', staff: '' } as const

/** The shop's main menu. `onFollow` is called when an entry is followed, so that a sheet can close. */
export function Menu({ label, onFollow }: { label: string; onFollow?: () => void }): ReactNode {
  const isStaff = useAppSelector(({ user }) => Boolean(user.user?.is_staff || user.user?.is_superuser))
  return (
    <nav aria-label={label}>
      <ul className="grid gap-1">
        {MENU.filter((entry) => entry.audience !== 'staff' || isStaff).map((entry) => (
          <li key={entry.name} className={AUDIENCE[entry.audience]}>
            {entry.entries ? (
              <Group entry={entry} onFollow={onFollow} />
            ) : (
              <Entry entry={entry} onFollow={onFollow} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface EntryProps {
  entry: MenuEntry
  onFollow?: (() => void) | undefined
}

function Entry({ entry, onFollow }: EntryProps): ReactNode {
  const t = useTranslations()
  const { adminUrl } = useSettings()
  const Icon = entry.icon
  const content = (
    <>
      <span className="relative">
        <Icon aria-hidden="true" className="size-5 shrink-0" />
      </span>
      <span data-wide className="min-w-0 truncate">
        {t(entry.label)}
      </span>
      {entry.name === 'cart' && <CartBadge />}
      <span aria-hidden="true" className="menu-tip rounded-md bg-asphalt px-3 py-2 text-sm text-paper">
        {t(entry.label)}
      </span>
    </>
  )
  return entry.to === undefined ? (
    <a href={adminUrl} target="_blank" rel="noopener noreferrer" className={ROW} aria-label={t(entry.label)}>
      {content}
    </a>
  ) : (
    <AppNavLink
      to={entry.to}
      end={entry.to === '/'}
      className={ROW}
      onClick={onFollow}
      aria-label={t(entry.label)}
    >
      {content}
    </AppNavLink>
  )
}

/** Sum of the quantities in the cart, when above 0 (spec section 9). */
function CartBadge(): ReactNode {
  const t = useTranslations('frame')
  const count = useCartCount()
  if (count === 0) return null
  return (
    <span className="ml-auto min-w-6 rounded-full bg-signal px-1.5 text-center text-xs font-bold text-on-signal max-md:static">
      <span aria-hidden="true">{count > 999 ? '999+' : count}</span>
      <span className="sr-only">{t('cartCount', { count })}</span>
    </span>
  )
}

/** A collapsible group; while the sidebar shows icons only, its entries stand by themselves. */
function Group({ entry, onFollow }: EntryProps): ReactNode {
  const t = useTranslations()
  const Icon = entry.icon
  return (
    <>
      <details data-wide open className="group">
        <summary className={classes(ROW, 'list-none')}>
          <Icon aria-hidden="true" className="size-5 shrink-0" />
          <span className="truncate">{t(entry.label)}</span>
          <ChevronDown
            aria-hidden="true"
            className="ml-auto size-4 text-muted transition-transform duration-150 group-open:rotate-180"
          />
        </summary>
        <ul className="mt-1 ml-5 grid gap-1 border-l border-line pl-2">
          {entry.entries?.map((child) => (
            <li key={child.name}>
              <Entry entry={child} onFollow={onFollow} />
            </li>
          ))}
        </ul>
      </details>
      <ul data-narrow className="hidden gap-1 md:grid">
        {entry.entries?.map((child) => (
          <li key={child.name}>
            <Entry entry={child} onFollow={onFollow} />
          </li>
        ))}
      </ul>
    </>
  )
}

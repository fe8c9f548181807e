import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppNavLink } from '#client/app-link.tsx'
import { useSettings } from '#client/shell.ts'
import { useAppSelector } from '#client/state.ts'
import { useCartCount } from '#features/purchase/cart/screens/cart-slice.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { classes } from '#ui/classes.ts'
import { Tooltip } from '#ui/tooltip.tsx'
import { MENU, type MenuEntry, labelOf } from './menu-entries.ts'

const ROW =
  'relative flex min-h-12 items-center gap-3.5 rounded-md px-3 font-medium no-underline transition-colors duration-150 ' +
  'hover:bg-sunken aria-[current=page]:bg-signal-soft aria-[current=page]:text-signal-strong'

const AUDIENCE = { everyone: '', members: 'members-only', visitors: 'visitors-only', staff: '' } as const

interface MenuProps {
  label: string
  /** Shows only icons with tooltips (spec section 9, "sidebar tooltips 0"). */
  iconsOnly?: boolean
  onFollow?: () => void
}

export function Menu({ label, iconsOnly = false, onFollow }: MenuProps): ReactNode {
  const isStaff = useAppSelector(({ user }) => Boolean(user.user?.is_staff || user.user?.is_superuser))
  return (
    <nav aria-label={label}>
      <ul className="grid gap-1">
        {MENU.filter((entry) => entry.audience !== 'staff' || isStaff).map((entry) => (
          <li key={entry.name} className={AUDIENCE[entry.audience]}>
            {entry.entries ? (
              <Group entry={entry} iconsOnly={iconsOnly} onFollow={onFollow} />
            ) : (
              <Entry entry={entry} iconsOnly={iconsOnly} onFollow={onFollow} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface EntryProps {
  entry: MenuEntry
  iconsOnly: boolean
  onFollow?: (() => void) | undefined
}

function Entry({ entry, iconsOnly, onFollow }: EntryProps): ReactNode {
  const t = useTranslations()
  const { adminUrl } = useSettings()
  const Icon = entry.icon
  const content = (
    <>
      <Icon aria-hidden="true" className="size-5 shrink-0" />
      <span data-label className="min-w-0 py-1 leading-snug wrap-anywhere">
        {t(labelOf(entry))}
      </span>
      {entry.name === 'cart' && (
        <>
          <ConfirmingMark className="absolute top-7 left-7" />
          <CartBadge />
        </>
      )}
    </>
  )
  const link =
    entry.to === undefined ? (
      <a href={adminUrl} target="_blank" rel="noopener noreferrer" className={ROW}>
        {content}
        <span className="sr-only"> ({t('frame.newTab')})</span>
      </a>
    ) : (
      <AppNavLink to={entry.to} end={entry.to === '/'} className={ROW} onClick={onFollow}>
        {content}
      </AppNavLink>
    )
  return iconsOnly ? (
    <Tooltip text={t(labelOf(entry))} delay={0} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
}

/** A dot beside the cart's icon while a payment waits to be confirmed (`data-confirming`). */
export const ConfirmingMark = ({ className }: { className: string }): ReactNode => (
  <span className={`confirming-only size-2.5 rounded-full bg-warning ${className}`}>
    <span className="sr-only">, {useTranslations('frame')('confirming')}</span>
  </span>
)

function CartBadge(): ReactNode {
  const t = useTranslations('frame')
  const count = useCartCount()
  if (count === 0) return null
  return (
    <span
      data-badge
      className="ml-auto min-w-6 rounded-full bg-fill px-1.5 text-center text-xs leading-6 font-bold text-on-fill"
    >
      <span aria-hidden="true">{count > 999 ? '999+' : count}</span>
      <span className="sr-only">{t('cartCount', { count })}</span>
    </span>
  )
}

function Group({ entry, iconsOnly, onFollow }: EntryProps): ReactNode {
  const t = useTranslations()
  const Icon = entry.icon
  return (
    <>
      <details data-wide open className="group">
        <summary className={classes(ROW, 'list-none')}>
          <Icon aria-hidden="true" className="size-5 shrink-0" />
          <span className="min-w-0 py-1 leading-snug wrap-anywhere">{t(labelOf(entry))}</span>
          <ChevronDown
            aria-hidden="true"
            className="ml-auto size-4 shrink-0 text-muted transition-transform duration-150 group-open:rotate-180"
          />
        </summary>
        <ul className="mt-1 ml-5 grid gap-1 border-l border-line pl-1 **:[a]:gap-2.5">
          {entry.entries?.map((child) => (
            <li key={child.name}>
              <Entry entry={child} iconsOnly={false} onFollow={onFollow} />
            </li>
          ))}
        </ul>
      </details>
      <ul data-narrow className="hidden gap-1 md:grid">
        {entry.entries?.map((child) => (
          <li key={child.name}>
            <Entry entry={child} iconsOnly={iconsOnly} onFollow={onFollow} />
          </li>
        ))}
      </ul>
    </>
  )
}

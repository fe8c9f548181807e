import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { classes } from '#ui/classes.ts'

interface BrandProps {
  onFollow?: () => void
  /** Shows only the mark in a narrow container. */
  tight?: boolean
}

/** Mark and name, with a link to the home page. */
export function Brand({ onFollow, tight = false }: BrandProps): ReactNode {
  const { brand } = useSettings()
  return (
    <AppLink
      to={paths.home()}
      onClick={onFollow}
      aria-label={brand}
      className="inline-flex min-h-11 items-center gap-3 rounded-md no-underline"
    >
      <Mark />
      <span
        data-wide
        translate="no"
        className={classes('font-wide text-lg tracking-tight', tight && 'hidden @min-[8rem]:inline')}
      >
        {brand}
      </span>
    </AppLink>
  )
}

/** A steering wheel whose spokes draw a V. */
const Mark = (): ReactNode => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className="size-8 shrink-0" fill="none">
    <circle cx="16" cy="16" r="13.25" stroke="currentColor" strokeWidth="3.5" />
    <path d="M5.2 12.2 16 24.5l10.8-12.3" stroke="var(--signal)" strokeWidth="3.5" strokeLinejoin="round" />
  </svg>
)

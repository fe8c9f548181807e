import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { classes } from '#ui/classes.ts'
import { Mark } from './mark.tsx'

interface BrandProps {
  onFollow?: () => void
  /** Where there is little room the mark stands alone; its container is asked. */
  tight?: boolean
}

/** The house's name with its mark, leading home. */
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
        className={classes('font-wide text-lg tracking-tight', tight && 'hidden @min-[8rem]:inline')}
      >
        {brand}
      </span>
    </AppLink>
  )
}

import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { Mark } from './mark.tsx'

/** The house's name with its mark, leading home. */
export function Brand({ onFollow }: { onFollow?: () => void }): ReactNode {
  const { brand } = useSettings()
  return (
    <AppLink
      to={paths.home()}
      onClick={onFollow}
      aria-label={brand}
      className="inline-flex min-h-11 items-center gap-3 rounded-md no-underline"
    >
      <Mark />
      <span data-wide className="font-wide text-lg tracking-tight">
        {brand}
      </span>
    </AppLink>
  )
}

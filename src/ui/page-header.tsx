import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** The page's h1, which gets the focus after navigation, and a lead. */
export const PageHeader = ({
  title,
  lead,
  actions,
  className,
}: {
  title: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  className?: string
}): ReactNode => (
  <header className={classes('flex flex-wrap items-end justify-between gap-x-8 gap-y-4', className)}>
    <div className="grid min-w-0 max-w-3xl grid-cols-1 gap-2">
      <h1 tabIndex={-1} className="text-headline">
        {title}
      </h1>
      {lead && <p className="text-lg text-balance text-muted">{lead}</p>}
    </div>
    {actions}
  </header>
)

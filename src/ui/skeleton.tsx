import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** A grey stand-in; give it the size of what comes. */
export const Skeleton = ({ className }: { className?: string }): ReactNode => (
  <span aria-hidden="true" className={classes('block animate-shimmer rounded-md bg-sunken', className)} />
)

/** A region that is loading: the words are for screen readers, the stand-ins for the eye. */
export const LoadingRegion = ({
  text,
  className,
  children,
}: {
  text: string
  className?: string
  children: ReactNode
}): ReactNode => (
  <div role="status" className={className}>
    <span className="sr-only">{text}</span>
    {children}
  </div>
)

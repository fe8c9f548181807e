import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** A placeholder; give it the size of the content. */
export const Skeleton = ({ className }: { className?: string }): ReactNode => (
  <span aria-hidden="true" className={classes('block animate-shimmer rounded-md bg-sunken', className)} />
)

/** A loading region with a text for screen readers. */
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

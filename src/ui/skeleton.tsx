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

/** A page with a title and a list that is being loaded. @param item the height of a card, as a class */
export const ListSkeleton = ({ text, item }: { text: string; item: string }): ReactNode => (
  <LoadingRegion text={text} className="page-width grid grid-cols-1 gap-8 py-8 sm:py-12">
    <Skeleton className="h-12 w-72 max-w-full" />
    <Skeleton className={classes('max-w-4xl', item)} />
    <Skeleton className={classes('max-w-4xl', item)} />
  </LoadingRegion>
)

import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { LoadError } from '#features/offers/screens/load-error.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { PageHeader } from '#ui/page-header.tsx'

interface ListFrameProps {
  title: string
  lead: string
  /** Why there is no list. */
  failed: { title: string; text: string } | undefined
  /** What an empty list shows. */
  empty: { illustration: ReactNode; title: string; text: string; action: string }
  isEmpty: boolean
  /** The way to the next page of the list. */
  more: { to: string; text: string } | undefined
  /** The list. */
  children: ReactNode
  /** Below the list and the way on. */
  below?: ReactNode
}

/** A public list, page by page: its head, what stands in place of a list, and the way on. */
export function ListFrame(props: ListFrameProps): ReactNode {
  const { title, lead, failed, empty, isEmpty, more, children, below } = props
  return (
    <div className="page-width @container grid grid-cols-1 gap-8 py-8 sm:gap-10 sm:py-12">
      <PageHeader title={title} lead={lead} />
      {failed && <LoadError {...failed} />}
      {!failed && isEmpty && (
        <EmptyState
          illustration={empty.illustration}
          title={empty.title}
          text={empty.text}
          action={
            <AppLink to={paths.offers()} className={buttonClasses()}>
              {empty.action}
            </AppLink>
          }
        />
      )}
      {children}
      {more && (
        <AppLink
          to={more.to}
          className={buttonClasses('secondary', 'medium', { className: 'justify-self-start' })}
        >
          {more.text}
          <ArrowRight aria-hidden="true" className="size-5" />
        </AppLink>
      )}
      {below}
    </div>
  )
}

import { type ReactNode, useId } from 'react'
import { classes } from '#ui/classes.ts'

interface SectionProps {
  title: ReactNode
  lead?: ReactNode
  action?: ReactNode
  ground?: 'plain' | 'raised'
  children: ReactNode
}

/** A part of the home page with its heading. */
export function Section({ title, lead, action, ground = 'plain', children }: SectionProps): ReactNode {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={classes('py-14 sm:py-20', ground === 'raised' && 'border-y border-line bg-surface')}
    >
      <div className="page-width @container grid grid-cols-[minmax(0,1fr)] gap-8 sm:gap-10">
        <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
          <div className="grid max-w-2xl gap-3">
            <h2 id={id} className="text-headline">
              {title}
            </h2>
            {lead && <p className="text-lg text-muted">{lead}</p>}
          </div>
          {action}
        </div>
        {children}
      </div>
    </section>
  )
}

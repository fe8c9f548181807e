import type { ReactNode } from 'react'
import { classes } from '#ui/classes.ts'

interface SectionProps {
  name: string
  title: ReactNode
  lead?: ReactNode
  action?: ReactNode
  ground?: 'plain' | 'raised'
  /** Laid out only near the window, to save time for the first paint. */
  late?: boolean
  children: ReactNode
}

export function Section(props: SectionProps): ReactNode {
  const { name, title, lead, action, ground = 'plain', late = false, children } = props
  const id = `${name}-title`
  return (
    <section
      id={name}
      aria-labelledby={id}
      className={classes(
        'py-14 sm:py-20',
        ground === 'raised' && 'border-y border-line bg-surface',
        late && 'late-section',
      )}
    >
      <div className="page-width @container grid grid-cols-[minmax(0,1fr)] gap-8 sm:gap-10">
        <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
          <div className="grid gap-3">
            <h2 id={id} className="text-headline">
              {title}
            </h2>
            {lead && <p className="max-w-2xl text-lg text-balance text-muted">{lead}</p>}
          </div>
          {action}
        </div>
        {children}
      </div>
    </section>
  )
}

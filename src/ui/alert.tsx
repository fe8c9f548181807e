import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

type AlertTone = 'info' | 'success' | 'warning' | 'error'

const TONES = {
  info: { classes: 'border-signal bg-signal-soft', icon: Info, iconClasses: 'text-signal' },
  success: { classes: 'border-success bg-success-soft', icon: CircleCheck, iconClasses: 'text-success' },
  warning: { classes: 'border-warning bg-warning-soft', icon: TriangleAlert, iconClasses: 'text-warning' },
  error: { classes: 'border-error bg-error-soft', icon: CircleAlert, iconClasses: 'text-error' },
} as const

interface AlertProps {
  tone?: AlertTone
  title?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  className?: string
}

/**
 * A message within the page. One that appears later needs an existing live region around it; a failure or a success that
 * follows an act is focused (src/client/focus.ts).
 */
export function Alert({ tone = 'info', title, children, actions, className }: AlertProps): ReactNode {
  const { icon: Icon, classes: tones, iconClasses } = TONES[tone]
  return (
    <div
      data-news={tone === 'error' || tone === 'success' ? tone : undefined}
      className={classes('flex gap-3 rounded-md border-l-4 p-4 text-ink', tones, className)}
    >
      <Icon aria-hidden="true" className={classes('mt-0.5 size-5 shrink-0', iconClasses)} />
      <div className="grid min-w-0 grid-cols-1 gap-1.5 text-sm">
        {title && <p className="font-semibold">{title}</p>}
        {children && <div>{children}</div>}
        {actions && <div className="mt-1.5 flex flex-wrap gap-3">{actions}</div>}
      </div>
    </div>
  )
}
